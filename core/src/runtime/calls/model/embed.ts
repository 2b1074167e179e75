import type { BegunStep } from '../../../contracts/log/journal.ts'
import type { Reserve, Usage } from '../../../contracts/model/usage.ts'
import { ConfigError } from '../../../errors.ts'
import { estimateTokens } from '../../../text/estimate-tokens.ts'
import { costOf } from '../../budget/cost.ts'
import { usableUsage } from '../../budget/usable-usage.ts'
import { requestMark } from '../../journal/keyed-journal.ts'
import { type CallSite, callSite } from '../call-context.ts'
import { countDoubt, countEarlierTries } from './layers/journal.ts'
import { lostUsage, toReserve } from './layers/ledger.ts'
import { announceBudget, modelCallId } from './model-call.ts'
import type { ModelContext } from './model-context.ts'

export interface EmbedRequest {
  key: string
  agentId: string
  model: string
  texts: readonly string[]
}

interface Embedded {
  provider: string
  model: string
  vectors: number[][]
  usage: Usage
  costUsd: number | null
}

/** Records of older versions do not say who answered. */
type RecordedEmbedding = Omit<Embedded, 'provider' | 'model'> & Partial<Embedded>

/** Vectors for texts, recorded and charged like any other call. */
export async function embed(run: ModelContext, request: EmbedRequest): Promise<number[][]> {
  run.stop.throwIfStopped()
  const { key, agentId, texts } = request
  const site = callSite(agentId, modelCallId(run.facts.id, key), undefined)
  const inputTokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0)
  countEarlierTries(run, { site })
  const step = await begin(run, request)
  const answer = step.isDone
    ? await chargeAgain(run, request, step.outcome, inputTokens)
    : await make(run, request, site, step, inputTokens)
  const { provider, model, vectors, usage, costUsd } = answer
  run.recorder.emit(
    'model.completed',
    {
      provider,
      model,
      toolCalls: [],
      finishReason: 'stop',
      usage,
      costUsd,
      latencyMs: 0,
      cached: step.isDone,
    },
    site,
  )
  return vectors
}

/** @throws what the call is recorded to have failed with, after it has counted that as it counted then */
async function begin(
  { recorder: { journal }, ledger }: ModelContext,
  { key, agentId, texts }: EmbedRequest,
): Promise<BegunStep<RecordedEmbedding>> {
  try {
    return await journal.begin(key, 'pure', requestMark(texts))
  } catch (thrown) {
    const took = journal.outcomeOf(key) as Pick<Embedded, 'usage' | 'costUsd'> | undefined
    if (took !== undefined) ledger.charge(agentId, took.usage, took.costUsd)
    throw thrown
  }
}

/** Counts a recorded answer as its call was counted, svc's own estimate included. */
async function chargeAgain(
  { env, ledger }: ModelContext,
  { agentId, model: name }: EmbedRequest,
  recorded: RecordedEmbedding,
  inputTokens: number,
): Promise<Embedded> {
  let { provider, model } = recorded
  if (provider === undefined || model === undefined) {
    const found = await env.catalog.resolve(name)
    provider = found.provider.id
    model = found.model
  }
  const price = ledger.limitsCost ? await env.catalog.priceOf(provider, model) : undefined
  ledger.charge(agentId, recorded.usage, recorded.costUsd, estimateOf(inputTokens), price)
  return { ...recorded, provider, model }
}

async function make(
  run: ModelContext,
  { agentId, model: name, texts }: EmbedRequest,
  site: CallSite,
  { noted, note, end, fail }: BegunStep<RecordedEmbedding> & { isDone: false },
  inputTokens: number,
): Promise<Embedded> {
  if (noted !== undefined) countDoubt(run, { site, note }, noted as Reserve)
  let lost: Usage | undefined
  let costUsd: number | null = 0
  try {
    const { provider, model, info } = await run.env.catalog.resolve(name)
    const embedTexts = provider.embed?.bind(provider)
    if (embedTexts === undefined) {
      throw new ConfigError('unknown_provider', `provider "${provider.id}" offers no embeddings: name one that does`)
    }
    const reservation = await run.ledger.reserve(agentId, inputTokens, 0, info?.price, run.stop.signal)
    // Should the process end during the call, that is what it took.
    note(toReserve(reservation))
    const settle = (usage: Usage, least: Usage): void => {
      costUsd = costOf(usage, info?.price)
      announceBudget(run, site, run.ledger.settle(reservation, usage, least, costUsd))
    }
    const ask = async (): ReturnType<typeof embedTexts> => {
      await run.recorder.flush()
      return embedTexts([...texts], { signal: run.stop.signal, model })
    }
    const asked = await ask().catch((thrown: unknown) => {
      lost = lostUsage(thrown, { inputTokens, seen: '' })
      settle(lost, lost)
      throw thrown
    })
    const estimate = estimateOf(inputTokens)
    const usage = usableUsage(asked.usage, () => estimate, true)
    settle(usage, estimate)
    const answer = { provider: provider.id, model, vectors: asked.vectors, usage, costUsd }
    await end(answer)
    return answer
  } catch (thrown) {
    await fail(thrown, lost && { usage: lost, costUsd })
    throw thrown
  }
}

const estimateOf = (inputTokens: number): Usage => ({ inputTokens, outputTokens: 0, estimated: true })
