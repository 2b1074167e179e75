import { createHash } from 'node:crypto'
import type { Quirks } from '@svc/core'
import { isRecord, toList } from '../format/json.ts'

/** Models that keep what stands before a mark; those before them find equal beginnings by themselves. */
const takesMarks = (model: string): boolean => /^gpt-(?:5\.[6-9]|[6-9]|\d\d)/.test(model)

const MARK = { prompt_cache_breakpoint: { mode: 'explicit' } }
const SYSTEM: ReadonlySet<unknown> = new Set(['system', 'developer'])

/**
 * The body with what OpenAI's own caches go by: a key that requests with the same tools share, else those with the
 * same system text, so that they meet where these are kept; and marks behind the system text and behind what stands before the question, where the
 * model takes some, since the vendor itself marks the newest message alone.
 */
export function markPrefix(body: Record<string, unknown>, model: string, quirks: Quirks): Record<string, unknown> {
  const field = Array.isArray(body.messages) ? 'messages' : 'input'
  const items = toList(body[field])
  const start = items.findIndex((item) => !isRecord(item) || !SYSTEM.has(item.role))
  const system = items.slice(0, start < 0 ? items.length : start)
  body.prompt_cache_key = createHash('sha256')
    .update(JSON.stringify(body.tools ?? system))
    .digest('hex')
    .slice(0, 24)
  if (!takesMarks(model) || quirks.stripParams?.includes('prompt_cache_breakpoint')) return body
  const type = field === 'messages' ? 'text' : 'input_text'
  const asked = items.findLastIndex((item) => isRecord(item) && item.role === 'user')
  body[field] = items.map((item, at) => {
    if (!isRecord(item)) return item
    const parts = typeof item.content === 'string' ? [{ type, text: item.content }] : toList(item.content)
    if (at === system.length - 1) return { ...item, content: markAt(parts, parts.length - 1) }
    const question = parts.findLastIndex((part) => isRecord(part) && part.type === type)
    return at === asked && question > 0 ? { ...item, content: markAt(parts, question - 1) } : item
  })
  return body
}

const markAt = (parts: readonly unknown[], place: number): unknown[] =>
  parts.map((part, at) => (at === place && isRecord(part) ? { ...part, ...MARK } : part))
