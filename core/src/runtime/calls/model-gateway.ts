import { textMessage } from '../../contracts/message.ts'
import type { ModelAnswer, ModelRequest, Price } from '../../contracts/model.ts'
import type { MaybePromise } from '../../contracts/store.ts'
import type { Usage } from '../../contracts/usage.ts'
import { addUsage, noUsage } from '../../contracts/usage.ts'
import { ConfigError, ProviderError, SvcError, toSvcError } from '../../errors.ts'
import { estimateTokens } from '../../text/estimate-tokens.ts'
import { findErrors } from '../../validate.ts'
import type { Reservation, Settled } from '../budget/ledger.ts'
import { TokenCorrection } from '../budget/token-correction.ts'
import { sleep } from '../concurrency.ts'
import { nameOf } from '../ids.ts'
import { type CallContext, type CallSite, callSite } from './call-context.ts'
import type { ResolvedModel } from './model-catalog.ts'
import { estimateOutput, estimateRequest, type ReadAnswer, readAnswer } from './read-answer.ts'
import { DEFAULT_RETRIES, delayBefore } from './retry.ts'

/** A request with whose it is, and under which key it is recorded. */
export type KeyedRequest = ModelRequest & { key: string; agentId: string; stepId?: string }

/** Output tokens set aside for a request that names no bound. */
const DEFAULT_OUTPUT_TOKENS = 4_096

/**
 * The only way to a model.
 *
 * Layers, outermost first: steering and call hooks, journal, fallback, retry, ledger, provider.
 */
export class ModelGateway {
  readonly #run: CallContext
  readonly #correction = new TokenCorrection()

  constructor(run: CallContext) {
    this.#run = run
  }

  async call(keyed: KeyedRequest): Promise<ModelAnswer> {
    const { key, agentId, stepId } = keyed
    const run = this.#run
    run.throwIfStopped()
    const prepared = this.#prepare(toRequest(keyed), agentId)
    const request = prepared instanceof Promise ? await prepared : prepared
    const site = callSite(agentId, `call_${nameOf(24, run.id, key)}`, stepId)
    const inputTokens = estimateRequest(request)
    let isMade = false
    const answer = await run.journal.step(key, 'pure', () => {
      isMade = true
      return this.#withFallbacks(request, site, inputTokens)
    })
    if (!isMade) run.ledger.charge(agentId, answer.usage, answer.costUsd)
    this.#correction.observe(`${answer.provider}/${answer.model}`, inputTokens, answer.usage)
    this.#report(request, answer, site, !isMade)
    const { hooks } = run.env
    const changed = hooks.hooks.modelResponse.isUsed()
      ? await hooks.ask('modelResponse', { request, answer }, run)
      : undefined
    run.throwIfStopped()
    return changed ?? answer
  }

