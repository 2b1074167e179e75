import type { StepEffect } from '../../contracts/journal.ts'
import type { ToolCall } from '../../contracts/message.ts'
import { toText } from '../../contracts/message.ts'
import type { Tool, ToolAnswer, ToolDecision } from '../../contracts/tool.ts'
import { PolicyError, SvcError, ToolError, toSvcError } from '../../errors.ts'
import { nearest } from '../../text/nearest.ts'
import { abortable } from '../concurrency.ts'
import type { DoorContext } from '../door-context.ts'
import { digest } from '../ids.ts'
import { IndeterminateStep } from '../journal/keyed-journal.ts'
import type { PolicyAnswer } from './policy.ts'
import { TaintLog } from './taint.ts'
import { checkArguments } from './tool-arguments.ts'
import { cutContent, toContent } from './tool-content.ts'

/** A call at the door: whose it is, and under which key it is recorded. */
export type DoorCall = ToolCall & { key: string; agentId: string; stepId?: string }

interface Place {
  agentId: string
  stepId?: string
  callId: string
}

const DEFAULT_TIMEOUT_MS = 30_000

/**
 * The only way to a tool.
 *
 * Layers, outermost first: arguments, call hooks, policy, people, journal, time-out, tool, trace. What a tool or the
 * policy did is in the answer; only the end of the run throws.
 */
