import type { Cassette, RecordedOutcome } from '../../contracts/cassette.ts'
import type { EventData } from '../../contracts/event.ts'
import { textMessage } from '../../contracts/message-text.ts'
import type { ModelAnswer, ModelRequest } from '../../contracts/model.ts'
import type { Usage } from '../../contracts/usage.ts'
import { ConfigError, ProviderError, RunError } from '../../errors.ts'
import { estimateTokens } from '../../text/estimate-tokens.ts'
import { costOf } from '../budget/cost.ts'
import { TokenCorrection } from '../budget/token-correction.ts'
import { usableUsage } from '../budget/usable-usage.ts'
import { nameOf } from '../ids.ts'
import { type CallContext, type CallSite, callSite } from './call-context.ts'
import { estimateOutput, RequestEstimates } from './estimate-request.ts'
import { FirstCalls } from './first-calls.ts'
import type { ResolvedModel } from './model-catalog.ts'
import { PromptLog } from './prompt-log.ts'
import { announce, ProviderCall } from './provider-call.ts'

/** A request with whose it is, and under which key it is recorded. */
export type KeyedRequest = ModelRequest & { key: string; agentId: string; stepId?: string }

/** What is recorded of one call; undefined outcomes once it was looked for in vain. */
interface Recording {
  outcomes: RecordedOutcome[] | undefined
  isSearched: boolean
}

/** The id of a model call: the same in every life of its run. */
export const modelCallId = (runId: string, key: string): string => `call_${nameOf(24, runId, key)}`

/**
 * The only way to a model.
 *
 * Layers, outermost first: steering and call hooks, journal, fallback, retry, ledger, provider.
 */
export class ModelGateway {
  readonly #run: CallContext
  readonly #correction = new TokenCorrection()
  readonly #estimates = new RequestEstimates()
  readonly #first = new FirstCalls()
  readonly #prompts: PromptLog
  #hasMissed = false

  constructor(run: CallContext) {
    this.#run = run
    this.#prompts = new PromptLog(run)
  }

  async call(keyed: KeyedRequest): Promise<ModelAnswer> {
    const { key, agentId, stepId } = keyed
    const run = this.#run
    run.throwIfStopped()
    await run.env.cassette?.inTurn(key, 'begin')
    const request = await this.#amend(toRequest(keyed), agentId)
    const site = callSite(agentId, modelCallId(run.id, key), stepId)
    const inputTokens = this.#estimates.of(agentId, request)
    const recording: Recording = { outcomes: undefined, isSearched: false }
    let isMade = false
    const answer = await run.journal.step(key, 'pure', async () => {
      isMade = true
      // A request that names no model means the run's, which may be another than the runtime's.
      let name = request.model || run.defaultModel
      for (let fallback = 0; ; fallback++) {
        const target = await run.env.catalog.resolve(name)
        try {
          return await this.#make(request, target, site, inputTokens, { key, recording })
        } catch (thrown) {
          name = this.#fallbackFor(thrown, fallback, target, site)
        }
      }
    })
    if (!isMade) await this.#chargeAgain(agentId, answer, inputTokens)
    if (answer.unseen === undefined)
      this.#correction.observe(`${answer.provider}/${answer.model}`, inputTokens, answer.usage)
    const isRecorded = recording.outcomes !== undefined && run.env.cassette?.isStrict === false
    this.#report(request, answer, site, !isMade, isRecorded)
    if (!isMade && answer.unseen === undefined) this.#prompts.noteRecorded(site, request.messages)
    // The answer is durable before any agent sees it, and watchers have heard of it before the next call.
    await run.flush()
    const changed = run.env.hooks.hooks.modelResponse.isUsed()
      ? await run.env.hooks.ask('modelResponse', { request, answer }, run)
      : undefined
    run.throwIfStopped()
    return changed ?? answer
  }

