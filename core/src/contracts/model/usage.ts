import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Tokens } from '../schema.ts'

/** Tokens that one or more model calls took. */
export const Usage = Type.Object({
  inputTokens: Tokens('tokens sent, cached ones included'),
  outputTokens: Tokens('tokens received, reasoning included'),
  cachedTokens: Type.Optional(Tokens("of `inputTokens`, those read from the provider's cache")),
  cacheWriteTokens: Type.Optional(Tokens("of `inputTokens`, those written to the provider's cache")),
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
