import type { Usage } from '../../../contracts/model/usage.ts'
import { ConfigError } from '../../../errors.ts'
import { estimateTokens } from '../../../text/estimate-tokens.ts'
import { costOf } from '../../budget/cost.ts'
import { usableUsage } from '../../budget/usable-usage.ts'
import { requestMark } from '../../journal/keyed-journal.ts'
import { callSite } from '../call-context.ts'
import { announceBudget, modelCallId } from './model-call.ts'
import type { ModelContext } from './model-context.ts'

export interface EmbedRequest {
  key: string
  agentId: string
  model: string
  texts: readonly string[]
}

/** Vectors for texts, recorded and charged like any other call. */
export async function embed(
  run: ModelContext,
  { key, agentId, model: name, texts }: EmbedRequest,
): Promise<number[][]> {
  run.stop.throwIfStopped()
  const { provider, model, info } = await run.env.catalog.resolve(name)
  const embedTexts = provider.embed?.bind(provider)
  if (embedTexts === undefined) {
    throw new ConfigError('unknown_provider', `provider "${provider.id}" offers no embeddings: name one that does`)
  }
  const site = callSite(agentId, modelCallId(run.facts.id, key), undefined)
  const inputTokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0)
  let isMade = false
  const make = async (): Promise<{ vectors: number[][]; usage: Usage; costUsd: number | null }> => {
    isMade = true
    await run.recorder.flush()
    const reservation = await run.ledger.reserve(agentId, inputTokens, 0, info?.price, run.stop.signal)
    const estimate = { inputTokens, outputTokens: 0, estimated: true }
    let usage: Usage = estimate
    try {
      const answer = await embedTexts([...texts], { signal: run.stop.signal, model })
      usage = usableUsage(answer.usage, () => estimate, true)
      return { vectors: answer.vectors, usage, costUsd: costOf(usage, info?.price) }
    } finally {
      announceBudget(run, site, run.ledger.settle(reservation, usage, estimate, costOf(usage, info?.price)))
    }
  }
  const { journal } = run.recorder
  const { vectors, usage, costUsd } = await journal.step(key, 'pure', make, requestMark(texts))
  if (!isMade)
    run.ledger.charge(agentId, usage, costUsd, { inputTokens, outputTokens: 0, estimated: true }, info?.price)
  run.recorder.emit(
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
