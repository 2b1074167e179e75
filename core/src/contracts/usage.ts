import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Tokens } from './schema.ts'

/** Tokens that one or more model calls took. */
export const Usage = Type.Object({
  inputTokens: Tokens('tokens sent, cached ones included'),
  outputTokens: Tokens('tokens received, reasoning included'),
  cachedTokens: Type.Optional(Tokens("of `inputTokens`, those read from the provider's cache")),
  reasoningTokens: Type.Optional(Tokens('of `outputTokens`, those spent on reasoning')),
  estimated: Type.Boolean({ description: 'true when the provider reported nothing usable and svc estimated' }),
})
export type Usage = Static<typeof Usage>

/** Usage added up over several calls. */
export const UsageTotal = Type.Object({
  ...Usage.properties,
  modelCalls: Tokens('number of model calls'),
})
export type UsageTotal = Static<typeof UsageTotal>

/** No tokens at all. */
export const noUsage = (): Usage => ({ inputTokens: 0, outputTokens: 0, estimated: false })

/** The sum of several usages; it is estimated when any part is. Optional fields appear when a part has them. */
export function addUsage(...parts: readonly Usage[]): Usage {
  const total: Usage = noUsage()
  for (const part of parts) {
    total.inputTokens += part.inputTokens
    total.outputTokens += part.outputTokens
    if (part.cachedTokens !== undefined) total.cachedTokens = (total.cachedTokens ?? 0) + part.cachedTokens
    if (part.reasoningTokens !== undefined) total.reasoningTokens = (total.reasoningTokens ?? 0) + part.reasoningTokens
    total.estimated ||= part.estimated
  }
  return total
}
