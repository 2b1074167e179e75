import type { Usage } from './usage.ts'

/** No tokens at all. */
export const noUsage = (): Usage => ({ inputTokens: 0, outputTokens: 0, estimated: false })

/** The sum of several usages; it is estimated when any part is. Optional fields appear when a part has them. */
export function addUsage(...parts: readonly Usage[]): Usage {
  const total: Usage = noUsage()
  for (const part of parts) addInto(total, part)
  return total
}

/** Adds a usage to a total, which is changed. */
export function addInto(total: Usage, part: Usage): void {
  total.inputTokens += part.inputTokens
  total.outputTokens += part.outputTokens
  for (const name of ['cachedTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
    if (part[name] !== undefined) total[name] = (total[name] ?? 0) + part[name]
  }
  total.estimated ||= part.estimated
}