  /** Vectors for texts, recorded and charged like any other call. */
  async embed(request: { key: string; agentId: string; model: string; texts: readonly string[] }): Promise<number[][]> {
    const { key, agentId, model: name, texts } = request
    const run = this.#run
    run.throwIfStopped()
    const { provider, model, info } = await run.env.catalog.resolve(name)
    if (provider.embed === undefined) {
      throw new ConfigError('unknown_provider', `provider "${provider.id}" offers no embeddings: name one that does`)
    }
    const site = callSite(agentId, `call_${nameOf(24, run.id, key)}`, undefined)
    const inputTokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0)
    let isMade = false
    const outcome = await run.journal.step(key, 'pure', async () => {
      isMade = true
      const reservation = await run.ledger.reserve(agentId, inputTokens, 0, info?.price, run.signal)
      const estimate = { inputTokens, outputTokens: 0, estimated: true }
      let usage: Usage = estimate
      try {
        const { vectors, usage: reported } = (await provider.embed?.([...texts], { signal: run.signal, model })) ?? {
          vectors: [],
          usage: estimate,
        }
        usage = reported
        return { vectors, usage, costUsd: costOf(usage, info?.price) }
      } finally {
        this.#announce(site, run.ledger.settle(reservation, usage, estimate, costOf(usage, info?.price)))
      }
    })
    const { vectors, usage, costUsd } = outcome
    if (!isMade) run.ledger.charge(agentId, usage, costUsd)
    run.emit(
      'model.completed',
      {
        provider: provider.id,
        model,
        toolCalls: [],
        finishReason: 'stop',
        usage,
        costUsd,
        latencyMs: 0,
        cached: !isMade,
      },
      site,
    )
    return vectors
  }

  /** Lets watchers and call hooks have their say before anything is sent; at once where nobody keeps it waiting. */
  #prepare(asked: ModelRequest, agentId: string): MaybePromise<ModelRequest> {
    const run = this.#run
    // A slow store delivers late: what a watcher has to say about the last turn must not miss the next.
    const flushing = run.flush()
    if (flushing !== undefined) return flushing.then(() => this.#amend(asked, agentId))
    return this.#amend(asked, agentId)
  }

  #amend(asked: ModelRequest, agentId: string): MaybePromise<ModelRequest> {
    const run = this.#run
    const nudges = run.steering.takeNudges(agentId)
    const request =
      nudges.length === 0
        ? asked
        : {
            ...asked,
            messages: [...asked.messages, textMessage('user', `Note from the inspector: ${nudges.join('\n')}`)],
          }
    const { hooks } = run.env
    const changed = hooks.hooks.modelRequest.isUsed() ? hooks.ask('modelRequest', request, run) : undefined
    const whole = (hooked = request): ModelRequest =>
      hooked.stream && !run.isRead ? { ...hooked, stream: false } : hooked
    return changed instanceof Promise ? changed.then(whole) : whole(changed)
  }

  /** One call with its retries; then, for failures that another model may not have, the fallbacks. */
  async #withFallbacks(request: ModelRequest, site: CallSite, inputTokens: number): Promise<ModelAnswer> {
    const run = this.#run
    // A request that names no model means the run's, which may be another than the runtime's.
    const first = request.model || run.defaultModel
    for (let name = first, index = 0; ; index++) {
      const resolved = run.env.catalog.resolve(name)
      const target = resolved instanceof Promise ? await resolved : resolved
      try {
        return await new ProviderCall(run, request, target, site, inputTokens, this.#correction).make()
      } catch (thrown) {
        const fallbacks = [...(run.profileOf(site.agentId)?.fallbackModels ?? []), ...(run.env.config.fallback ?? [])]
        const next = fallbacks[index]
        if (!(thrown instanceof ProviderError) || next === undefined || thrown.code === 'content_filtered') throw thrown
        const from = `${target.provider.id}/${target.model}`
        run.emit('model.fallback', { from, to: next, cause: thrown.toInfo() }, site)
        name = next
      }
    }
  }

  #report(request: ModelRequest, answer: ModelAnswer, site: CallSite, cached: boolean): void {
    const { toolCalls, finishReason, usage, costUsd, latencyMs, provider, model, text } = answer
    const run = this.#run
    run.emit('model.completed', { provider, model, toolCalls, finishReason, usage, costUsd, latencyMs, cached }, site)
    if (text === '') return
    const content = [{ type: 'text' as const, text }]
    run.emit('message.completed', { role: 'assistant', content, streamed: request.stream }, site)
  }

  #announce(site: CallSite, settled: Settled): void {
    announce(this.#run, site, settled)
  }
}

