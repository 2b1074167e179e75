import type { RecordedOutcome, RequestContent } from '../../contracts/cassette.ts'
import type { ErrorInfo } from '../../contracts/error-info.ts'
import type { EventData } from '../../contracts/event.ts'
import type { ModelAnswer, ModelInfo, ModelRequest } from '../../contracts/model.ts'
import type { Usage } from '../../contracts/usage.ts'
import { addUsage, noUsage } from '../../contracts/usage-sum.ts'
import { ProviderError, RunError, toSvcError } from '../../errors.ts'
import { estimateTokens } from '../../text/estimate-tokens.ts'
import { findJson } from '../../text/find-json.ts'
import { findErrors } from '../../validate.ts'
import { costOf } from '../budget/cost.ts'
import { PLAIN_OUTPUT_TOKENS, type Reservation, type Settled } from '../budget/ledger.ts'
import type { TokenCorrection } from '../budget/token-correction.ts'
import { sleep } from '../concurrency.ts'
import { redactError, redactTexts } from '../secrets.ts'
import type { CallContext, CallSite } from './call-context.ts'
import { estimateOutput, estimateRequest } from './estimate-request.ts'
import type { ResolvedModel } from './model-catalog.ts'
import type { PromptLog } from './prompt-log.ts'
import { type ReadAnswer, readAnswer } from './read-answer.ts'
import { toReadableRequest } from './readable-request.ts'
import { toRecordedError } from './recorded-error.ts'
import { hashTools, paramsOf, toPrompt } from './request-content.ts'
import { DEFAULT_RETRIES, delayBeforeNext } from './retry.ts'

/** An answer that nobody bounds gets no limit while so many tokens are left: hardly one is longer. */
const AMPLE_TOKENS = 32_768

/** How often one call is made again for what its provider has learnt; each lesson changes the request. */
const MOST_ADAPTIONS = 8

/** One model asked until it answers, the failure is one that stays, or the tries are used. */
export class ProviderCall {
  readonly #run: CallContext
  readonly #asked: ModelRequest
  readonly #target: ResolvedModel
  readonly #site: CallSite
  readonly #correction: TokenCorrection
  /** As the model can read it. */
  #request: ModelRequest
  /** Images and files that it cannot. */
  #unseen: readonly string[] = []
  /** By svc's own count. */
  #inputTokens: number
  #reservedTokens = 0
  /** Undefined where nobody knows how long an answer may get. */
  #mostTokens: number | undefined
  readonly #started = performance.now()
  /** What failed tries took. */
  #lost: Usage | undefined
  #lostUsd: number | null = 0
  #seen = ''

