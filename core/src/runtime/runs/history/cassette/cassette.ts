import type { ErrorInfo } from '../../../../contracts/error-info.ts'
import type { Cassette, RecordedOutcome, RecordedToolCall, RequestContent } from '../../../../contracts/log/cassette.ts'
import type { EventOf, RunEvent } from '../../../../contracts/log/event.ts'
import type { StepRow } from '../../../../contracts/log/journal.ts'
import { lazyPromptsOf } from '../../../../contracts/log/prompt-of.ts'
import type { ModelAnswer } from '../../../../contracts/model/model.ts'
import { modelCallId } from '../../../calls/model/model-call.ts'
import { hashTools, isSameContent, withoutIds } from '../../../calls/model/request-content.ts'
import { isToolAnswer } from '../../../journal/tool-answer.ts'
import type { RunFile } from '../run-file.ts'
import { explainMiss, type RecordedModelCall } from './explain-miss.ts'
import { Turns } from './turns.ts'

/** How a recording is used: `strict` makes no call at all, `fill` makes those that it does not hold. */
export type CassetteMode = 'strict' | 'fill'

interface KeptToolCall extends RecordedToolCall {
  tool: string
  asked: unknown
  /** Agent and call id. */
  name: string
}

/** How far a recording has served. */
export interface CassetteReport {
  /** Model calls that were answered from it. */
  hits: number
  /** Model calls that it does not hold. */
  misses: { site: string; why: string }[]
}

/**
 * The calls of one recorded run, which another run is answered from, each handed out once.
 *
 * A call is the same where it is made at the same place of the run, of the same model, with the same messages, parameters and
 * descriptions of tools. Ids of runs and of tool calls in messages do not count.
 */
export class RunCassette implements Cassette {
  readonly recording: RunFile
  readonly isStrict: boolean
  readonly isUntrusted: boolean
  readonly steps: readonly StepRow[]
  readonly ending: ErrorInfo | undefined
  readonly report: CassetteReport = { hits: 0, misses: [] }
  /** By the id that the call had in the recorded run. */
  readonly #models: ReadonlyMap<string, RecordedModelCall>
  /** By call site. */
  readonly #tools: ReadonlyMap<string, KeptToolCall>
  readonly #times: ReadonlyMap<string, number>
  /** In the order of the recording. */
  readonly #turns: Turns
  #time: number

