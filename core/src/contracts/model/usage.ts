import type { Static } from 'typebox'
import * as Type from 'typebox'
import { CostUsd, Tokens } from '../schema.ts'

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

/** What a try of a model call may take, written down before it is made: it counts where a crash has cut the try off. */
export const Reserve = Type.Object({
  usage: Usage,
  costUsd: CostUsd,
  moreTokens: Tokens('that the answer may have had beyond its usual length: they count against hard limits'),
  moreUsd: Type.Number({ minimum: 0, description: 'US dollars that these may have cost' }),
})
export type Reserve = Static<typeof Reserve>

/** Usage added up over several calls. */
export const UsageTotal = Type.Object({
  ...Usage.properties,
  modelCalls: Tokens('number of model calls that were answered or cut off, each once with all of its tries'),
})
export type UsageTotal = Static<typeof UsageTotal>
