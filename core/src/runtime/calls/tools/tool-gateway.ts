import type { RecordedToolCall } from '../../../contracts/log/cassette.ts'
import type { StepEffect } from '../../../contracts/log/journal.ts'
import type { ToolCall } from '../../../contracts/model/message.ts'
import { taints } from '../../../contracts/tool/taints.ts'
import type { Tool, ToolAnswer } from '../../../contracts/tool/tool.ts'
import { PolicyError, type SvcError, ToolError } from '../../../errors.ts'
import { describeMedia, mediaOf, toFullText } from '../../../text/media.ts'
import { nearest } from '../../../text/nearest.ts'
import { type CallContext, type CallSite, callSite } from '../call-context.ts'
import { endUnrecorded } from '../end-unrecorded.ts'
import { TaintLog } from '../policy/taint.ts'
import { Permission } from './permission.ts'
import { runTool, type ToolCallGrant } from './run-tool.ts'
import { checkArguments } from './tool-arguments.ts'
import { cutContent, toContent } from './tool-content.ts'

/** A call with whose it is, and under which key it is recorded. */
export type KeyedCall = ToolCall & { key: string; agentId: string; stepId?: string; own?: Tool }

/** How a call is made that may be made. */
interface Performance extends ToolCallGrant {
  /** The arguments that the model asked for. */
  wanted: unknown
}

/**
 * The only way to a tool.
 *
 * Layers, outermost first: arguments, call hooks, policy, people, journal, time-out, tool. What a tool or the policy
 * did is in the answer; only the end of the run throws.
 */
export class ToolGateway {
  readonly #run: CallContext
  readonly #taint: TaintLog
  readonly #permission: Permission

  constructor(run: CallContext) {
    this.#run = run
    const earlier = run.facts.isThreadTainted ? ['an earlier answer of the thread'] : []
    const untrusted = (): string[] => [
      ...earlier,
      ...run.context.recalled.filter(taints).map(({ id }) => `memory ${id}`),
    ]
    this.#taint = new TaintLog(untrusted, (run.facts.options.files ?? []).length > 0)
    this.#permission = new Permission(run, this.#taint)
  }

  async call({ key, agentId, stepId, own, ...call }: KeyedCall): Promise<ToolAnswer> {
    const run = this.#run
    run.stop.throwIfStopped()
    await run.env.cassette?.inTurn(`${agentId} ${call.callId}`, 'begin')
    const site = callSite(agentId, call.callId, stepId)
    const tool = own ?? run.env.tools.get(call.tool)
    const taint = this.#taint.reaching(agentId)
    const { tool: id, args } = call
    const source = own === undefined ? (run.env.tools.source(id) ?? 'unknown') : 'builtin'
    run.recorder.emit('tool.requested', { tool: id, args, risk: tool?.risk ?? 'execute', source, taint }, site)
    const answer =
      tool === undefined
        ? this.#fail(site, this.#unknownTool(id))
        : await this.#refuseOrRun(tool, { ...call, agentId }, key, site, taint)
    const { hooks } = run.env
    const changed = hooks.hooks.toolResult.isUsed()
      ? await hooks.ask('toolResult', { call, answer }, run.context)
      : undefined
    run.stop.throwIfStopped()
    return changed ?? answer
  }

