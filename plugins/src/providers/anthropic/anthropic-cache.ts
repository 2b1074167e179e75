import type { Json } from '../format/json.ts'
import { isRecord, toList } from '../format/json.ts'

const MARK = { cache_control: { type: 'ephemeral' } }
/** Blocks that a mark is refused on. */
const UNMARKED: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

const takesMark = (block: unknown): boolean =>
  isRecord(block) && !UNMARKED.has(block.type) && !(block.type === 'text' && block.text === '')

/**
 * The body with marks up to where it may be cached: after the tools, the system text and the newest message, so that the
 * next call of a conversation finds all that this one has sent. Nothing that is given is changed: blocks come again.
 */
export function markCached(body: Json): Json {
  const tools = toList(body.tools)
  const messages = toList(body.messages)
  const last = messages.at(-1)
  return {
    ...body,
    ...(tools.length > 0 && { tools: markLast(tools) }),
    ...(typeof body.system === 'string' && { system: markLast([{ type: 'text', text: body.system }]) }),
    ...(isRecord(last) && {
      messages: [...messages.slice(0, -1), { ...last, content: markLast(toList(last.content)) }],
    }),
  }
}

function markLast(blocks: readonly unknown[]): unknown[] {
  const at = blocks.findLastIndex(takesMark)
  return blocks.map((block, index) => (index === at && isRecord(block) ? { ...block, ...MARK } : block))
}
