import type { Usage } from './usage.ts'

/** No tokens at all. */
export const noUsage = (): Usage => ({ inputTokens: 0, outputTokens: 0, estimated: false })

/** The sum of several usages; it is estimated when any part is. Optional fields appear when a part has them. */
export function addUsage(...parts: readonly Usage[]): Usage {
  const total: Usage = noUsage()
  for (const part of parts) {
    total.inputTokens += part.inputTokens
    total.outputTokens += part.outputTokens
    if (part.cachedTokens !== undefined) total.cachedTokens = (total.cachedTokens ?? 0) + part.cachedTokens
    if (part.cacheWriteTokens !== undefined)
      total.cacheWriteTokens = (total.cacheWriteTokens ?? 0) + part.cacheWriteTokens
    if (part.reasoningTokens !== undefined) total.reasoningTokens = (total.reasoningTokens ?? 0) + part.reasoningTokens
    total.estimated ||= part.estimated
  }
  return total
}
