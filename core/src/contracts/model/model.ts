import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { JsonSchema } from '../schema.ts'
import { CostUsd, Count, Opaque, Text, Texts, Tokens } from '../schema.ts'
import { Message, ToolCall } from './message.ts'
import { Usage } from './usage.ts'

/** What a model sees of a tool. */
export const ToolSpec = Type.Object({
  id: Text('slug; for tools of servers `mcp.<server>.<tool>`'),
  description: Text('what it does and when to use it'),
  parameters: Opaque<JsonSchema>('JSON Schema of the arguments'),
})
export type ToolSpec = Static<typeof ToolSpec>

/** Why a model stopped. */
export const FinishReason = Type.Enum(['stop', 'length', 'toolCalls', 'contentFilter'])
export type FinishReason = Static<typeof FinishReason>

/** How much a model that reasons is to think before it answers. Others, and providers that know no such thing, ignore it. */
export const Effort = Type.Enum(['low', 'medium', 'high'], {
  description: 'how much a model that reasons is to think; others ignore it',
})
export type Effort = Static<typeof Effort>

/** One question to a model. */
export const ModelRequest = Type.Object({
  model: Text("`provider/model` at the gateway, the provider's own id inside the provider; empty: the run's default"),
  messages: Type.Array(Message),
  tools: Type.Optional(Type.Array(ToolSpec)),
  toolChoice: Type.Optional(
    Type.Union([Type.Enum(['auto', 'none', 'required']), Type.Object({ tool: Type.String() })]),
  ),
  outputSchema: Type.Optional(Opaque<JsonSchema>('asks for JSON of this shape')),
  maxOutputTokens: Type.Optional(Tokens('upper bound on the answer')),
  temperature: Type.Optional(Type.Number({ minimum: 0 })),
  effort: Type.Optional(Effort),
  stop: Type.Optional(Texts('sequences at which to stop')),
  seed: Type.Optional(Type.Integer()),
  stream: Type.Boolean({ description: 'false is a hint that nobody reads pieces' }),
  state: Type.Optional(Type.Unknown({ description: "opaque, from the provider's last answer" })),
})
export type ModelRequest = Static<typeof ModelRequest>

/** One piece of a model's answer. The last piece of every answer is `finish`. */
export type ModelPart =
  | { type: 'text' | 'reasoning'; text: string }
  | { type: 'toolCall'; call: ToolCall }
  | { type: 'finish'; finishReason: FinishReason; usage: Usage; state?: unknown; responseId?: string }

/** What is left of a limit, and in how many milliseconds all of it is there again. */
export interface RateLeft {
  remaining: number
  resetMs: number
  limit?: number
}

/** What a server says of its limits. */
export interface RateLimits {
  requests?: RateLeft
  tokens?: RateLeft
}

/** A provider's whole answer: what its parts add up to. */
export interface ModelCompletion {
  text: string
  /** Absent where the model showed none. */
  reasoning?: string
  toolCalls: ToolCall[]
  finishReason: FinishReason
  usage: Usage
  /** Opaque; passed back with the next request. */
  state?: unknown
  /** What the vendor calls this answer. */
  responseId?: string
  /** Milliseconds from the call to its first part; absent where nothing came before the finish. */
  ttftMs?: number
  /** What the answer taught about the provider, as the config fields that make it permanent. */
  learnt?: readonly string[]
  /** What the server said is left of its limits. */
  limits?: RateLimits
}

/** A model's whole answer, as the gateway returns it. */
export const ModelAnswer = Type.Object({
  text: Type.String(),
  reasoning: Type.Optional(Type.String()),
  toolCalls: Type.Array(ToolCall),
  data: Type.Optional(
    Type.Unknown({ description: 'parsed, where `outputSchema` asked for it and the answer fits it' }),
  ),
  misfit: Type.Optional(Text('why who asked for the run does not take `data`, beyond what its schema says')),
  finishReason: FinishReason,
  usage: Usage,
  costUsd: CostUsd,
  provider: Text('id of the provider that answered'),
  model: Text('its own id of the model'),
  latencyMs: Type.Number({ minimum: 0 }),
  ttftMs: Type.Optional(Type.Number({ minimum: 0, description: 'until the first piece of a streamed answer' })),
  state: Type.Optional(Type.Unknown()),
  responseId: Type.Optional(Text('what the vendor calls this answer')),
  unseen: Type.Optional(Texts('images and files of the request that the model was given in words alone')),
})
export type ModelAnswer = Static<typeof ModelAnswer>

