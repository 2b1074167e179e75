import type { Message } from '../contracts/model/message.ts'
import { textMessage, toText } from '../contracts/model/message-text.ts'
import { canonicalJson } from '../support/canonical-json.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { estimateMedia, mediaOf } from './media/media.ts'

export interface CompactOptions {
  /** The model's window in tokens. */
  window: number
  /** Tokens that the messages take, where it is known better than by estimate. */
  used?: number
  /** Share of the window from which on something is done. Default .7. */
  from?: number
  /** How many of the newest tool outputs are left alone. Default 10. */
  keep?: number
}

export interface CompactResult {
  /** The same array where nothing was done. */
  messages: Message[]
  /** Tool outputs that were masked. */
  masked: number
  /** Estimated tokens before and after. */
  before: number
  after: number
}

const FROM = 0.7
const KEEP = 10
/** What a message costs beside its content. */
const MESSAGE_OVERHEAD = 4

/** An estimate of the tokens of a message, its tool calls included. */
export function estimateMessageTokens({ content, toolCalls = [] }: Message): number {
  const media = mediaOf(content).reduce((sum, part) => sum + estimateMedia(part), 0)
  const calls = toolCalls.reduce(
    (sum, { tool, args }) => sum + estimateTokens(`${tool} ${JSON.stringify(args) ?? ''}`),
    0,
  )
  return MESSAGE_OVERHEAD + media + calls + estimateTokens(toText(content))
}

/**
 * Makes a long conversation with a model shorter by leaving out old tool outputs.
 *
 * Masking old outputs keeps quality as well as summaries do, at about half their cost (Lindenbauer et al., The
 * Complexity Trap, 2025, arXiv 2508.21433). Outputs older than the newest `keep`, and outputs of reads that a later call
 * of the same tool with the same arguments repeats, become `[output omitted: tool, tokens, ref]`. Messages are neither
 * removed nor reordered, so every call keeps its result; what models, users and systems said stays. Pure: the input is
 * not changed.
 */
export function compactMessages(messages: Message[], options: CompactOptions): CompactResult {
  const { window, used, from = FROM, keep = KEEP } = options
  if (used !== undefined && used < from * window) return { messages, masked: 0, before: used, after: used }
  const sizes = messages.map(estimateMessageTokens)
  const estimated = sizes.reduce((sum, tokens) => sum + tokens, 0)
  const before = used ?? estimated
  if (before < from * window) return { messages, masked: 0, before, after: before }
  const calls = toCalls(messages)
  const results = messages.flatMap(({ role }, index) => (role === 'tool' ? [index] : []))
  const old = new Set(results.slice(0, Math.max(0, results.length - keep)))
  const latest = new Map<string, number>()
  for (const index of results) latest.set(calls.get(index)?.signature ?? `${index}`, index)
  let masked = 0
  let saved = 0
  const compacted = messages.map((message, index) => {
    if (message.role !== 'tool') return message
    const call = calls.get(index)
    const isSuperseded = (latest.get(call?.signature ?? `${index}`) ?? index) > index
    if (!old.has(index) && !isSuperseded) return message
    const size = sizes[index] ?? 0
    const ref = message.toolCallId ?? 'unknown call'
    const notice = textMessage('tool', `[output omitted: ${call?.tool ?? 'tool'}, ${size} tokens, ${ref}]`)
    const shorter: Message = message.toolCallId === undefined ? notice : { ...notice, toolCallId: message.toolCallId }
    const saving = size - estimateMessageTokens(shorter)
    if (saving <= 0) return message
    masked++
    saved += saving
    return shorter
  })
  return masked === 0
    ? { messages, masked, before, after: before }
    : { messages: compacted, masked, before, after: Math.max(0, before - saved) }
}

interface PastCall {
  tool: string
  /** Equal for calls that ask for the same thing. */
  signature: string
}

/** The call that each tool message answers: the newest call of that id before it. */
function toCalls(messages: readonly Message[]): Map<number, PastCall> {
  const open = new Map<string, PastCall>()
  const calls = new Map<number, PastCall>()
  messages.forEach(({ role, toolCalls = [], toolCallId }, index) => {
    for (const { callId, tool, args } of toolCalls) {
      open.set(callId, { tool, signature: `${tool}\n${canonicalJson(args)}` })
    }
    const call = role === 'tool' && toolCallId !== undefined ? open.get(toolCallId) : undefined
    if (call !== undefined) calls.set(index, call)
  })
  return calls
}
