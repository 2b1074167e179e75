/** Images and PDFs in messages: what they are in words, what they cost, and how large they may be. */
import type { ContentPart, MediaPart } from '../../contracts/model/message.ts'
import { toText } from '../../contracts/model/message-text.ts'
import type { ModelInfo } from '../../contracts/model/model.ts'
import { type MediaFacts, measureMedia } from './measure-media.ts'

/** Largest image in bytes: in base64 it has 5 MiB, the most that one vendor takes. */
export const MOST_IMAGE_BYTES = 3_932_160
/** Largest PDF in bytes. */
export const MOST_PDF_BYTES = 10_485_760

/** What is known of a part: its bytes are looked at once. */
interface Known {
  bytes: number
  facts: MediaFacts | undefined
}

const known = new WeakMap<MediaPart, Known>()

function look(part: MediaPart): Known {
  let found = known.get(part)
  if (found === undefined) {
    const bytes = Buffer.from(part.data, 'base64')
    found = { bytes: bytes.length, facts: measureMedia(bytes) }
    known.set(part, found)
  }
  return found
}

/** Whether a part is an image or a file, and no text. */
export const isMedia = (part: ContentPart): part is MediaPart => part.type === 'image' || part.type === 'file'

/** The images and files of a content, or of the material of a run. */
export const mediaOf = (content: string | readonly ContentPart[] | undefined): MediaPart[] =>
  typeof content === 'object' ? content.filter(isMedia) : []

/** Bytes of images and files together. */
export const bytesOf = (media: readonly MediaPart[]): number =>
  media.reduce((sum, { data }) => sum + Buffer.byteLength(data, 'base64'), 0)

/** A content with images and files in words: `[image logo.png, 34 kB, 640x480]`. */
export const inWords = (content: readonly ContentPart[]): ContentPart[] =>
  content.map((part) => (isMedia(part) ? { type: 'text', text: `[${describeMedia(part)}]` } : part))

/** The same as `toText`, with images and files in words. */
export const toFullText = (content: string | readonly ContentPart[]): string =>
  typeof content === 'string' ? content : toText(content.some(isMedia) ? inWords(content) : content)

/** `image logo.png, 34 kB, 640x480`, `PDF report.pdf, 1.2 MB, 3 pages`. */
export function describeMedia(part: MediaPart): string {
  const { bytes, facts } = look(part)
  const kind = part.type === 'image' ? 'image' : 'PDF'
  const name = part.name?.replace(/[\p{C}[\]]/gu, '_').slice(0, 200)
  const { width, height, pages } = facts ?? {}
  const size = width === undefined ? [] : [`${width}x${height}`]
  const length = pages === undefined ? [] : [pages === 1 ? '1 page' : `${pages} pages`]
  return [name === undefined ? kind : `${kind} ${name}`, describeBytes(bytes), ...size, ...length].join(', ')
}

/** `34 kB`, `1.2 MB`. */
export const describeBytes = (bytes: number): string =>
  bytes < 1_000 ? `${bytes} bytes` : bytes < 1e6 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

/** The most that a vendor counts for one image, after it has made a large one smaller. */
const MOST_IMAGE_TOKENS = 4_784
const PDF_PAGE_TOKENS = 3_000
/** Bytes of a page, where a PDF does not show its pages. */
const PDF_PAGE_BYTES = 50_000

/**
 * The tokens of an image or a PDF, estimated from above.
 *
 * Of an image the larger of two published rules: width times height by 750, at most 4784 (Anthropic), and 85 and 170
 * for each tile of 512 pixels, after it was made to fit 2048 by 768 (OpenAI). Of a PDF 3000 for each page, which is what
 * Anthropic says of dense ones.
 */
export function estimateMedia(part: MediaPart): number {
  const { bytes, facts } = look(part)
  if (part.type === 'file') return PDF_PAGE_TOKENS * (facts?.pages ?? Math.max(1, Math.ceil(bytes / PDF_PAGE_BYTES)))
  const { width, height } = facts ?? {}
  if (width === undefined || height === undefined) return MOST_IMAGE_TOKENS
  const long = Math.max(width, height)
  const short = Math.min(width, height)
  const scale = Math.min(1, 2_048 / long, 768 / short)
  const tiles = Math.ceil((long * scale) / 512) * Math.ceil((short * scale) / 512)
  return Math.max(85 + 170 * tiles, Math.min(MOST_IMAGE_TOKENS, Math.ceil((width * height) / 750)))
}

/** A file as a part of a message; undefined where it is no PNG, JPEG, GIF, WebP or PDF by its bytes. */
export function toMediaPart(bytes: Buffer, name?: string): MediaPart | undefined {
  const facts = measureMedia(bytes)
  if (facts === undefined) return undefined
  const { mimeType } = facts
  const type = mimeType === 'application/pdf' ? ('file' as const) : ('image' as const)
  const part: MediaPart = { type, mimeType, data: bytes.toString('base64'), ...(name === undefined ? {} : { name }) }
  known.set(part, { bytes: bytes.length, facts })
  return part
}

/** What is wrong with an image or a file, in words for its maker; undefined where models can be sent it. */
export function findMediaFault(part: MediaPart): string | undefined {
  const { bytes, facts } = look(part)
  if (bytes === 0) return 'data must be base64 of an image or a PDF'
  if (facts === undefined) return 'data must be a PNG, JPEG, GIF or WebP image, or a PDF: its bytes are none of these'
  const { mimeType } = facts
  const isPdf = mimeType === 'application/pdf'
  if (part.mimeType !== mimeType) return `mimeType must be ${mimeType}, which its bytes are, not ${part.mimeType}`
  if (isPdf !== (part.type === 'file')) return `type must be ${isPdf ? 'file' : 'image'} for ${mimeType}`
  const most = isPdf ? MOST_PDF_BYTES : MOST_IMAGE_BYTES
  return bytes > most ? `has ${bytes} bytes; ${isPdf ? 'a PDF' : 'an image'} may have at most ${most}` : undefined
}

/** Why a model is not shown a part; undefined where it is, or where nobody knows that it cannot be. */
function whyUnseen(part: MediaPart, { vision, pdf = vision }: Pick<ModelInfo, 'vision' | 'pdf'>): string | undefined {
  if (part.type === 'image') return vision === false ? 'this model cannot see images' : undefined
  return pdf === false ? 'this model cannot read PDFs' : undefined
}

/**
 * A content as a model can read it: what it cannot see stands there in words.
 *
 * @param onUnseen is handed each image and file that is left out
 * @returns the same array where nothing is left out
 */
export function toReadable(
  content: ContentPart[],
  model: Pick<ModelInfo, 'vision' | 'pdf'>,
  onUnseen: (what: string) => void,
): ContentPart[] {
  const whyNot = (part: ContentPart) => (isMedia(part) ? whyUnseen(part, model) : undefined)
  if (content.every((part) => whyNot(part) === undefined)) return content
  return content.map((part) => {
    const why = whyNot(part)
    if (why === undefined || !isMedia(part)) return part
    const what = describeMedia(part)
    onUnseen(what)
    return { type: 'text', text: `[${what}: ${why}]` }
  })
}
