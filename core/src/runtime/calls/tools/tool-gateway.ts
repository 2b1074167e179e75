import type { RecordedToolCall } from '../../../contracts/log/cassette.ts'
import type { OpenStep, StepEffect, StepRow } from '../../../contracts/log/journal.ts'
import type { ToolCall } from '../../../contracts/model/message.ts'
import { taints } from '../../../contracts/tool/taints.ts'
import type { Tool, ToolAnswer } from '../../../contracts/tool/tool.ts'
import { PolicyError, type SvcError, ToolError } from '../../../errors.ts'
import { describeMedia, mediaOf, toFullText } from '../../../text/media/media.ts'
import { nearest } from '../../../text/nearest.ts'
import { requestMark } from '../../journal/keyed-journal.ts'
import { type CallContext, type CallSite, callSite } from '../call-context.ts'
import { endUnrecorded } from '../end-unrecorded.ts'
import { isUntrusted, type ReadByCall, TaintLog } from '../policy/taint.ts'
import { callClient } from './client-tools.ts'
import { Permission, rulesIn } from './permission.ts'
import { askKey, runTool, type ToolCallGrant } from './run-tool.ts'
import { hasReadUntrusted, touchesAny } from './taint-flow.ts'
import { type Arguments, readArguments } from './tool-arguments.ts'
import { cutContent, toContent } from './tool-content.ts'

/** Where a tool comes from, in the log, that no plugin has: the agent that calls it brings it along. */
export const OWN_TOOL = 'builtin'

/** What untrusted content reaches a call that may read or run any file. */
const FILES = 'files that a tainted agent wrote'
const BEFORE = 'what the run has read before'

/** A call with whose it is, and under which key it is recorded. */
export type KeyedCall = ToolCall & { key: string; agentId: string; stepId?: string; own?: Tool }

/** A call on its way through the gateway. */
interface OpenCall extends ToolCall {
  key: string
  site: CallSite
  taint: string[]
  /** What is asked for, as its record is known by. */
  mark: string
  /** Under which it is recorded: a person may have said that it is to be tried again. */
  recordedAs: string
}

/**
 * The only way to a tool.
 *
 * Layers, outermost first: journal, arguments, call hooks, policy, people, time-out, tool. What was done, or is in doubt,
 * is so whatever the policy says now. What a tool or the policy did is in the answer; only the end of the run throws.
 */
export class ToolGateway {
  readonly #run: CallContext
  readonly #taint: TaintLog
  readonly #permission: Permission
  readonly #hasRead: boolean

  /** @param steps what is recorded of the run, and of the one that it goes on from */
  constructor(run: CallContext, steps: readonly StepRow[]) {
    this.#run = run
    this.#hasRead = hasReadUntrusted(steps)
    const untrusted = (): string[] => [
      ...run.facts.taint,
      ...run.context.recalled.filter(taints).map(({ id }) => `memory ${id}`),
    ]
    const isPrivate = [run.facts.options, ...run.context.thread].some(({ files = [] }) => files.length > 0)
    this.#taint = new TaintLog(untrusted, isPrivate)
    this.#permission = new Permission(run, this.#taint, rulesIn(steps))
    run.context.onEvent((event) => this.#taint.follow(event, run.recorder.view))
  }

  async call({ key, agentId, stepId, own, ...call }: KeyedCall): Promise<ToolAnswer> {
    const run = this.#run
    run.stop.throwIfStopped()
    await run.env.cassette?.inTurn(`${agentId} ${call.callId}`, 'begin')
    const site = callSite(agentId, call.callId, stepId)
    const ofClient = run.facts.clientTools.get(call.tool)
    const tool = own ?? ofClient ?? run.env.tools.get(call.tool)
    const taint = this.#taint.reaching(agentId)
    if (taint.length === 0 && run.recorder.journal.stateOf(key) !== 'done') taint.push(...this.#taintFromBefore(tool))
    const { tool: id, args } = call
    const source = own !== undefined ? OWN_TOOL : ofClient !== undefined ? 'client' : run.env.tools.source(id)
    run.recorder.emit(
      'tool.requested',
      { tool: id, args, risk: tool?.risk ?? 'execute', source: source ?? 'unknown', taint },
      site,
    )
    const known = await this.#findRecorded(tool, {
      ...call,
      key,
      site,
      taint,
      mark: requestMark(id, args),
      recordedAs: key,
    })
    const answer =
      'ok' in known
        ? known
        : tool === undefined
          ? this.#fail(site, this.#unknownTool(id))
          : await this.#refuseOrRun(tool, known)
    const { hooks } = run.env
    const changed = hooks.isUsed('toolResult')
      ? await hooks.ask('toolResult', { call, answer }, run.context)
      : undefined
    run.stop.throwIfStopped()
    return changed ?? answer
  }