  async #refuseOrRun(
    tool: Tool,
    call: ToolCall & { agentId: string },
    key: string,
    site: CallSite,
    taint: string[],
  ): Promise<ToolAnswer> {
    const checked = await checkArguments(tool, call.args)
    if (checked.errors !== undefined) return this.#fail(site, badArguments(tool, checked.errors))
    const tightened = await this.#permission.tighten(tool, { ...call, args: checked.args }, taint)
    const asked = tightened?.args ?? checked.args
    if (tightened?.args !== undefined) {
      const again = await checkArguments(tool, asked)
      if (again.errors !== undefined) return this.#fail(site, badArguments(tool, again.errors))
    }
    if (this.#run.env.cassette?.isStrict === true && tightened?.decision !== 'deny') {
      // What was allowed then is not asked about again: what it rested on may not be here.
      const recorded = this.#run.env.cassette.toolCall(key, { tool: tool.id, args: asked })
      if (recorded !== undefined) return this.#playBack(tool, key, recorded, site)
    }
    const permit = await this.#permission.permit({ tool, args: asked, key, site, taint, tightened }).catch(asToolError)
    if (permit instanceof ToolError) return this.#fail(site, permit)
    if (permit.denial !== undefined) {
      const { code, ...denied } = permit.denial
      const error = new PolicyError(code, denied.reason)
      this.#run.recorder.emit('tool.denied', { tool: tool.id, ...denied, error: error.toInfo() }, site)
      return refusal(site, error)
    }
    const { isApproved, touching, confinement } = permit
    const how = { key, site, isApproved, touching, confinement, wanted: call.args }
    // What was approved in another life of the run is equal and not the same; checking it again would transform it again.
    const isAsked = permit.args === asked || JSON.stringify(permit.args) === JSON.stringify(asked)
    if (isAsked) return this.#perform(tool, asked, how)
    const edited = await checkArguments(tool, permit.args)
    if (edited.errors !== undefined) return this.#fail(site, badArguments(tool, edited.errors))
    return this.#perform(tool, edited.args, how)
  }

  async #playBack(tool: Tool, key: string, { answer, started }: RecordedToolCall, site: CallSite): Promise<ToolAnswer> {
    const run = this.#run
    run.recorder.emit('tool.started', started, site)
    await run.env.cassette?.inTurn(`${site.agentId} ${site.callId}`, 'end')
    const recorded = await run.recorder.journal.step(key, 'pure', async () => answer)
    return this.#finish(tool, recorded, site)
  }

  async #perform(tool: Tool, args: unknown, how: Performance): Promise<ToolAnswer> {
    const run = this.#run
    const { key, site, wanted } = how
    const changed = args === wanted || JSON.stringify(args) === JSON.stringify(wanted ?? {}) ? {} : { args }
    run.stop.throwIfStopped() // hooks and people take their time
    const effect: StepEffect = tool.risk === 'read' ? 'pure' : tool.idempotent === true ? 'idempotent' : 'once'
    let recorded = key
    // A crash, or a store that failed, may have left it unknown whether the tool acted, also while it was tried again at a person's word.
    for (let asked = 1; effect === 'once' && run.recorder.journal.stateOf(recorded) === 'begun'; asked++) {
      const settled = await this.#askWhatHappened(tool, args, `${key}/indeterminate-${asked}`, site)
      if (settled !== 'retry') return this.#finish(tool, { ...settled, ...changed }, site)
      recorded = `${key}/retry-${asked}`
    }
    const { cassette } = run.env
    if (cassette?.isStrict === true) {
      const what = `the recording holds no such call of ${tool.id} (${site.callId}), or no end of it`
      throw endUnrecorded(run, cassette, what)
    }
    // A call that changes something is made: later ones may look at what it changed.
    const isReading = tool.risk === 'read' || tool.risk === 'network'
    const kept = isReading ? cassette?.toolCall(key, { tool: tool.id, args }) : undefined
    if (kept !== undefined) return this.#playBack(tool, key, kept, site)
    const answer = await run.recorder.journal.step(recorded, effect, () => runTool(run, tool, args, how))
    return this.#finish(tool, { ...answer, ...changed }, site)
  }

  /** A person says whether to try again, to skip the call, or what came of it. */
  async #askWhatHappened(tool: Tool, args: unknown, key: string, site: CallSite): Promise<ToolAnswer | 'retry'> {
    const asked = JSON.stringify(args).slice(0, 1_000)
    const prompt = `It is unknown whether ${tool.id} was run (${site.callId}), with ${asked}: its outcome was not recorded. Choose retry, skip, or result.`
    const schema = {
      type: 'object',
      required: ['callId', 'choice'],
      properties: { callId: { const: site.callId }, choice: { enum: ['retry', 'skip', 'result'] }, result: {} },
    }
    const resolution = await this.#run.control.questions.askInput(
      { kind: 'input', prompt, schema },
      key,
      'indeterminate_tool',
    )
    const value =
      resolution.kind === 'input' ? (resolution.value as { choice?: string; result?: unknown } | null) : null
    if (value?.choice === 'retry') return 'retry'
    if (value?.choice === 'result') {
      return { ...blank(site), ok: true, ...cutContent(toContent(value.result), this.#run.env.toolOutputBytes) }
    }
    const why = `${tool.id} was skipped: it is unknown whether it ran, as its outcome was not recorded`
    return { ...blank(site), error: new ToolError('tool_failed', why).toInfo() }
  }

  #finish(tool: Tool, answer: ToolAnswer, site: CallSite): ToolAnswer {
    const run = this.#run
    const { ok, bytes, truncated, durationMs, trust, error, ref, args } = answer
    const changed = args === undefined ? {} : { args }
    const isReading = tool.risk === 'read' || tool.confinement !== undefined
    if (isReading && trust === 'trusted' && ok) this.#taint.readPrivate(site.agentId)
    if (trust === 'untrusted') this.#taint.readUntrusted(site.agentId, tool.id)
    if (error === undefined) {
      const media = mediaOf(answer.content).map(describeMedia)
      const result = toFullText(answer.content)
      const seen = media.length === 0 ? {} : { media }
      const data = { tool: tool.id, result, ...seen, bytes, truncated, durationMs, trust, ...changed }
      run.recorder.emit('tool.completed', ref === undefined ? data : { ...data, ref }, site)
      return answer
    }
    if (isDenial(error.code)) {
      const { code: rule, message: reason } = error
      run.recorder.emit('tool.denied', { tool: tool.id, rule, reason, by: 'rule', error, durationMs }, site)
    } else run.recorder.emit('tool.failed', { tool: tool.id, error, durationMs, trust, ...changed }, site)
    return { ...answer, content: [{ type: 'text', text: `${error.code}: ${error.message}` }] }
  }

  #fail(site: CallSite, error: SvcError): ToolAnswer {
    this.#run.recorder.emit('tool.failed', { error: error.toInfo(), durationMs: 0 }, site)
    return refusal(site, error)
  }

  #unknownTool(id: string): ToolError {
    const ids = this.#run.facts.tools.map((tool) => tool.id)
    const guess = nearest(id, ids)
    const hint = ids.length === 0 ? 'this run has no tools' : `use one of ${ids.join(', ')}`
    return new ToolError(
      'tool_not_found',
      `there is no tool "${id}"${guess === undefined ? '' : ` (did you mean "${guess}"?)`}: ${hint}`,
    )
  }
}

const blank = ({ callId }: CallSite): ToolAnswer => ({
  callId,
  ok: false,
  content: [],
  bytes: 0,
  truncated: false,
  trust: 'trusted',
  durationMs: 0,
})

const refusal = (site: CallSite, error: SvcError): ToolAnswer => ({
  ...blank(site),
  content: [{ type: 'text', text: `${error.code}: ${error.message}` }],
  error: error.toInfo(),
})

const badArguments = (tool: Tool, errors: readonly { path: string; message: string }[]): ToolError =>
  new ToolError(
    'tool_bad_args',
    `${tool.id}: ${errors.map(({ path, message }) => `${path || 'arguments'} ${message}`).join('; ')}`,
  )

/** What a tool failed with before it was known whether it may be called. @throws anything else */
function asToolError(thrown: unknown): ToolError {
  if (thrown instanceof ToolError) return thrown
  throw thrown
}

/** Codes under which a tool itself may refuse: the file outside the root, the blocked address, what a rule closes. */
const isDenial = (code: string): boolean =>
  code === 'path_outside_root' || code === 'ssrf_blocked' || code === 'policy_denied' || code === 'approval_required'