export function createToolDoor(door: DoorContext): (call: DoorCall) => Promise<ToolAnswer> {
  const taint = new TaintLog(() =>
    door.run.recalled.filter(({ trust }) => trust === 'untrusted').map(({ id }) => `memory ${id}`),
  )
  const remembered = new Set<string>()

  async function refuseOrRun(
    tool: Tool | undefined,
    call: ToolCall & { agentId: string },
    key: string,
    place: Place,
    sources: string[],
  ): Promise<ToolAnswer> {
    if (tool === undefined) return fail(place, unknownTool(call.tool))
    const checked = await checkArguments(tool, call.args)
    if (checked.errors !== undefined) return fail(place, badArguments(tool, checked.errors))
    const tightened = await tighten(tool, { ...call, args: checked.args }, sources)
    const args = tightened?.args ?? checked.args
    if (tightened?.args !== undefined) {
      const again = await checkArguments(tool, args)
      if (again.errors !== undefined) return fail(place, badArguments(tool, again.errors))
    }
    const circuit = door.steering.openCircuit(tool.id)
    if (circuit !== undefined) return deny(place, { decision: 'deny', rule: 'circuit', reason: circuit })
    const permit = await permitted(tool, args, key, place, sources, tightened)
    if ('ok' in permit) return permit
    return perform(tool, permit.args, key, place)
  }

  async function tighten(
    tool: Tool,
    call: ToolCall & { agentId: string },
    sources: string[],
  ): Promise<ToolDecision | undefined> {
    if (!door.hooks.toolRequest.isUsed()) return undefined
    return door.hooks.toolRequest.promise(undefined, { ...call, risk: tool.risk, taint: sources }, door.run)
  }

  const judge = (tool: Tool, args: unknown, place: Place, sources: string[]): PolicyAnswer =>
    door.policy.decide({
      tool: tool.id,
      args,
      risk: tool.risk,
      taint: sources,
      mixed: taint.hasReadPrivate(place.agentId) && taint.own(place.agentId).length > 0,
      profileRule: door.profileOf(place.agentId)?.toolPolicy?.[tool.id],
    })

  /** The arguments to call with, or the answer that says why not. */
  async function permitted(
    tool: Tool,
    args: unknown,
    key: string,
    place: Place,
    sources: string[],
    tightened: ToolDecision | undefined,
  ): Promise<{ args: unknown } | ToolAnswer> {
    const decided = stricter(judge(tool, args, place, sources), tightened)
    if (decided.decision === 'deny') return deny(place, decided)
    if (decided.decision === 'allow') return { args }
    const { approval = 'deny' } = door.run.options
    if (approval === 'allow-write' && (tool.risk === 'read' || tool.risk === 'write')) return { args }
    const fingerprint = fingerprintOf(tool, args)
    if (remembered.has(fingerprint)) return { args }
    if (approval !== 'wait') {
      const reason = `${tool.id} may ${wordFor(tool.risk)} and nobody is there to approve it (${decided.reason})`
      door.run.warn({ code: 'approval_required', message: reason })
      return deny(place, { ...decided, reason }, 'approval_required')
    }
    return askPerson(tool, args, key, place, sources, decided, fingerprint)
  }

  async function askPerson(
    tool: Tool,
    args: unknown,
    key: string,
    place: Place,
    sources: string[],
    decided: PolicyAnswer,
    fingerprint: string,
  ): Promise<{ args: unknown } | ToolAnswer> {
    const preview = `${tool.id} ${JSON.stringify(args)}`.slice(0, 2_000)
    const request = {
      kind: 'approval' as const,
      callId: place.callId,
      tool: tool.id,
      args,
      risk: tool.risk,
      reason: decided.reason,
      preview,
      taint: sources,
    }
    const resolution = await abortable(
      door.approvals.askApproval(request, askingFor(place, `${key}/approval`)),
      door.signal,
    )
    if (resolution.kind === 'expired') {
      door.run.warn({ code: 'approval_expired', message: `${tool.id} was denied: nobody answered in time` })
      return deny(place, { ...decided, reason: 'nobody answered in time' }, 'approval_expired')
    }
    if (resolution.kind !== 'approval' || resolution.decision === 'deny') {
      const reason = `a person denied ${tool.id}`
      door.run.warn({ code: 'approval_denied', message: reason })
      return deny(place, { ...decided, reason }, 'approval_denied')
    }
    const again = await checkArguments(tool, resolution.args)
    if (again.errors !== undefined) return fail(place, badArguments(tool, again.errors))
    const approved = fingerprintOf(tool, again.args)
    // What a person made of the arguments may be what nobody may do.
    if (approved !== fingerprint) {
      const edited = judge(tool, again.args, place, sources)
      if (edited.decision === 'deny') return deny(place, edited)
    }
    remembered.add(approved)
    return { args: again.args }
  }

  const askingFor = (place: Place, key: string) => ({
    runId: door.run.id,
    agentId: place.agentId,
    journal: door.journal,
    key,
    emit: door.emit,
    onWaiting: door.onWaiting,
  })

  async function perform(tool: Tool, args: unknown, key: string, place: Place): Promise<ToolAnswer> {
    door.signal.throwIfAborted() // hooks and people take their time
    const effect: StepEffect = tool.risk === 'read' ? 'pure' : tool.idempotent === true ? 'idempotent' : 'once'
    try {
      const answer = await door.journal.step(key, effect, () => once(tool, args, key, place))
      return finish(tool, answer, place)
    } catch (thrown) {
      if (!(thrown instanceof IndeterminateStep)) throw thrown
      return finish(tool, await settleByPerson(tool, args, key, place), place)
    }
  }

  /** A crash left it unknown whether the tool acted: a person says whether to try again, skip it, or what came of it. */
  async function settleByPerson(tool: Tool, args: unknown, key: string, place: Place): Promise<ToolAnswer> {
    const prompt = `It is unknown whether ${tool.id} was carried out before a crash (${place.callId}). Choose retry, skip, or result.`
    const schema = {
      type: 'object',
      required: ['callId', 'choice'],
      properties: { callId: { const: place.callId }, choice: { enum: ['retry', 'skip', 'result'] }, result: {} },
    }
    const resolution = await abortable(
      door.approvals.askInput({ kind: 'input', prompt, schema }, askingFor(place, `${key}/indeterminate`)),
      door.signal,
    )
    const value =
      resolution.kind === 'input' ? (resolution.value as { choice?: string; result?: unknown } | null) : null
    if (value?.choice === 'retry')
      return door.journal.step(`${key}/retried`, 'once', () => once(tool, args, key, place))
    if (value?.choice === 'result')
      return { ...blank(place), ok: true, ...cutContent(toContent(value.result), door.toolOutputBytes) }
    return {
      ...blank(place),
      error: new ToolError('tool_failed', `${tool.id} was skipped: a crash left it unknown whether it ran`).toInfo(),
    }
  }

  /** One real call. Never rejects but for the end of the run. */
  async function once(tool: Tool, args: unknown, key: string, place: Place): Promise<ToolAnswer> {
    const started = performance.now()
    const timeoutMs = Math.min(tool.timeoutMs ?? DEFAULT_TIMEOUT_MS, 2 ** 31 - 1)
    const controller = new AbortController()
    const { signal } = controller
    const timer = setTimeout(
      () => controller.abort(new ToolError('tool_timeout', `${tool.id} did not finish within ${timeoutMs / 1000} s`)),
      timeoutMs,
    )
    const stop = (): void => controller.abort(door.signal.reason)
    if (door.signal.aborted) stop()
    door.signal.addEventListener('abort', stop, { once: true })
    const idempotencyKey = digest(door.run.id, key).slice(0, 32)
    door.emit('tool.started', { tool: tool.id, sandbox: 'none', idempotencyKey }, place)
    try {
      const work = Promise.resolve().then(() =>
        tool.run(args, {
          signal,
          workspace: door.workspace,
          idempotencyKey,
          agentId: place.agentId,
          fetch: door.fetch,
          log: (message) => door.emit('log.line', { level: 'info', message }, place),
          output: (chunk) => door.emit('tool.output', { stream: 'stdout', chunk }, place),
        }),
      )
      const whole = toContent(await abortable(work, signal))
      const cut = cutContent(whole, Math.min(tool.maxOutputBytes ?? door.toolOutputBytes, door.toolOutputBytes))
      const ref = cut.truncated ? { ref: await door.keep(Buffer.from(toText(whole))) } : {}
      return { ...blank(place), ok: true, ...cut, ...ref, trust: trustOf(tool), durationMs: elapsed(started) }
    } catch (thrown) {
      if (door.signal.aborted) throw door.signal.reason
      return {
        ...blank(place),
        error: toolError(tool, thrown).toInfo(),
        trust: trustOf(tool),
        durationMs: elapsed(started),
      }
    } finally {
      clearTimeout(timer)
      door.signal.removeEventListener('abort', stop)
    }
  }

  function finish(tool: Tool, answer: ToolAnswer, place: Place): ToolAnswer {
    const whole: ToolAnswer =
      answer.error === undefined
        ? answer
        : { ...answer, content: [{ type: 'text', text: `${answer.error.code}: ${answer.error.message}` }] }
    if (tool.risk === 'read' && whole.trust === 'trusted' && whole.ok) taint.readPrivate(place.agentId)
    if (whole.trust === 'untrusted') taint.readUntrusted(place.agentId, tool.id)
    const { ok, bytes, truncated, durationMs, trust, error, ref } = whole
    if (ok)
      door.emit(
        'tool.completed',
        {
          tool: tool.id,
          result: toText(whole.content),
          bytes,
          truncated,
          durationMs,
          trust,
          ...(ref === undefined ? {} : { ref }),
        },
        place,
      )
    else
      door.emit(
        error !== undefined && isDenial(error.code) ? 'tool.denied' : 'tool.failed',
        {
          tool: tool.id,
          error,
          ...(error !== undefined && isDenial(error.code) ? { rule: error.code, reason: error.message } : {}),
          durationMs,
        },
        place,
      )
    return whole
  }

  function fail(place: Place, error: SvcError): ToolAnswer {
    door.emit('tool.failed', { error: error.toInfo(), durationMs: 0 }, place)
    return refusal(place, error)
  }

  function deny(
    place: Place,
    decided: PolicyAnswer,
    code: 'policy_denied' | 'approval_required' | 'approval_denied' | 'approval_expired' = 'policy_denied',
  ): ToolAnswer {
    const error = new PolicyError(code, decided.reason)
    door.emit('tool.denied', { rule: decided.rule, reason: decided.reason, error: error.toInfo() }, place)
    return refusal(place, error)
  }

  function unknownTool(id: string): ToolError {
    const ids = door.run.tools.map((tool) => tool.id)
    const guess = nearest(id, ids)
    const hint = ids.length === 0 ? 'this run has no tools' : `use one of ${ids.join(', ')}`
    return new ToolError(
      'tool_not_found',
      `there is no tool "${id}"${guess === undefined ? '' : ` (did you mean "${guess}"?)`}: ${hint}`,
    )
  }

  return async ({ key, agentId, stepId, ...call }) => {
    door.signal.throwIfAborted()
    const place: Place = { agentId, ...(stepId === undefined ? {} : { stepId }), callId: call.callId }
    const tool = door.tools.get(call.tool)
    const sources = taint.reaching(agentId)
    door.emit(
      'tool.requested',
      {
        tool: call.tool,
        args: call.args,
        risk: tool?.risk ?? 'execute',
        source: door.tools.source(call.tool) ?? 'unknown',
        taint: sources,
      },
      place,
    )
    const answer = await refuseOrRun(tool, { ...call, agentId }, key, place, sources)
    const changed = door.hooks.toolResult.isUsed()
      ? await door.hooks.toolResult.promise(undefined, { call, answer }, door.run)
      : undefined
    door.signal.throwIfAborted()
    return changed ?? answer
  }
}