  /** Counts a recorded answer as its call was counted, svc's own estimate included. */
  async #chargeAgain(agentId: string, answer: ModelAnswer, inputTokens: number): Promise<void> {
    const { text, reasoning = '', toolCalls, usage, costUsd, provider, model } = answer
    const estimate = { inputTokens, outputTokens: estimateOutput({ text, reasoning, toolCalls }), estimated: true }
    const { env, ledger } = this.#run
    const price = ledger.limitsCost ? await env.catalog.priceOf(provider, model) : undefined
    ledger.charge(agentId, usage, costUsd, estimate, price)
  }

  async #make(
    request: ModelRequest,
    target: ResolvedModel,
    site: CallSite,
    inputTokens: number,
    recorded: { key: string; recording: Recording },
  ): Promise<ModelAnswer> {
    const run = this.#run
    const { cassette } = run.env
    if (cassette !== undefined) {
      const call = new ProviderCall(run, request, target, site, inputTokens, this.#correction, this.#prompts)
      const outcomes = this.#search(cassette, call, recorded)
      return outcomes === undefined
        ? call.make()
        : call.replay(outcomes, cassette.ending, () => cassette.inTurn(recorded.key, 'end'))
    }
    await this.#first.enter(target, run.env.breakers.of(target.provider.id).isProven, run.signal)
    try {
      const answer = await new ProviderCall(
        run,
        request,
        target,
        site,
        inputTokens,
        this.#correction,
        this.#prompts,
      ).make()
      this.#first.settle(target)
      return answer
    } catch (thrown) {
      this.#first.settle(target, thrown)
      throw thrown
    }
  }

  /** What is recorded of a call, its fallbacks included. A run that may not go beyond its recording ends here. */
  #search(
    cassette: Cassette,
    call: ProviderCall,
    { key, recording }: { key: string; recording: Recording },
  ): RecordedOutcome[] | undefined {
    if (recording.isSearched) return recording.outcomes
    recording.isSearched = true
    const found = cassette.modelCall(key, call.content)
    if (typeof found !== 'string') {
      recording.outcomes = found
      return found
    }
    if (!cassette.isStrict) {
      // One that parts from its recording mostly takes those after it along; the log says which were recorded.
      if (!this.#hasMissed) this.#run.warn({ code: 'cassette_miss', message: `${found}. The call was made.` })
      this.#hasMissed = true
      return undefined
    }
    const error = new RunError('replay_diverged', found)
    this.#run.abort(error)
    throw error
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
    const site = callSite(agentId, modelCallId(run.id, key), undefined)
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
        usage = usableUsage(reported, () => estimate, true)
        return { vectors, usage, costUsd: costOf(usage, info?.price) }
      } finally {
        announce(run, site, run.ledger.settle(reservation, usage, estimate, costOf(usage, info?.price)))
      }
    })
    const { vectors, usage, costUsd } = outcome
    if (!isMade)
      run.ledger.charge(agentId, usage, costUsd, { inputTokens, outputTokens: 0, estimated: true }, info?.price)
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
    await run.flush()
    return vectors
  }

  /** Lets call hooks, and watchers of the calls before, have their say before anything is sent. */
  async #amend(asked: ModelRequest, agentId: string): Promise<ModelRequest> {
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
    const changed = hooks.hooks.modelRequest.isUsed() ? await hooks.ask('modelRequest', request, run) : undefined
    const hooked = changed ?? request
    return hooked.stream && !run.isRead ? { ...hooked, stream: false } : hooked
  }

  /**
   * The model that is asked next, for a failure that another may not have.
   *
   * @throws what was thrown, where there is none
   */
  #fallbackFor(thrown: unknown, index: number, { provider, model }: ResolvedModel, site: CallSite): string {
    const run = this.#run
    const names = [...(run.profileOf(site.agentId)?.fallbackModels ?? []), ...(run.env.config.fallback ?? [])]
    const next = names[index]
    if (!(thrown instanceof ProviderError) || next === undefined || thrown.code === 'content_filtered') throw thrown
    run.emit('model.fallback', { from: `${provider.id}/${model}`, to: next, cause: thrown.toInfo() }, site)
    return next
  }

  #report(request: ModelRequest, answer: ModelAnswer, site: CallSite, cached: boolean, isRecorded: boolean): void {
    const { toolCalls, finishReason, usage, costUsd, latencyMs, ttftMs, provider, model, text, responseId, unseen } =
      answer
    const run = this.#run
    const data: EventData['model.completed'] = {
      provider,
      model,
      toolCalls,
      finishReason,
      usage,
      costUsd,
      latencyMs,
      cached,
    }
    if (isRecorded) data.recorded = true
    if (ttftMs !== undefined) data.ttftMs = ttftMs
    if (responseId !== undefined) data.responseId = responseId
    if (unseen !== undefined) {
      data.unseen = unseen
      for (const what of unseen) {
        const message = `${provider}/${model} was not shown ${what}: it takes no ${what.startsWith('PDF') ? 'PDFs' : 'images'}`
        run.warn({ code: 'media_unseen', message })
      }
    }
    run.emit('model.completed', data, site, text !== '')
    if (text === '') return
    const content = [{ type: 'text' as const, text }]
    run.emit('message.completed', { role: 'assistant', content, streamed: request.stream }, site)
  }
}

/** The request alone. Field by field: taking three fields away from an object costs more than naming the rest. */
function toRequest(keyed: KeyedRequest): ModelRequest {
  const { tools, toolChoice, outputSchema, maxOutputTokens, temperature, effort, stop, seed, state } = keyed
  const request: ModelRequest = { model: keyed.model, messages: keyed.messages, stream: keyed.stream }
  if (tools !== undefined) request.tools = tools
  if (toolChoice !== undefined) request.toolChoice = toolChoice
  if (outputSchema !== undefined) request.outputSchema = outputSchema
  if (maxOutputTokens !== undefined) request.maxOutputTokens = maxOutputTokens
  if (temperature !== undefined) request.temperature = temperature
  if (effort !== undefined) request.effort = effort
  if (stop !== undefined) request.stop = stop
  if (seed !== undefined) request.seed = seed
  if (state !== undefined) request.state = state
  return request
}
