import type { Json } from '../format/json.ts'
import { isRecord, toList } from '../format/json.ts'

const MARK = { cache_control: { type: 'ephemeral' } }
/** Blocks that a mark is refused on. */
const UNMARKED: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

const takesMark = (block: unknown): boolean =>
  isRecord(block) && !UNMARKED.has(block.type) && !(block.type === 'text' && block.text === '')

/** So many blocks before a mark the server looks for what it has kept. */
const LOOK_BACK = 20

/**
 * The body with marks up to where it may be cached: after the tools, the system text and the newest message, so that the
 * next call of a conversation finds all that this one has sent. A request may have one mark more. It stands where the
 * request before this one ended, when that is further back than the server looks; else before what the user asked last,
 * since the next run of a thread, or the next step of a run, sends what is before it again and the rest not. Nothing that is
 * given is changed: blocks come again.
 */
export function markCached(body: Json): Json {
  const tools = toList(body.tools)
  const messages = toList(body.messages).filter(isRecord)
  const marked = messages.map(({ content }) => toList(content))
  const asked = messages.findLastIndex(isAsked)
  const ended = messages.findLastIndex(({ role }) => role === 'assistant') - 1
  const isFar = ended >= 0 && marked.slice(ended + 1).flat().length >= LOOK_BACK
  const [at, place] = isFar ? [ended, Infinity] : toEndBefore(marked, asked)
  marked[at] = markLast(marked[at] ?? [], place)
  marked[marked.length - 1] = markLast(marked.at(-1) ?? [])
  return {
    ...body,
    ...(tools.length > 0 && { tools: markLast(tools) }),
    ...(typeof body.system === 'string' && { system: markLast([{ type: 'text', text: body.system }]) }),
    messages: messages.map((message, index) => ({ ...message, content: marked[index] })),
  }
}

/** The message and the block behind which the question begins: what came with it stands in blocks before it. */
function toEndBefore(contents: readonly (readonly unknown[])[], asked: number): [message: number, blocks: number] {
  const blocks = (contents[asked] ?? []).findLastIndex((block) => isRecord(block) && block.type === 'text')
  return blocks > 0 ? [asked, blocks] : [Math.max(0, asked - 1), asked > 0 ? Infinity : 0]
}

/** Whether the user says something: results of tools come as the user's, too. */
const isAsked = (message: unknown): boolean =>
  isRecord(message) &&
  message.role === 'user' &&
  !toList(message.content).some((block) => isRecord(block) && block.type === 'tool_result')

/** @param most of so many blocks, from the first */
function markLast(blocks: readonly unknown[], most = blocks.length): unknown[] {
  const at = blocks.slice(0, most).findLastIndex(takesMark)
  return blocks.map((block, index) => (index === at && isRecord(block) ? { ...block, ...MARK } : block))
}