const fingerprintOf = (tool: Tool, args: unknown): string => `${tool.id} ${digest(JSON.stringify(args))}`

const blank = (place: Place): ToolAnswer => ({
  callId: place.callId,
  ok: false,
  content: [],
  bytes: 0,
  truncated: false,
  trust: 'trusted',
  durationMs: 0,
})

const refusal = (place: Place, error: SvcError): ToolAnswer => ({
  ...blank(place),
  content: [{ type: 'text', text: `${error.code}: ${error.message}` }],
  error: error.toInfo(),
})

const badArguments = (tool: Tool, errors: readonly { path: string; message: string }[]): ToolError =>
  new ToolError(
    'tool_bad_args',
    `${tool.id}: ${errors.map(({ path, message }) => `${path || 'arguments'} ${message}`).join('; ')}`,
  )

/** Codes under which a tool itself may refuse: the file outside the root, the blocked address. */
const isDenial = (code: string): boolean =>
  code === 'path_outside_root' || code === 'ssrf_blocked' || code === 'policy_denied'

function toolError(tool: Tool, thrown: unknown): SvcError {
  if (SvcError.isInstance(thrown)) return thrown
  return new ToolError('tool_failed', `${tool.id} failed: ${toSvcError(thrown).message}`, { cause: thrown })
}

const trustOf = (tool: Tool): ToolAnswer['trust'] => (tool.untrusted === true ? 'untrusted' : 'trusted')

const elapsed = (started: number): number => Math.round(performance.now() - started)

const wordFor = (risk: Tool['risk']): string =>
  ({
    read: 'read',
    write: 'write',
    network: 'use the network',
    execute: 'run programs',
    destructive: 'destroy things',
  })[risk]

function stricter(byPolicy: PolicyAnswer, tightened: ToolDecision | undefined): PolicyAnswer {
  if (tightened === undefined || tightened.decision === 'allow' || byPolicy.decision === 'deny') return byPolicy
  if (tightened.decision === 'ask' && byPolicy.decision === 'ask') return byPolicy
  return {
    decision: tightened.decision,
    rule: 'plugin',
    reason: tightened.reason ?? `a plugin says ${tightened.decision}`,
  }
}
