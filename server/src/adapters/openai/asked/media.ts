import type { ContentPart } from '@svc/core'
import { toMediaPart } from '@svc/core/text'
import { mediaOf, refuse } from '../../shared/fields.ts'

const TEXT_TYPE = /^(?:text\/|application\/(?:json|xml|yaml)$)/

/**
 * An image or a file that a client sends along.
 *
 * @param url `data:image/png;base64,...`; of a file also plain base64
 * @throws ValidationError for a link, since nothing is fetched for a client, and for what is no image, PDF or text
 */
export function readMedia(url: string, path: string, name?: string): ContentPart {
  if (/^[a-z][a-z\d+.-]{0,30}:\/\//i.test(url))
    refuse(path, 'must be a data: URL with base64: svc fetches nothing for a client')
  const comma = url.startsWith('data:') ? url.indexOf(',') : -1
  if (url.startsWith('data:') && comma === -1) refuse(path, 'must be a data: URL with base64, and has no data')
  const [mimeType = '', ...parameters] = url.slice('data:'.length, Math.max(comma, 0)).toLowerCase().split(';')
  if (comma !== -1 && !parameters.includes('base64')) refuse(path, 'must be a data: URL with ;base64')
  const bytes = Buffer.from(url.slice(comma + 1), 'base64')
  if (TEXT_TYPE.test(mimeType)) return { type: 'text', text: `${name ?? 'file'}:\n${bytes.toString('utf8')}` }
  const part = toMediaPart(bytes, name)
  if (part === undefined) return refuse(path, 'must be a PNG, JPEG, GIF or WebP image, or a PDF: its bytes are none')
  return mediaOf(part, path)
}
