import type { RecordedOutcome, RequestContent } from '../../../contracts/log/cassette.ts'
import type { ModelAnswer, ModelInfo, ModelRequest } from '../../../contracts/model/model.ts'
import type { Reserve, Usage } from '../../../contracts/model/usage.ts'
import { addUsage } from '../../../contracts/model/usage-sum.ts'
import type { ProviderError } from '../../../errors.ts'
import { nameOf } from '../../../support/ids.ts'
import { PLAIN_OUTPUT_TOKENS, type Settled } from '../../budget/ledger.ts'
import type { TokenCorrection } from '../../budget/token-correction.ts'
import type { CallSite } from '../call-context.ts'
import { estimateOutput, estimateRequest, type RequestEstimates } from './estimate-request.ts'
import type { ResolvedModel } from './model-catalog.ts'
import type { ModelContext } from './model-context.ts'
import { toReadableRequest } from './readable-request.ts'
import { conversationMark, hashTools, paramsOf, toPrompt } from './request-content.ts'

/** The id of a model call: the same in every life of its run. */
export const modelCallId = (runId: string, key: string): string => `call_${nameOf(24, runId, key)}`

/** How requests are counted, over the calls of a run. */
export interface TokenCounts {
  correction: TokenCorrection
  estimates: RequestEstimates
}

/** A call of an agent, and the model that is asked at the moment. */
export class ModelCall {
  /** Under which it is recorded. */
  readonly key: string
  readonly site: CallSite
  /** What the agent asks, as its record is known by: hooks may change it. */
  readonly mark: string
  /** Writes down what the call may take. */
  note: (reserve: Reserve | undefined) => void = () => {}
  /** As asked for by the agent, then by hooks. */
  request: ModelRequest
  /** What is recorded of it and still to come, once it was found. */
  recorded: RecordedOutcome[] | undefined
  /** Whom it goes to: set by the layer that chooses the model, before those inside of it. */
  declare target: ResolvedModel
  /** The request as the model can read it. */
  declare readable: ModelRequest
  /** Images and files that it cannot. */
  unseen: readonly string[] = []
  /** Of what the model reads, by svc's own count. */
  inputTokens: number
  #requestTokens: number
  /** Of the same, as the model is expected to count. */
  estimatedInputTokens = 0
  /** Undefined where nobody knows how long an answer may get. */
  mostTokens: number | undefined
  /** The most that the next try may answer; undefined: no limit is sent. */
  maxOutputTokens: number | undefined
  /** What the model has answered so far in this try. */
  seen = ''
  /** Whether the newest try reached the provider: others are turned away before. */
  isSent = false
  /** What failed tries took. */
  lost: Usage | undefined
  lostUsd: number | null = 0
  startedMs = 0
  readonly #run: ModelContext
  readonly #correction: TokenCorrection
  readonly #estimates: RequestEstimates

  constructor(run: ModelContext, counts: TokenCounts, key: string, site: CallSite, request: ModelRequest) {
    this.#run = run
    this.#correction = counts.correction
    this.#estimates = counts.estimates
    this.key = key
    this.site = site
    this.mark = conversationMark(request.messages)
    this.request = request
    this.inputTokens = this.#requestTokens = counts.estimates.of(site.agentId, request)
  }

  change(request: ModelRequest): void {
    if (request === this.request) return
    this.request = request
    this.inputTokens = this.#requestTokens = this.#estimates.of(this.site.agentId, request)
  }

  /** Lets the layers inside ask this model. */
  aim(target: ResolvedModel): void {
    this.target = target
    this.lost = undefined
    this.lostUsd = 0
    this.startedMs = performance.now()
    this.prepare(target.info)
  }

  /** `provider/model`. */
  get modelName(): string {
    return `${this.target.provider.id}/${this.target.model}`
  }

  /** Never below svc's own count, which is what is charged at least: under-reporting buys nothing. */
  get reservedTokens(): number {
    return Math.max(this.inputTokens, this.estimatedInputTokens)
  }

  /** What a recording is searched for. */
  get content(): RequestContent {
    const { env } = this.#run
    const { provider, model } = this.target
    const asked = this.request
    const offered = new Map(asked.tools?.map((tool) => [tool.id, tool]))
    const params = paramsOf(asked)
    return {
      provider: provider.id,
      model,
      messages: toPrompt(this.readable.messages, env.redact),
      params,
      tools: hashTools(params.tools ?? [], (id) => (env.tools.get(id) === undefined ? undefined : offered.get(id))),
    }
  }

  /** Leaves out what the model cannot see, and measures what is left. */
  prepare(info: ModelInfo | undefined): void {
    const { request, unseen } = toReadableRequest(this.request, info)
    this.inputTokens = request === this.request ? this.#requestTokens : estimateRequest(request)
    this.readable = request
    this.unseen = unseen
    this.estimatedInputTokens = Math.ceil(this.inputTokens * this.#correction.factorOf(this.modelName))
    const most = Math.min(request.maxOutputTokens ?? Infinity, info?.maxOutput ?? Infinity)
    // Input and output share the window: servers refuse a limit that goes beyond it.
    const left = Math.max(PLAIN_OUTPUT_TOKENS, (info?.context ?? Infinity) - this.reservedTokens)
    this.mostTokens = Number.isFinite(most) ? Math.min(most, left) : undefined
  }

  /** By svc's own count, which an answer is charged with at least. */
  estimateOf({ text, reasoning = '', toolCalls }: ModelAnswer): Usage {
    const outputTokens = estimateOutput({ text, reasoning, toolCalls })
    return { inputTokens: this.inputTokens, outputTokens, estimated: true }
  }

  /** Counts what a failed try took. */
  lose(usage: Usage, costUsd: number | null): void {
    this.lost = this.lost === undefined ? usage : addUsage(this.lost, usage)
    this.lostUsd = addCost(this.lostUsd, costUsd)
  }

  announceLessons(learnt: readonly string[], thrown?: ProviderError): void {
    const { provider, model } = this.target
    const cause = thrown === undefined ? {} : { cause: thrown.toInfo() }
    this.#run.recorder.emit('model.adapted', { provider: provider.id, model, learnt: [...learnt], ...cause }, this.site)
  }

  /** Pieces of an answer, as they come. */
  announcePiece(type: 'text' | 'reasoning', text: string): void {
    if (!this.readable.stream) return
    this.#run.recorder.emit(
      type === 'text' ? 'message.delta' : 'reasoning.delta',
      { text: this.#run.env.redact(text) },
      this.site,
    )
  }
}

/** Null as soon as one part has no price. */
export const addCost = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)

export function announceBudget(run: ModelContext, site: CallSite, { used, remaining, costUsd, passed }: Settled): void {
  const { agentId } = site
  run.recorder.emit('budget.updated', { agentId, used, remaining, costUsd }, site)
  for (const { scope, ratio } of passed) {
    if (ratio < 1 || scope === agentId) run.recorder.emit('budget.warning', { scope, ratio }, site)
    else run.recorder.emit('budget.exhausted', { scope, limit: run.ledger.softTokens, used: run.ledger.used }, site)
  }
}
