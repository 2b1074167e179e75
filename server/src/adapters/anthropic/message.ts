import type { UsageTotal } from '@svc/core'
import type { Outcome } from '../shared/outcome.ts'

/** A block of an answer. */
export type AnswerBlock = { type: 'text'; text: string; citations: null } | CallBlock

export interface CallBlock {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
  caller: { type: 'direct' }
}

/** Tokens of one answer. Those of a cache are not in `input_tokens`. */
export interface MessageUsage {
  input_tokens: number
  output_tokens: number
  cache_read_input_tokens: number
  cache_creation_input_tokens: number
}

type StopReason = 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'refusal'

/** Why an answer ends. */
export interface AnswerStop {
  reason: StopReason
  /** The stop sequence that was met. */
  sequence?: string | undefined
}

export const textBlock = (text: string): AnswerBlock => ({ type: 'text', text, citations: null })

/** The calls that an answer asks for. @param isSerial whether it asks for one at most */
export const callsOf = ({ calls }: Outcome, isSerial: boolean): CallBlock[] =>
  calls.slice(0, isSerial ? 1 : undefined).map(({ id, name, args }) => ({
    type: 'tool_use',
    id,
    name,
    input: args,
    caller: { type: 'direct' },
  }))

/** An answer as a whole. */
export const blocksOf = (outcome: Outcome, isSerial: boolean): AnswerBlock[] => [
  ...(outcome.text === '' ? [] : [textBlock(outcome.text)]),
  ...callsOf(outcome, isSerial),
]

/** Why an answer ends. */
export function stopOf({ calls, stoppedBy, isRefused, isCut }: Outcome): AnswerStop {
  if (stoppedBy !== undefined) return { reason: 'stop_sequence', sequence: stoppedBy }
  return { reason: calls.length > 0 ? 'tool_use' : isRefused ? 'refusal' : isCut ? 'max_tokens' : 'end_turn' }
}

export const toUsage = ({
  inputTokens,
  outputTokens,
  cachedTokens = 0,
  cacheWriteTokens = 0,
}: UsageTotal): MessageUsage => ({
  input_tokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
  output_tokens: outputTokens,
  cache_read_input_tokens: cachedTokens,
  cache_creation_input_tokens: cacheWriteTokens,
})

/** A message of the assistant; a stream begins with one without content. */
export const toMessage = (
  id: string,
  model: string,
  content: AnswerBlock[],
  stop: AnswerStop | undefined,
  usage: MessageUsage,
) => ({
  id,
  type: 'message' as const,
  role: 'assistant' as const,
  model,
  content,
  stop_reason: stop?.reason ?? null,
  stop_sequence: stop?.sequence ?? null,
  stop_details: null,
  container: null,
  usage: { ...usage, cache_creation: null, server_tool_use: null, service_tier: null },
})
