import type { Run, UsageTotal, Warning } from '@svc/core'

/** A block of an answer. */
export type AnswerBlock =
  | { type: 'text'; text: string; citations: null }
  | { type: 'tool_use'; id: string; name: string; input: unknown; caller: { type: 'direct' } }

/** Tokens of one answer. Those of a cache are not in `input_tokens`. */
export interface MessageUsage {
  input_tokens: number
  output_tokens: number
  cache_read_input_tokens: number
  cache_creation_input_tokens: number
}

export type StopReason = 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'refusal'

/** Why an answer ends. */
export interface AnswerStop {
  reason: StopReason
  /** The stop sequence that was met. */
  sequence?: string | undefined
}

/** What the run of an answer came to, for clients that know svc. */
export interface SvcPart {
  run_id: string
  status: Run['status']
  verdict?: NonNullable<Run['verdict']>
  /** Why it is incomplete. */
  reason?: string
  /** What its person is to know: turns that were left out, what was denied, ... */
  warnings?: Warning[]
}

export const textBlock = (text: string): AnswerBlock => ({ type: 'text', text, citations: null })

export const callBlock = (id: string, name: string, input: unknown): AnswerBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
  caller: { type: 'direct' },
})

/** @param after number of the last event that an earlier answer of the run had; 0: there was none */
export const messageIdOf = ({ id }: Pick<Run, 'id'>, after: number): string =>
  `msg_${id.slice('run_'.length)}${after === 0 ? '' : `_${after}`}`

const MESSAGE = /^msg_([0-9A-HJKMNP-TV-Z]{26})(?:_\d{1,15})?$/

/** Id of the run that gave an answer; undefined for what is no id of such an answer. */
export function runIdOfMessage(id: string): string | undefined {
  const ulid = MESSAGE.exec(id)?.[1]
  return ulid === undefined ? undefined : `run_${ulid}`
}

/** What a run has used since an earlier answer of it. */
export function usageSince(now: UsageTotal, before?: UsageTotal): MessageUsage {
  const more = (field: 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'cacheWriteTokens'): number =>
    Math.max(0, (now[field] ?? 0) - (before?.[field] ?? 0))
  const [read, written] = [more('cachedTokens'), more('cacheWriteTokens')]
  return {
    input_tokens: Math.max(0, more('inputTokens') - read - written),
    output_tokens: more('outputTokens'),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  }
}

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