/** USD per million tokens. */
export const Price = Type.Object(
  {
    input: Type.Number({ minimum: 0 }),
    output: Type.Number({ minimum: 0 }),
    cacheRead: Type.Optional(Type.Number({ minimum: 0 })),
    cacheWrite: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { description: 'US dollars per million tokens' },
)
export type Price = Static<typeof Price>

/** What is known about a model. */
export const ModelInfo = Type.Object({
  id: Text('as the provider calls it'),
  alias: Type.Optional(Texts('other names')),
  context: Type.Optional(Count('window in tokens')),
  maxOutput: Type.Optional(Count('longest answer in tokens')),
  tools: Type.Optional(Type.Boolean()),
  vision: Type.Optional(Type.Boolean({ description: 'whether it takes images; asked where unknown' })),
  pdf: Type.Optional(Type.Boolean({ description: 'whether it takes PDFs; default as `vision`' })),
  json: Type.Optional(Type.Enum(['schema', 'object', 'none'])),
  reasoning: Type.Optional(Type.Boolean()),
  embedding: Type.Optional(Type.Boolean()),
  price: Type.Optional(Price),
  maxConcurrency: Type.Optional(Count('calls at once')),
  requestsPerMinute: Type.Optional(Count('calls in a minute')),
  tokensPerMinute: Type.Optional(Count('tokens in a minute, input and output together')),
})
export type ModelInfo = Static<typeof ModelInfo>

/** The server of a model, without path and credentials. */
export const ModelServer = Type.Object({ address: Text('name or IP address'), port: Type.Integer() })
export type ModelServer = Static<typeof ModelServer>

/**
 * A way to one or more models.
 *
 * Contract: throws only `ProviderError`; never retries (the model gateway does); the last part is `finish`;
 * stops within 100 ms of an abort. With `stream: false` it may answer in one part over the cheaper call.
 */
export interface ModelProvider {
  readonly id: string
  /** True when equal requests give equal answers: its votes count as one. */
  readonly deterministic?: boolean
  /** The model used when a request names none; the provider's own id. */
  readonly defaultModel?: string
  /** True when `models()` lists all that it has, so that any other name is an error. */
  readonly closed?: boolean
  /** Where its settings came from, for `svc models`; never a key. */
  readonly source?: string
  /** Where its requests go; absent where they go nowhere. */
  readonly server?: ModelServer
  /** How many calls may run at once; no limit when absent. */
  readonly maxConcurrency?: number
  /** How many calls may leave in a minute; no limit when absent. */
  readonly requestsPerMinute?: number
  /** How many tokens they may take in a minute, input and output together; no limit when absent. */
  readonly tokensPerMinute?: number
  /** How often the gateway tries a call again after a failure that may pass. Default 3. */
  readonly maxRetries?: number
  models(): Promise<ModelInfo[]>
  generate(request: ModelRequest, options: { signal: AbortSignal }): AsyncIterable<ModelPart>
  /**
   * The same answer as one promise, for providers that can make it cheaper than part by part.
   *
   * `onPart` is called for each part but the finish, as it comes, before the promise settles. What it throws ends the call.
   */
  complete?(
    request: ModelRequest,
    options: { signal: AbortSignal; onPart?: (part: ModelPart) => void },
  ): Promise<ModelCompletion>
  /** Vectors for texts, one each, where the provider offers embeddings. */
  embed?(
    texts: string[],
    options: { signal: AbortSignal; model?: string },
  ): Promise<{ vectors: number[][]; usage: Usage }>
}

/**
 * Splits `provider/model` at its first slash; a model's own name may hold more of them. A name without a slash, or with
 * nothing before it, has no provider; one with nothing behind it has no model.
 */
export function splitModelName(name: string): { provider?: string; model?: string } {
  const slash = name.indexOf('/')
  const [provider, model] = slash === -1 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)]
  return { ...(provider === '' ? {} : { provider }), ...(model === '' ? {} : { model }) }
}