  /** @param isUntrusted whether runs that it answers count as resting on something untrusted */
  constructor(recording: RunFile, mode: CassetteMode, isUntrusted = false) {
    const { row, events, steps } = recording
    this.recording = recording
    this.isStrict = mode === 'strict'
    this.isUntrusted = isUntrusted
    this.ending = row.error
    const done = steps.filter(({ state }) => state === 'done')
    this.#models = toModelCalls(recording)
    const others = done.filter(
      ({ key, outcome }) => !this.#models.has(modelCallId(row.id, key)) && !isToolAnswer(outcome),
    )
    // A run of its own remembers, asks and has a thread for itself.
    this.steps = this.isStrict ? others.map((step) => ({ ...step, seq: 0 })) : []
    this.#tools = toToolCalls(done, events)
    const times = done.map(({ key, time }) => [this.#tools.get(siteOf(key))?.name ?? key, time] as const)
    this.#times = new Map(times)
    const made = new Set([...this.#tools.values()].map(({ name }) => name))
    this.#turns = new Turns(inOrder(events, made))
    this.#time = Date.parse(row.startedAt ?? row.createdAt)
  }

  /** The recorded time: that of the newest call that was handed out, in milliseconds since the epoch. */
  readonly clock = (): number => this.#time

  modelCall(site: string, content: RequestContent): RecordedOutcome[] | string {
    const call = this.#models.get(modelCallId(this.recording.row.id, site))
    // Where the recording does not say what was sent, the place alone decides.
    if (call !== undefined && (call.content === undefined || isSameContent(call.content(), content))) {
      this.report.hits++
      return call.outcomes.splice(0)
    }
    const why = explainMiss(site, content, call, [...this.#models.values()])
    this.report.misses.push({ site, why })
    return why
  }

  toolCall(site: string, { tool, args }: { tool: string; args: unknown }): RecordedToolCall | undefined {
    const call = this.#tools.get(site)
    if (call === undefined || call.tool !== tool) return undefined
    const isSame = [call.asked, call.answer.args].some((known) => JSON.stringify(known) === JSON.stringify(args))
    if (!isSame) return undefined
    return call
  }

  inTurn(call: string, what: 'begin' | 'end'): undefined | Promise<void> {
    if (!this.isStrict) return undefined
    const callId = modelCallId(this.recording.row.id, call)
    const turn = this.#turns.wait(`${what} ${this.#models.has(callId) ? callId : call}`)
    return what === 'end' ? turn.then(() => this.#tick(call)) : turn
  }

  #tick(call: string): void {
    this.#time = Math.max(this.#time, this.#times.get(call) ?? 0)
  }
}

/** What each recorded call began and ended as, in order; of a tool call that was not made there is no end to wait for. */
function inOrder(events: readonly RunEvent[], made: ReadonlySet<string>): string[] {
  return events.flatMap(({ type, agentId, callId }) => {
    const turn = TURNS[type]
    const name = type.startsWith('tool.') ? `${agentId} ${callId}` : `${callId}`
    const isOpen = turn === 'end' && type.startsWith('tool.') && !made.has(name)
    return turn === undefined || isOpen ? [] : `${turn} ${name}`
  })
}

const TURNS: Partial<Record<RunEvent['type'], 'begin' | 'end'>> = {
  'model.started': 'begin',
  'model.completed': 'end',
  'model.failed': 'end',
  'tool.requested': 'begin',
  'tool.completed': 'end',
  'tool.failed': 'end',
}

/** A call that was made again at a person's word is still that call. */
const siteOf = (key: string): string => key.replace(/\/retry-\d+$/, '')

function toModelCalls({ row, events, steps, lock }: RunFile): Map<string, RecordedModelCall> {
  const prompts = lazyPromptsOf(events)
  const tools = new Map(lock?.tools.map((tool) => [tool.id, tool]))
  const calls = new Map<string, RecordedModelCall>()
  for (const { type, callId = '', data } of events) {
    if (type === 'model.started') {
      const prompt = prompts.get(callId)
      if (calls.has(callId) || prompt === undefined) continue
      const { provider, model, params } = data
      const hashes = hashTools(params.tools ?? [], (id) => tools.get(id))
      const rest = { provider, model, params, tools: hashes }
      calls.set(callId, { content: () => ({ ...rest, messages: withoutIds(prompt()) }), site: undefined, outcomes: [] })
    }
  }
  for (const event of events) {
    if (event.type !== 'model.retrying' && event.type !== 'model.adapted' && event.type !== 'model.failed') continue
    calls.get(event.callId ?? '')?.outcomes.push(event)
  }
  for (const { key, state, outcome } of steps) {
    if (state !== 'done' || !isModelAnswer(outcome)) continue
    const callId = modelCallId(row.id, key)
    const call = calls.get(callId) ?? { site: key, outcomes: [] }
    call.site = key
    call.outcomes.push({ type: 'answer', answer: outcome })
    calls.set(callId, call)
  }
  return calls
}

function toToolCalls(done: readonly StepRow[], events: readonly RunEvent[]): Map<string, KeptToolCall> {
  const calls = new Map<string, KeptToolCall>()
  const requests = new Map<string, EventOf<'tool.requested'>[]>()
  const starts = new Map<string, EventOf<'tool.started'>>()
  /** What a call was made with, where that is not what was asked for. */
  const changed = new Map<string, unknown>()
  for (const event of events) {
    const { callId = '', agentId } = event
    if (event.type === 'tool.requested') requests.set(callId, [...(requests.get(callId) ?? []), event])
    if (event.type === 'tool.started') starts.set(`${agentId} ${callId}`, event)
    if (event.type === 'tool.completed' || event.type === 'tool.failed')
      changed.set(`${agentId} ${callId}`, event.data.args)
  }
  for (const { key, outcome, seq } of done) {
    if (!isToolAnswer(outcome)) continue
    const all = requests.get(outcome.callId) ?? []
    // Two agents may have a call of one id each; the key mostly says whose it is, and the log which came before.
    const named = all.filter((event) => key.includes(`agent:${event.agentId}/`))
    const own = named.length === 0 ? all : named
    // What was taken over from another run was recorded before anything of this one.
    const requested = own.findLast((event) => (event.seq ?? 0) <= seq) ?? own[0]
    if (requested === undefined) continue
    const { tool, args: asked } = requested.data
    const whose = `${requested.agentId} ${outcome.callId}`
    const started = starts.get(whose)?.data
    const args = changed.get(whose)
    calls.set(siteOf(key), {
      tool,
      asked,
      name: whose,
      answer: args === undefined ? outcome : { ...outcome, args },
      started: started ?? { tool, sandbox: 'none', idempotencyKey: '' },
    })
  }
  return calls
}

const isModelAnswer = (outcome: unknown): outcome is ModelAnswer =>
  typeof outcome === 'object' && outcome !== null && 'finishReason' in outcome && 'toolCalls' in outcome