  /** What reaches a call from other lives and runs: agents come to their records each in its own time. */
  #taintFromBefore(tool: Tool | undefined): string[] {
    if (this.#hasRead) return [BEFORE]
    return tool !== undefined && touchesAny(tool) && this.#run.taintedFiles.hasAny ? [FILES] : []
  }

  /** @returns what came of the call in an earlier life of the run, by its record or a person's word; else the call to make */
  async #findRecorded(tool: Tool | undefined, call: OpenCall): Promise<ToolAnswer | OpenCall> {
    const { journal } = this.#run.recorder
    const { key } = call
    const said = this.#permission.recall(call.tool, key)
    const args = said?.kind === 'approval' ? said.args : call.args
    let recordedAs = key
    // A crash, or a store that failed, may have left it unknown whether the tool acted, also while it was tried again at a person's word.
    for (let asked = 1; journal.stateOf(recordedAs, call.mark) === 'inDoubt'; asked++) {
      this.#withdrawQuestions(recordedAs, call.site)
      const settled = await this.#askWhatHappened(call, args, asked)
      if (settled !== 'retry') return this.#finish(call, settled, tool)
      recordedAs = `${key}/retry-${asked}`
    }
    if (journal.stateOf(recordedAs) !== 'done') return { ...call, recordedAs }
    const step = await journal.begin<ToolAnswer>(recordedAs, 'pure', call.mark)
    return step.isDone ? this.#finish(call, step.outcome, tool) : { ...call, recordedAs }
  }

  /** Nobody hears an answer to what a call asked that is gone. */
  #withdrawQuestions(key: string, site: CallSite): void {
    const { journal } = this.#run.recorder
    const { questions } = this.#run.control
    for (let count = 1; journal.stateOf(askKey(key, count)) !== 'new'; count++)
      questions.withdraw(askKey(key, count), site)
  }

  async #refuseOrRun(tool: Tool, call: OpenCall): Promise<ToolAnswer> {
    const { key, site, taint } = call
    const checked = await readArguments(tool, call.args).catch(asToolError)
    if (checked instanceof ToolError) return this.#fail(site, checked)
    const { agentId } = site
    const { callId } = call
    const wanted = { callId, tool: tool.id, agentId, args: checked.args }
    const tightened = await this.#permission.tighten(tool, wanted, taint)
    const again =
      tightened?.args === undefined ? undefined : await readArguments(tool, tightened.args).catch(asToolError)
    if (again instanceof ToolError) return this.#fail(site, again)
    const asked: Arguments = tightened?.args === undefined ? checked : { args: tightened.args, shown: tightened.args }
    if (this.#run.env.cassette?.isStrict === true && tightened?.decision !== 'deny') {
      // What was allowed then is not asked about again: what it rested on may not be here.
      const recorded = this.#run.env.cassette.toolCall(key, { tool: tool.id, args: asked.shown })
      if (recorded !== undefined) return this.#playBack(tool, call, recorded)
    }
    const permit = await this.#permission.permit({ tool, ...asked, key, site, taint, tightened }).catch(asToolError)
    if (permit instanceof ToolError) return this.#fail(site, permit)
    if (permit.denial !== undefined) {
      // It was begun when it was allowed, and could be made again without a question if it still were.
      const settled =
        this.#run.recorder.journal.stateOf(call.recordedAs) === 'begun' &&
        (await this.#askWhatHappened(call, asked.shown, 1))
      if (typeof settled === 'object') return this.#finish(call, settled, tool)
      const { code, ...denied } = permit.denial
      const error = new PolicyError(code, denied.reason)
      this.#run.recorder.emit('tool.denied', { tool: tool.id, ...denied, error: error.toInfo() }, site)
      return refusal(site, error)
    }
    const { isApproved, touching, confinement } = permit
    const isTainted = this.#taint.own(agentId).length > 0
    const how = { key, recordedAs: call.recordedAs, site, isApproved, touching, confinement, isTainted }
    return this.#perform(tool, permit, call, how)
  }

  async #playBack(tool: Tool, call: OpenCall, { answer, started }: RecordedToolCall): Promise<ToolAnswer> {
    const run = this.#run
    const { key, site } = call
    run.recorder.emit('tool.started', started, site)
    await run.env.cassette?.inTurn(`${site.agentId} ${site.callId}`, 'end')
    // A model that was asked anew has given its call an id of its own.
    const own = async (): Promise<ToolAnswer> => ({ ...answer, callId: call.callId })
    const recorded = await run.recorder.journal.step(key, 'pure', own, call.mark)
    return this.#finish(call, recorded, tool)
  }

  async #perform(tool: Tool, { args, shown }: Arguments, call: OpenCall, how: ToolCallGrant): Promise<ToolAnswer> {
    const run = this.#run
    const { site, recordedAs } = call
    const changed = isSame(shown, call.args ?? {}) ? {} : { args: shown }
    run.stop.throwIfStopped() // hooks and people take their time
    const effect: StepEffect = tool.risk === 'read' ? 'pure' : tool.idempotent === true ? 'idempotent' : 'once'
    const { cassette } = run.env
    if (cassette?.isStrict === true) {
      const what = `the recording holds no such call of ${tool.id} (${site.callId}), or no end of it`
      throw endUnrecorded(run, cassette, what)
    }
    // A call that changes something is made: later ones may look at what it changed.
    const isReading = tool.risk === 'read' || tool.risk === 'network'
    const kept = isReading ? cassette?.toolCall(call.key, { tool: tool.id, args: shown }) : undefined
    if (kept !== undefined) return this.#playBack(tool, call, kept)
    const act = async (step: OpenStep): Promise<ToolAnswer> => ({
      ...(await (run.facts.clientTools.get(tool.id) === tool
        ? callClient(run, tool, args, how)
        : runTool(run, tool, args, { ...how, step }))),
      ...changed,
    })
    return this.#finish(call, await run.recorder.journal.step(recordedAs, effect, act, call.mark), tool)
  }

  /** A person says whether to try again, to skip the call, or what came of it. */
  async #askWhatHappened(call: OpenCall, args: unknown, asked: number): Promise<ToolAnswer | 'retry'> {
    const { tool, key, site } = call
    const shown = JSON.stringify(args ?? {}).slice(0, 1_000)
    const prompt = `It is unknown whether ${tool} was run (${site.callId}), with ${shown}: its outcome was not recorded. Choose retry, skip, or result.`
    const schema = {
      type: 'object',
      required: ['callId', 'choice'],
      properties: { callId: { const: site.callId }, choice: { enum: ['retry', 'skip', 'result'] }, result: {} },
    }
    const resolution = await this.#run.control.questions.askInput(
      { kind: 'input', prompt, schema },
      `${key}/indeterminate-${asked}`,
      'indeterminate_tool',
    )
    const value =
      resolution.kind === 'input' ? (resolution.value as { choice?: string; result?: unknown } | null) : null
    if (value?.choice === 'retry') return 'retry'
    const answer = { ...blank(site), ...(!isSame(args, call.args) && { args }) }
    if (value?.choice === 'result') {
      return { ...answer, ok: true, ...cutContent(toContent(value.result), this.#run.env.toolOutputBytes) }
    }
    const why = `${tool} was skipped: it is unknown whether it ran, as its outcome was not recorded`
    return { ...answer, error: new ToolError('tool_failed', why).toInfo() }
  }

  /** @param tool undefined where it is not here any more */
  #finish({ tool: id, site }: OpenCall, answer: ToolAnswer, tool: Tool | undefined): ToolAnswer {
    const run = this.#run
    const { bytes, truncated, durationMs, trust, tainted, error, ref, args } = answer
    const changed = { ...(tainted && { tainted }), ...(args !== undefined && { args }) }
    this.#noteRead(tool ?? { id, risk: 'read' }, site.agentId, answer)
    if (error === undefined) {
      const media = mediaOf(answer.content).map(describeMedia)
      const result = toFullText(answer.content)
      const seen = media.length === 0 ? {} : { media }
      const data = { tool: id, result, ...seen, bytes, truncated, durationMs, trust, ...changed }
      run.recorder.emit('tool.completed', ref === undefined ? data : { ...data, ref }, site)
      return answer
    }
    if (isDenial(error.code)) {
      const { code: rule, message: reason } = error
      run.recorder.emit('tool.denied', { tool: id, rule, reason, by: 'rule', error, durationMs }, site)
    } else run.recorder.emit('tool.failed', { tool: id, error, durationMs, trust, ...changed }, site)
    return { ...answer, content: [{ type: 'text', text: `${error.code}: ${error.message}` }] }
  }

  /** Takes over what an agent has read by a call that is not made again. */
  noteRead(agentId: string, { tool = '', ...read }: ReadByCall & { tool?: string }): void {
    this.#noteRead(this.#run.env.tools.get(tool) ?? { id: tool, risk: 'read' }, agentId, read)
  }

  #noteRead(
    { id, risk, confinement }: Pick<Tool, 'id' | 'risk' | 'confinement'>,
    agentId: string,
    read: ReadByCall,
  ): void {
    const isReading = risk === 'read' || confinement !== undefined
    if (isReading && read.trust === 'trusted' && read.ok) this.#taint.readPrivate(agentId)
    if (isUntrusted(read)) this.#taint.readUntrusted(agentId, id)
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

const isSame = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other)

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

/** What a tool failed with before it was known whether it may be called. @throws anything else */
function asToolError(thrown: unknown): ToolError {
  if (thrown instanceof ToolError) return thrown
  throw thrown
}

/** Codes under which a tool itself may refuse: the file outside the root, the blocked address, what a rule closes. */
const isDenial = (code: string): boolean =>
  code === 'path_outside_root' || code === 'ssrf_blocked' || code === 'policy_denied' || code === 'approval_required'
