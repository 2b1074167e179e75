import { textMessage } from '../../contracts/message.ts'
import type { ModelAnswer, ModelRequest, Price } from '../../contracts/model.ts'
import type { Usage } from '../../contracts/usage.ts'
import { addUsage, noUsage } from '../../contracts/usage.ts'
import { ProviderError, SvcError, toSvcError } from '../../errors.ts'
import { estimateTokens } from '../../text/estimate-tokens.ts'
import { findErrors } from '../../validate.ts'
import type { DoorContext } from '../door-context.ts'
import { digest } from '../ids.ts'
import type { ResolvedModel } from './model-catalog.ts'
import { estimateOutput, estimateRequest, readAnswer } from './read-answer.ts'
import { DEFAULT_RETRIES, withRetry } from './retry.ts'
import { TokenCorrection } from '../budget/token-correction.ts'

/** A request at the door: whose it is, and under which key it is recorded. */
export type DoorRequest = ModelRequest & { key: string; agentId: string; stepId?: string }

interface Place {
  agentId: string
  stepId?: string
  callId: string
}

/** How large a request is, before any try of it. */
interface Size {
  /** By svc's own count. */
  inputTokens: number
  correction: TokenCorrection
}

/** Output tokens set aside for a request that names no bound. */
const DEFAULT_OUTPUT_TOKENS = 4_096

/**
 * The only way to a model.
 *
 * Layers, outermost first: steering and call hooks, ledger, journal, retry and fallback, provider, trace.
 */
export function createModelDoor(door: DoorContext): (request: DoorRequest) => Promise<ModelAnswer> {
  const correction = new TokenCorrection()
  return async ({ key, agentId, stepId, ...asked }) => {
    door.signal.throwIfAborted()
    const request = await prepare(door, asked, agentId)
    const place: Place = {
      agentId,
      ...(stepId === undefined ? {} : { stepId }),
      callId: `call_${digest(door.run.id, key).slice(0, 24)}`,
    }
    const size: Size = { inputTokens: estimateRequest(request), correction }
    let made = false
    const answer = await door.journal.step(key, 'pure', async () => {
      made = true
      return call(door, request, place, size)
    })
    if (!made) door.ledger.charge(agentId, answer.usage, answer.costUsd)
    correction.observe(`${answer.provider}/${answer.model}`, size.inputTokens, answer.usage)
    report(door, request, answer, place, !made)
    const changed = door.hooks.modelResponse.isUsed()
      ? await door.hooks.modelResponse.promise(undefined, { request, answer }, door.run)
      : undefined
    door.signal.throwIfAborted()
    return changed ?? answer
  }
}

/** Lets watchers and call hooks have their say before anything is sent. */
async function prepare(door: DoorContext, asked: ModelRequest, agentId: string): Promise<ModelRequest> {
  // A slow store delivers late: what a watcher has to say about the last turn must not miss the next.
  await door.flush()
  const nudges = door.steering.takeNudges(agentId)
  const request =
    nudges.length === 0
      ? asked
      : {
          ...asked,
          messages: [...asked.messages, textMessage('user', `Note from the inspector: ${nudges.join('\n')}`)],
        }
  const hooked = door.hooks.modelRequest.isUsed()
    ? ((await door.hooks.modelRequest.promise(undefined, request, door.run)) ?? request)
    : request
  return hooked.stream && !door.isRead() ? { ...hooked, stream: false } : hooked
}

/** One call with its retries; then, for failures that another model may not have, the fallbacks. */
async function call(door: DoorContext, request: ModelRequest, place: Place, size: Size): Promise<ModelAnswer> {
  // Who names no model means the run's, which may be another than the runtime's.
  const names = [request.model || door.run.defaultModel, ...fallbacksOf(door, place.agentId)]
  for (const [index, name] of names.entries()) {
    const target = await door.catalog.resolve(name)
    try {
      return await callOne(door, request, target, place, size)
    } catch (thrown) {
      const next = names[index + 1]
      if (!(thrown instanceof ProviderError) || next === undefined || thrown.code === 'content_filtered') throw thrown
      door.emit(
        'model.fallback',
        { from: `${target.provider.id}/${target.model}`, to: next, cause: thrown.toInfo() },
        place,
      )
    }
  }
  throw new ProviderError('provider_unavailable', 'no model answered', { provider: 'none' })
}

function fallbacksOf(door: DoorContext, agentId: string): readonly string[] {
  return [...(door.profileOf(agentId)?.fallbackModels ?? []), ...door.fallbackModels]
}

