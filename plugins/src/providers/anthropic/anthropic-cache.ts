import type { Json } from '../format/json.ts'
import { isRecord, toList } from '../format/json.ts'

const MARK = { cache_control: { type: 'ephemeral' } }
/** Blocks that a mark is refused on. */
const UNMARKED: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

const takesMark = (block: unknown): boolean =>
  isRecord(block) && !UNMARKED.has(block.type) && !(block.type === 'text' && block.text === '')

/**
 * The body with marks up to where it may be cached: after the tools, the system text and the newest message, so that the
 * next call of a conversation finds all that this one has sent; and before what the user asked last, since the next run of a
 * thread sends what is before it again and the rest of this run not. Nothing that is given is changed: blocks come again.
 */
export function markCached(body: Json): Json {
  const tools = toList(body.tools)
  const messages = toList(body.messages)
  const marked = new Set([messages.findLastIndex(isAsked) - 1, messages.length - 1])
  return {
    ...body,
    ...(tools.length > 0 && { tools: markLast(tools) }),
    ...(typeof body.system === 'string' && { system: markLast([{ type: 'text', text: body.system }]) }),
    messages: messages.map((message, at) =>
      marked.has(at) && isRecord(message) ? { ...message, content: markLast(toList(message.content)) } : message,
    ),
  }
}

/** Whether the user says something: results of tools come as the user's, too. */
const isAsked = (message: unknown): boolean =>
  isRecord(message) &&
  message.role === 'user' &&
  !toList(message.content).some((block) => isRecord(block) && block.type === 'tool_result')

function markLast(blocks: readonly unknown[]): unknown[] {
  const at = blocks.findLastIndex(takesMark)
  return blocks.map((block, index) => (index === at && isRecord(block) ? { ...block, ...MARK } : block))
}
