import type { ContentPart } from '../../../contracts/model/message.ts'
import { toText } from '../../../contracts/model/message-text.ts'
import { describeMedia, findMediaFault, isMedia } from '../../../text/media/media.ts'

/** What a tool returned, as content for a model. */
export function toContent(returned: unknown): ContentPart[] {
  if (returned === undefined || returned === null) return [{ type: 'text', text: 'done' }]
  if (typeof returned === 'string') return [{ type: 'text', text: returned }]
  if (Array.isArray(returned) && returned.length > 0 && returned.every(isPart))
    return returned.some(isMedia) ? returned.map(toSendable) : returned
  return [{ type: 'json', json: JSON.parse(JSON.stringify(returned) ?? 'null') }]
}

function isPart(value: unknown): value is ContentPart {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  const part = value as Record<string, unknown>
  if (part.type === 'text') return typeof part.text === 'string'
  if (part.type === 'image' || part.type === 'file') {
    return typeof part.data === 'string' && typeof part.mimeType === 'string'
  }
  return part.type === 'json' && 'json' in part
}

/** What no model takes is there in words. */
function toSendable(part: ContentPart): ContentPart {
  const fault = isMedia(part) ? findMediaFault(part) : undefined
  if (fault === undefined || !isMedia(part)) return part
  return { type: 'text', text: `[${describeMedia(part)}, which cannot be shown: ${fault}]` }
}

/** Content whose texts are at most `maxBytes` long, and how long all of it was. Images and files are whole or not there. */
export function cutContent(
  content: ContentPart[],
  maxBytes: number,
): { content: ContentPart[]; bytes: number; truncated: boolean } {
  const media = content.filter(isMedia)
  const mediaBytes = media.reduce((sum, { data }) => sum + Buffer.byteLength(data, 'base64'), 0)
  const textBytes = content.reduce((sum, part) => sum + Buffer.byteLength(toText([part])), 0)
  const bytes = textBytes + mediaBytes
  if (textBytes <= maxBytes) return { content, bytes, truncated: false }
  const text = toText(content)
  const kept = Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
  const cut: ContentPart = { type: 'text', text: `${kept}\n[cut: ${maxBytes} of ${textBytes} bytes]` }
  return { content: [cut, ...media], bytes, truncated: true }
}