/** One model asked until it answers, the failure is one that stays, or the tries are used. */
class ProviderCall {
  readonly #run: CallContext
  readonly #request: ModelRequest
  readonly #target: ResolvedModel
  readonly #site: CallSite
  /** By svc's own count. */
  readonly #inputTokens: number
  readonly #reservedTokens: number
  readonly #wantedTokens: number
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
  ) {
    this.#run = run
    this.#request = request
    this.#target = target
    this.#site = site
    this.#inputTokens = inputTokens
    const { provider, model, info } = target
    const estimatedInputTokens = Math.ceil(inputTokens * correction.factorOf(`${provider.id}/${model}`))
    // Never below svc's own count, which is what is charged at least: under-reporting buys nothing.
    this.#reservedTokens = Math.max(inputTokens, estimatedInputTokens)
    const most = info?.maxOutput ?? Number.POSITIVE_INFINITY
    this.#wantedTokens = Math.min(request.maxOutputTokens ?? Math.min(DEFAULT_OUTPUT_TOKENS, most), most)
    run.emit('model.started', { provider: provider.id, model, params: paramsOf(request), estimatedInputTokens }, site)
  }

  async make(): Promise<ModelAnswer> {
    const { provider, model } = this.#target
    const run = this.#run
    try {
      const answer = await this.#tryAgain()
      if (this.#lost === undefined) return answer
      return {
        ...answer,
        usage: addUsage(answer.usage, this.#lost),
        costUsd: addCost(answer.costUsd, this.#lostUsd),
      }
    } catch (thrown) {
      const error = toSvcError(thrown, 'provider_bad_response').toInfo()
      const usage = this.#lost ?? noUsage()
      run.emit('model.failed', { provider: provider.id, model, error, usage, costUsd: this.#lostUsd }, this.#site)
      throw thrown
    }
  }

  /** Waits between tries as the provider asks, or longer each time. */
  async #tryAgain(): Promise<ModelAnswer> {
    const { provider } = this.#target
    const run = this.#run
    const limit = provider.maxConcurrency
    for (let tries = 1; ; tries++) {
      try {
        if (limit === undefined) return await this.#try()
        return await run.env.semaphores.of(provider.id, limit).run(() => this.#try(), run.signal)
      } catch (thrown) {
        const retries = provider.maxRetries ?? DEFAULT_RETRIES
        const delayMs = delayBefore(thrown, tries, retries, () => run.random(`${this.#site.callId}/${tries}`))
        if (delayMs === undefined) throw thrown
        const cause = toSvcError(thrown).toInfo()
        run.emit('model.retrying', { tries: tries + 1, delayMs, cause }, this.#site)
        await sleep(delayMs, run.signal)
      }
    }
  }

  async #try(): Promise<ModelAnswer> {
    const run = this.#run
    run.throwIfStopped()
    const { provider, model, info } = this.#target
    const reserved = run.ledger.reserve(
      this.#site.agentId,
      this.#reservedTokens,
      this.#wantedTokens,
      info?.price,
      run.signal,
    )
    const reservation = reserved instanceof Promise ? await reserved : reserved
    this.#seen = ''
    let read: ReadAnswer
    try {
      const sent = { ...this.#request, model, maxOutputTokens: reservation.outputTokens }
      read = await readAnswer(provider, sent, run, this.#onPiece)
    } catch (thrown) {
      this.#settleFailure(reservation, thrown)
      throw thrown
    }
    const { text, reasoning, toolCalls, finishReason, usage, state } = read
    const costUsd = costOf(read.usage, info?.price)
    const estimate = { inputTokens: this.#inputTokens, outputTokens: estimateOutput(read), estimated: true }
    announce(run, this.#site, run.ledger.settle(reservation, read.usage, estimate, costUsd))
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
    if (reasoning !== '') answer.reasoning = reasoning
    const data = dataOf(this.#request, read.text)
    if (data !== undefined) answer.data = data
    return answer
  }

  readonly #onPiece = (type: 'text' | 'reasoning', text: string): void => {
    this.#seen += text
    if (!this.#request.stream) return
    this.#run.emit(type === 'text' ? 'message.delta' : 'reasoning.delta', { text }, this.#site)
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
  const brokeOff =
    seen !== '' ||
    (SvcError.isInstance(thrown) && (thrown.code === 'provider_timeout' || thrown.code === 'provider_bad_response'))
  if (!brokeOff) return noUsage()
  return { inputTokens: estimatedInputTokens, outputTokens: estimateTokens(seen), estimated: true }
}

function announce(run: CallContext, site: CallSite, { used, remaining, costUsd, passed }: Settled): void {
  const { agentId } = site
  run.emit('budget.updated', { agentId, used, remaining, costUsd }, site)
  for (const { scope, ratio } of passed) {
    if (ratio < 1 || scope === agentId) run.emit('budget.warning', { scope, ratio }, site)
    else run.emit('budget.exhausted', { scope, limit: run.ledger.softTokens, used: run.ledger.used }, site)
  }
}

/** US dollars of a usage; null without a price. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
  if (price === undefined) return null
  const cached = usage.cachedTokens ?? 0
  const fresh = Math.max(0, usage.inputTokens - cached)
  return (fresh * price.input + cached * (price.cacheRead ?? price.input) + usage.outputTokens * price.output) / 1e6
}

function paramsOf({ temperature, maxOutputTokens, seed, toolChoice, tools }: ModelRequest): object {
  const params: Pick<ModelRequest, 'temperature' | 'maxOutputTokens' | 'seed' | 'toolChoice'> & { tools?: string[] } =
    {}
  if (temperature !== undefined) params.temperature = temperature
  if (maxOutputTokens !== undefined) params.maxOutputTokens = maxOutputTokens
  if (seed !== undefined) params.seed = seed
  if (toolChoice !== undefined) params.toolChoice = toolChoice
  if (tools !== undefined) params.tools = tools.map(({ id }) => id)
  return params
}

/** The request alone. Field by field: taking three fields away from an object costs more than naming the rest. */
function toRequest(keyed: KeyedRequest): ModelRequest {
  const { tools, toolChoice, outputSchema, maxOutputTokens, temperature, stop, seed, state } = keyed
  const request: ModelRequest = { model: keyed.model, messages: keyed.messages, stream: keyed.stream }
  if (tools !== undefined) request.tools = tools
  if (toolChoice !== undefined) request.toolChoice = toolChoice
  if (outputSchema !== undefined) request.outputSchema = outputSchema
  if (maxOutputTokens !== undefined) request.maxOutputTokens = maxOutputTokens
  if (temperature !== undefined) request.temperature = temperature
  if (stop !== undefined) request.stop = stop
  if (seed !== undefined) request.seed = seed
  if (state !== undefined) request.state = state
  return request
}

/** The parsed answer, where a schema was asked for and the text fits it. */
function dataOf(request: ModelRequest, text: string): unknown {
  if (request.outputSchema === undefined) return undefined
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)
  try {
    const data: unknown = JSON.parse(fenced?.[1] ?? text)
    return findErrors(request.outputSchema, data).length === 0 ? data : undefined
  } catch {
    return undefined
  }
}
