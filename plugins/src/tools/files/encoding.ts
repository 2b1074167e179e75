import { isUtf8 } from 'node:buffer'
import { ToolError } from '@svc/core'

/** How a text file keeps its characters; `latin-1` for what is not UTF-8 and has no mark: each byte is one character. */
export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'latin-1'

const MARKS: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8-bom', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]
/** As people call them, where it is not plain UTF-8. */
export const ENCODING_NAMES: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-8-bom': 'UTF-8 with a byte order mark',
  'utf-16le': 'UTF-16 (little endian)',
  'utf-16be': 'UTF-16 (big endian)',
  'latin-1': 'Latin-1 (it is not UTF-8)',
}

/** The bytes before the first character. */
export const markOf = (encoding: Encoding): readonly number[] => MARKS.find(([name]) => name === encoding)?.[1] ?? []

/**
 * The encoding of a text file by its first bytes.
 *
 * @param isWhole false: the bytes may end within a character
 */
export function encodingOf(bytes: Uint8Array, isWhole = true): Encoding {
  const marked = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))
  if (marked !== undefined) return marked[0]
  if (isUtf8(bytes)) return 'utf-8'
  // a character has four bytes at most
  const ends = isWhole ? [] : [1, 2, 3]
  return ends.some((count) => isUtf8(bytes.subarray(0, -count))) ? 'utf-8' : 'latin-1'
}

/** The text of a file without its mark. */
export function decodeText(bytes: Buffer, encoding: Encoding = encodingOf(bytes)): string {
  const content = bytes.subarray(markOf(encoding).length)
  if (encoding === 'latin-1') return content.toString('latin1')
  if (encoding === 'utf-16le') return content.toString('utf16le')
  if (encoding === 'utf-16be') return swapped(content).toString('utf16le')
  return content.toString('utf8')
}

/**
 * The bytes of a text, with the mark that the encoding has.
 *
 * @throws ToolError `tool_failed` where Latin-1 has no such character
 */
export function encodeText(text: string, encoding: Encoding): Buffer {
  if (encoding === 'latin-1') {
    const strange = /[^\0-\xff]/u.exec(text)?.[0]
    if (strange === undefined) return Buffer.from(text, 'latin1')
    throw new ToolError(
      'tool_failed',
      `the file is in ${ENCODING_NAMES[encoding]}, which has no ${JSON.stringify(strange)}`,
    )
  }
  const content = encoding.startsWith('utf-16') ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'utf8')
  return Buffer.concat([Buffer.from(markOf(encoding)), encoding === 'utf-16be' ? swapped(content) : content])
}

/** The two bytes of each character in the other order; half a character at the end is left out. */
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16()

/** Turns a file that is read piece by piece into UTF-8 without a mark. */
export function createUtf8Stream(encoding: Encoding): (piece: Buffer) => Buffer {
  let markLeft = markOf(encoding).length
  const decoder = encoding.startsWith('utf-16') ? new TextDecoder(encoding, { ignoreBOM: true }) : undefined
  return (piece) => {
    const content = piece.subarray(markLeft)
    markLeft = Math.max(0, markLeft - piece.length)
    if (decoder !== undefined) return Buffer.from(decoder.decode(content, { stream: true }))
    return encoding === 'latin-1' ? Buffer.from(content.toString('latin1')) : content
  }
}