  constructor(
    run: CallContext,
    request: ModelRequest,
    target: ResolvedModel,
    site: CallSite,
    inputTokens: number,
    correction: TokenCorrection,
    prompts: PromptLog,
  ) {
    this.#run = run
    this.#asked = request
    this.#request = request
    this.#target = target
    this.#site = site
    this.#correction = correction
    this.#inputTokens = inputTokens
    const { provider, model, info } = target
    const estimatedInputTokens = this.#prepare(info)
    const started: EventData['model.started'] = {
      provider: provider.id,
      model,
      params: paramsOf(request),
      estimatedInputTokens,
      prompt: prompts.write(site, this.#request.messages),
    }
    if (provider.server !== undefined) started.server = provider.server
    run.emit('model.started', started, site)
  }

  /** Leaves out what the model cannot see, and measures what is left. @returns its tokens, estimated */
  #prepare(info: ModelInfo | undefined): number {
    const { provider, model } = this.#target
    const { request, unseen } = toReadableRequest(this.#asked, info)
    if (request !== this.#request) this.#inputTokens = estimateRequest(request)
    this.#request = request
    this.#unseen = unseen
    const estimated = Math.ceil(this.#inputTokens * this.#correction.factorOf(`${provider.id}/${model}`))
    // Never below svc's own count, which is what is charged at least: under-reporting buys nothing.
    this.#reservedTokens = Math.max(this.#inputTokens, estimated)
    const most = Math.min(request.maxOutputTokens ?? Infinity, info?.maxOutput ?? Infinity)
    // Input and output share the window: servers refuse a limit that goes beyond it.
    const left = Math.max(PLAIN_OUTPUT_TOKENS, (info?.context ?? Infinity) - this.#reservedTokens)
    this.#mostTokens = Number.isFinite(most) ? Math.min(most, left) : undefined
    return estimated
  }

  /** @throws ProviderError after the tries; LimitError of the ledger; the signal's reason */
  async make(): Promise<ModelAnswer> {
    const { provider } = this.#target
    const run = this.#run
    const limit = provider.maxConcurrency
    const breaker = run.env.breakers.of(provider.id)
    let adaptions = 0
    for (let tries = 1; ; ) {
      let isProbe = false
      let sentAt: number | undefined
      try {
        isProbe = await breaker.enter(run.signal)
        sentAt = breaker.openMs
        const answer =
          limit === undefined
            ? await this.#try()
            : await run.env.semaphores.of(provider.id, limit).run(() => this.#try(), run.signal)
        breaker.settle(sentAt, isProbe)
        return this.#withLosses(answer)
      } catch (failed) {
        // Servers repeat in their errors what they were sent.
        const thrown = redactError(failed, run.env.redact)
        if (sentAt !== undefined) breaker.settle(sentAt, isProbe, thrown)
        if (thrown instanceof ProviderError && thrown.learnt !== undefined && adaptions++ < MOST_ADAPTIONS) {
          this.#announceLessons(thrown.learnt, thrown)
          this.#prepare((await run.env.catalog.learntOf(this.#target)) ?? this.#target.info)
          continue
        }
        const spread = (): number => run.random(`${this.#site.callId}/${tries}`)
        const delayMs = delayBeforeNext(thrown, tries, provider.maxRetries ?? DEFAULT_RETRIES, spread, breaker.waitMs)
        if (delayMs === undefined) throw this.#fail(thrown)
        run.emit('model.retrying', { tries: ++tries, delayMs, cause: toSvcError(thrown).toInfo() }, this.#site)
        await sleep(delayMs, run.signal)
      }
    }
  }

  #announceLessons(learnt: readonly string[], thrown?: ProviderError): void {
    const { provider, model } = this.#target
    const cause = thrown === undefined ? {} : { cause: thrown.toInfo() }
    this.#run.emit('model.adapted', { provider: provider.id, model, learnt: [...learnt], ...cause }, this.#site)
  }

  /** What failed tries took counts for the answer that came at last. */
  #withLosses(answer: ModelAnswer): ModelAnswer {
    if (this.#lost === undefined) return answer
    return {
      ...answer,
      usage: addUsage(answer.usage, this.#lost),
      costUsd: addCost(answer.costUsd, this.#lostUsd),
    }
  }

  #fail(thrown: unknown): unknown {
    const { provider, model } = this.#target
    const error = toSvcError(thrown, 'provider_bad_response').toInfo()
    const usage = this.#lost ?? noUsage()
    const data = { provider: provider.id, model, error, usage, costUsd: this.#lostUsd }
    this.#run.emit('model.failed', data, this.#site)
    return thrown
  }

  /** What a recording is searched for. */
  get content(): RequestContent {
    const { env } = this.#run
    const { provider, model } = this.#target
    const offered = new Map(this.#asked.tools?.map((tool) => [tool.id, tool]))
    const params = paramsOf(this.#asked)
    return {
      provider: provider.id,
      model,
      messages: toPrompt(this.#request.messages, env.redact),
      params,
      tools: hashTools(params.tools ?? [], (id) => (env.tools.get(id) === undefined ? undefined : offered.get(id))),
    }
  }

  /**
   * A recorded call instead of a real one: the same events and charges, and no waiting.
   *
   * @param outcomes those that are still to come; what is handed out here is taken away
   * @param inTurn waits until the call is to end
   * @throws what the call ended with
   */
  async replay(
    outcomes: RecordedOutcome[],
    ending: ErrorInfo | undefined,
    inTurn: () => undefined | Promise<void>,
  ): Promise<ModelAnswer> {
    const run = this.#run
    const { reservation } = await this.#reserve()
    await inTurn()
    const settle = (usage: Usage, costUsd: number | null, estimate = usage): void =>
      announce(run, this.#site, run.ledger.settle(reservation, usage, estimate, costUsd), true)
    for (let outcome = outcomes.shift(); outcome !== undefined; outcome = outcomes.shift()) {
      if (outcome.type === 'answer') {
        const { answer } = outcome
        settle(answer.usage, answer.costUsd, this.#estimateOf({ reasoning: '', ...answer }))
        if (this.#request.stream && answer.text !== '') this.#onPiece('text', answer.text)
        return answer
      }
      if (outcome.type === 'model.failed') {
        settle(outcome.data.usage ?? noUsage(), outcome.data.costUsd ?? null)
        run.emit(outcome.type, outcome.data, this.#site)
        throw toRecordedError(outcome.data.error)
      }
      run.emit(outcome.type, outcome.data, this.#site)
    }
    settle(noUsage(), 0)
    throw ending === undefined ? notRecorded(this.#site.callId) : toRecordedError(ending)
  }

  async #reserve(): Promise<{ reservation: Reservation; isOpen: boolean }> {
    const run = this.#run
    run.throwIfStopped()
    const { info } = this.#target
    const { agentId } = this.#site
    // No limit is sent where neither the model nor the budget has one that is near: then the answer's usual length is reserved.
    const isOpen =
      this.#mostTokens === undefined && !run.ledger.limitsCost && run.ledger.remaining(agentId) > AMPLE_TOKENS
    const wantedTokens = isOpen ? PLAIN_OUTPUT_TOKENS : (this.#mostTokens ?? AMPLE_TOKENS)
    const reservation = await run.ledger.reserve(agentId, this.#reservedTokens, wantedTokens, info?.price, run.signal)
    return { reservation, isOpen }
  }

  async #try(): Promise<ModelAnswer> {
    const run = this.#run
    const { provider, model, info } = this.#target
    const { reservation, isOpen } = await this.#reserve()
    this.#seen = ''
    let read: ReadAnswer
    try {
      const sent: ModelRequest = { ...this.#request, model }
      if (!isOpen || reservation.outputTokens < PLAIN_OUTPUT_TOKENS) sent.maxOutputTokens = reservation.outputTokens
      read = await readAnswer(provider, sent, run, this.#onPiece)
    } catch (thrown) {
      this.#settleFailure(reservation, thrown)
      throw thrown
    }
    const { finishReason, usage, state, ttftMs, responseId } = read
    // A server may repeat the key that it got. In arguments, a key would leave by the next tool.
    const { text, reasoning, toolCalls } = redactTexts(
      { text: read.text, reasoning: read.reasoning, toolCalls: read.toolCalls },
      run.env.redact,
    )
    if (read.learnt !== undefined) this.#announceLessons(read.learnt)
    const costUsd = costOf(usage, info?.price)
    announce(run, this.#site, run.ledger.settle(reservation, usage, this.#estimateOf(read), costUsd), true)
    const answer: ModelAnswer = {
      text,
      toolCalls,
      finishReason,
      usage,
      costUsd,
      provider: provider.id,
      model,
      latencyMs: Math.round(performance.now() - this.#started),
    }
    if (state !== undefined) answer.state = state
    if (responseId !== undefined) answer.responseId = responseId
    if (this.#unseen.length > 0) answer.unseen = [...this.#unseen]
    if (ttftMs !== undefined && this.#request.stream) answer.ttftMs = Math.round(ttftMs)
    if (reasoning !== '') answer.reasoning = reasoning
    const { outputSchema } = this.#request
    if (outputSchema !== undefined) {
      const found = findJson(text, { strict: true })
      if ('value' in found && findErrors(outputSchema, found.value).length === 0) answer.data = found.value
    }
    return answer
  }

  /** By svc's own count, which an answer is charged with at least. */
  #estimateOf(answer: Parameters<typeof estimateOutput>[0]): Usage {
    return { inputTokens: this.#inputTokens, outputTokens: estimateOutput(answer), estimated: true }
  }

  readonly #onPiece = (type: 'text' | 'reasoning', text: string): void => {
    this.#seen += text
    if (!this.#request.stream) return
    this.#run.emit(
      type === 'text' ? 'message.delta' : 'reasoning.delta',
      { text: this.#run.env.redact(text) },
      this.#site,
    )
  }

  #settleFailure(reservation: Reservation, thrown: unknown): void {
    const usage = lostUsage(thrown, this.#inputTokens, this.#seen)
    this.#lost = this.#lost === undefined ? usage : addUsage(this.#lost, usage)
    const costUsd = usage.inputTokens + usage.outputTokens === 0 ? 0 : costOf(usage, this.#target.info?.price)
    this.#lostUsd = addCost(this.#lostUsd, costUsd)
    announce(this.#run, this.#site, this.#run.ledger.settle(reservation, usage, usage, costUsd))
  }
}

/** Null as soon as one part has no price. */
const addCost = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)

/** What a failed try may have cost: nothing when it was refused, its input and what came of it when it broke off. */
function lostUsage(thrown: unknown, estimatedInputTokens: number, seen: string): Usage {
  if (seen === '' && !brokeOff(thrown)) return noUsage()
  return { inputTokens: estimatedInputTokens, outputTokens: estimateTokens(seen), estimated: true }
}

/** Whether the model may have worked on it: an answer of another status than success is a refusal. */
const brokeOff = (thrown: unknown): boolean =>
  thrown instanceof ProviderError &&
  (thrown.code === 'provider_timeout' ||
    (thrown.code === 'provider_bad_response' && thrown.providerStatus === undefined))

/** @param isFollowed what the call took is recorded at once */
export function announce(
  run: CallContext,
  site: CallSite,
  { used, remaining, costUsd, passed }: Settled,
  isFollowed = false,
): void {
  const { agentId } = site
  run.emit('budget.updated', { agentId, used, remaining, costUsd }, site, isFollowed || passed.length > 0)
  for (const { scope, ratio } of passed) {
    if (ratio < 1 || scope === agentId) run.emit('budget.warning', { scope, ratio }, site)
    else run.emit('budget.exhausted', { scope, limit: run.ledger.softTokens, used: run.ledger.used }, site)
  }
}

const notRecorded = (callId: string): RunError =>
  new RunError('replay_diverged', `the recording ends in the middle of the model call ${callId}`)
