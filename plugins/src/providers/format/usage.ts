import type { Usage } from '@svc/core'
import { toCount } from './json.ts'

/** The counts of an answer as a server reported them, whatever they are. */
interface Reported {
  input: unknown
  output: unknown
  cached: unknown
  cacheWrite?: unknown
  reasoning: unknown
}

/** Counts as usage; undefined where those of input or output cannot be. Others that cannot be are left out. */
export function toUsage(reported: Reported): Usage | undefined {
  const [inputTokens, outputTokens] = [toCount(reported.input), toCount(reported.output)]
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const [cachedTokens, cacheWriteTokens] = [toCount(reported.cached), toCount(reported.cacheWrite)]
  const reasoningTokens = toCount(reported.reasoning)
  return {
    inputTokens,
    outputTokens,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    estimated: false,
  }
}
