import type { ContentPart } from '../../contracts/message.ts'
import { toText } from '../../contracts/message.ts'

/** What a tool returned, as content for a model. */
export function toContent(returned: unknown): ContentPart[] {
  if (returned === undefined || returned === null) return [{ type: 'text', text: 'done' }]
  if (typeof returned === 'string') return [{ type: 'text', text: returned }]
  if (Array.isArray(returned) && returned.length > 0 && returned.every(isPart)) return returned
  return [{ type: 'json', json: JSON.parse(JSON.stringify(returned) ?? 'null') }]
}

function isPart(value: unknown): value is ContentPart {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  const part = value as Record<string, unknown>
  if (part.type === 'text') return typeof part.text === 'string'
  if (part.type === 'image') return typeof part.data === 'string' && typeof part.mimeType === 'string'
  return part.type === 'json' && 'json' in part
}

/** Content that is at most `maxBytes` long, and how long it was. */
export function cutContent(
  content: ContentPart[],
  maxBytes: number,
): { content: ContentPart[]; bytes: number; truncated: boolean } {
  const bytes = content.reduce(
    (sum, part) => sum + (part.type === 'image' ? part.data.length : Buffer.byteLength(toText([part]))),
    0,
  )
  if (bytes <= maxBytes) return { content, bytes, truncated: false }
  const text = toText(content)
  const kept = Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
  return { content: [{ type: 'text', text: `${kept}\n[cut: ${maxBytes} of ${bytes} bytes]` }], bytes, truncated: true }
}
