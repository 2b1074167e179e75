import type { ContentPart } from '../../contracts/model/message.ts'
import { toFileText } from './file-text.ts'
import { findMediaFault, toMediaPart } from './media.ts'

/** Files that one run may be handed. */
export const MOST_ATTACHMENTS = 100
/** Bytes of their texts together. */
const MOST_TEXT_BYTES = 1_048_576
/** Bytes of one file that are looked at: more than any image or PDF may have; how many it may is said by its kind. */
export const MOST_ATTACHED_BYTES = 16_777_216

/** Bytes as a text; undefined where they are no UTF-8 text. */
export function toUtf8(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** What stands before a run's task: files, each under its name. Images and PDFs are known by their bytes. */
export class Attachments {
  readonly #parts: ContentPart[] = []
  #bytes = 0

  /** @returns why it cannot be handed over; undefined where it is */
  add(name: string, content: Buffer): string | undefined {
    const media = toMediaPart(content, name)
    if (media !== undefined) {
      const fault = findMediaFault(media)
      if (fault === undefined) this.#parts.push(media)
      return fault
    }
    this.#bytes += content.length
    if (this.#bytes > MOST_TEXT_BYTES)
      return `is too much: with it there are ${this.#bytes} bytes; at most ${MOST_TEXT_BYTES} can be handed over`
    const text = toUtf8(content)
    if (text === undefined) return `is not UTF-8 text but binary data (${content.length} bytes)`
    this.#parts.push({ type: 'text', text: toFileText(name, text) })
    return undefined
  }

  /**
   * What was added, after the material that there is already: one text where all is text, else the parts of a message.
   *
   * @returns undefined where there is neither
   */
  after(material: string | ContentPart[] | undefined): string | ContentPart[] | undefined {
    if (this.#parts.length === 0) return material
    const said = typeof material === 'string' && material !== '' ? [{ type: 'text' as const, text: material }] : []
    const parts = [...(Array.isArray(material) ? material : said), ...this.#parts]
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    return !Array.isArray(material) && texts.length === parts.length ? texts.join('\n\n') : parts
  }
}