async function callOne(
  door: DoorContext,
  request: ModelRequest,
  target: ResolvedModel,
  place: Place,
  size: Size,
): Promise<ModelAnswer> {
  const { provider, model, info } = target
  const factor = size.correction.factorOf(`${provider.id}/${model}`)
  const estimatedInputTokens = Math.ceil(size.inputTokens * factor)
  // Never below svc's own count, which is what is charged at least: a provider that reports little buys nothing by it.
  const reservedInputTokens = Math.max(size.inputTokens, estimatedInputTokens)
  const wanted = Math.min(
    request.maxOutputTokens ?? Math.min(DEFAULT_OUTPUT_TOKENS, info?.maxOutput ?? DEFAULT_OUTPUT_TOKENS),
    info?.maxOutput ?? Number.POSITIVE_INFINITY,
  )
  const started = performance.now()
  let lost = noUsage()
  let lostUsd: number | null = 0
  door.emit('model.started', { provider: provider.id, model, params: paramsOf(request), estimatedInputTokens }, place)
  const attempt = async (): Promise<ModelAnswer> => {
    door.signal.throwIfAborted()
    const reservation = await door.ledger.reserve(place.agentId, reservedInputTokens, wanted, info?.price, door.signal)
    const seen = { chars: '' }
    try {
      const sent = { ...request, model, maxOutputTokens: reservation.outputTokens }
      const read = await readAnswer(provider, sent, door.signal, (type, text) => {
        seen.chars += text
        if (request.stream) door.emit(type === 'text' ? 'message.delta' : 'reasoning.delta', { text }, place)
      })
      const { ttftMs, reasoning, ...rest } = read
      const costUsd = costOf(read.usage, info?.price)
      const estimate = { inputTokens: size.inputTokens, outputTokens: estimateOutput(read), estimated: true }
      announce(door, place.agentId, door.ledger.settle(reservation, read.usage, estimate, costUsd))
      return {
        ...rest,
        ...(reasoning === '' ? {} : { reasoning }),
        ...dataOf(request, read.text),
        costUsd,
        provider: provider.id,
        model,
        latencyMs: Math.round(performance.now() - started),
      }
    } catch (thrown) {
      const usage = lostUsage(thrown, size.inputTokens, seen.chars)
      lost = addUsage(lost, usage)
      const costUsd = usage.inputTokens + usage.outputTokens === 0 ? 0 : costOf(usage, info?.price)
      lostUsd = addCost(lostUsd, costUsd)
      announce(door, place.agentId, door.ledger.settle(reservation, usage, usage, costUsd))
      throw thrown
    }
  }
  const limited =
    provider.maxConcurrency === undefined
      ? attempt
      : () => door.semaphore(provider.id, provider.maxConcurrency ?? 1).run(attempt, door.signal)
  try {
    const answer = await withRetry(limited, {
      retries: provider.maxRetries ?? DEFAULT_RETRIES,
      signal: door.signal,
      jitter: door.random,
      onRetry: ({ tries, delayMs, error }) =>
        door.emit('model.retrying', { tries, delayMs, cause: error.toInfo() }, place),
    })
    return { ...answer, usage: addUsage(answer.usage, lost), costUsd: addCost(answer.costUsd, lostUsd) }
  } catch (thrown) {
    const error = toSvcError(thrown, 'provider_bad_response').toInfo()
    door.emit('model.failed', { provider: provider.id, model, error, usage: lost, costUsd: lostUsd }, place)
    throw thrown
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

function announce(door: DoorContext, agentId: string, settled: ReturnType<DoorContext['ledger']['settle']>): void {
  const { used, remaining, costUsd, passed } = settled
  door.emit('budget.updated', { agentId, used, remaining, costUsd }, { agentId })
  for (const { scope, ratio } of passed) {
    if (ratio < 1 || scope === agentId) door.emit('budget.warning', { scope, ratio }, { agentId })
    else door.emit('budget.exhausted', { scope, limit: door.ledger.softTokens, used: door.ledger.used }, { agentId })
  }
}

function report(door: DoorContext, request: ModelRequest, answer: ModelAnswer, place: Place, cached: boolean): void {
  const { toolCalls, finishReason, usage, costUsd, latencyMs, provider, model, text } = answer
  door.emit('model.completed', { provider, model, toolCalls, finishReason, usage, costUsd, latencyMs, cached }, place)
  if (text !== '')
    door.emit(
      'message.completed',
      { role: 'assistant', content: [{ type: 'text', text }], streamed: request.stream },
      place,
    )
}

/** US dollars of a usage; null without a price. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
  if (price === undefined) return null
  const cached = usage.cachedTokens ?? 0
  const fresh = Math.max(0, usage.inputTokens - cached)
  return (fresh * price.input + cached * (price.cacheRead ?? price.input) + usage.outputTokens * price.output) / 1e6
}

function paramsOf({ temperature, maxOutputTokens, seed, toolChoice, tools }: ModelRequest): object {
  return { temperature, maxOutputTokens, seed, toolChoice, tools: tools?.map(({ id }) => id) }
}

/** The parsed answer, where a schema was asked for and the text fits it. */
function dataOf(request: ModelRequest, text: string): { data?: unknown } {
  if (request.outputSchema === undefined) return {}
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)
  try {
    const data: unknown = JSON.parse(fenced?.[1] ?? text)
    return findErrors(request.outputSchema, data).length === 0 ? { data } : {}
  } catch {
    return {}
  }
}
