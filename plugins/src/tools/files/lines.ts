import type { FileHandle } from 'node:fs/promises'
import { createUtf8Stream, type Encoding } from './encoding.ts'

/** A line longer than this is cut, with `…` at its end. */
export const LONGEST_LINE = 2000

const CHUNK_BYTES = 262_144
const NEWLINE = 10
/** Enough bytes for the characters of a cut line, in any encoding. */
const LINE_BYTES = LONGEST_LINE * 4

export interface LineWindow {
  /** Numbered from 1. */
  readonly lines: { readonly number: number; readonly text: string }[]
  /** Lines after the last one shown. */
  readonly more: number
  /** False when the rest was too long to be counted to its end: `more` is then too low. */
  readonly counted: boolean
}

/**
 * Reads some lines of a file, in a stream of small pieces: memory does not grow with the file.
 *
 * @param options.offset number of the first line, from 1
 * @param options.limit most lines
 * @param options.outputBytes stops early when the lines have so many bytes together; the first line is always there
 * @param options.encoding the file's, by which its lines become text
 * @param options.countBytes how far behind the last line the rest is counted
 * @throws the signal's reason when it is aborted
 */
export async function readLines(
  file: FileHandle,
  options: {
    offset: number
    limit: number
    outputBytes: number
    countBytes: number
    encoding: Encoding
    signal: AbortSignal
  },
): Promise<LineWindow> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const window = new Window(options.offset, options.limit, options.outputBytes)
  const toUtf8 = createUtf8Stream(options.encoding)
  let countedBytes = 0
  for (let position = 0; ; ) {
    options.signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return window.finish(true)
    position += bytesRead
    window.add(toUtf8(buffer.subarray(0, bytesRead)))
    if (window.full) countedBytes += bytesRead
    if (countedBytes > options.countBytes) return window.finish(false)
  }
}

/** The same of a text that is at hand. */
export function linesOfText(text: string, options: { offset: number; limit: number; outputBytes: number }): LineWindow {
  const window = new Window(options.offset, options.limit, options.outputBytes)
  window.add(Buffer.from(text))
  return window.finish(true)
}

class Window {
  full = false
  readonly #lines: { number: number; text: string }[] = []
  readonly #offset: number
  readonly #limit: number
  #bytesLeft: number
  #number = 1
  #parts: Buffer[] = []
  #kept = 0
  /** Whether the line at hand has begun: a file that ends in a line break has no empty line after it. */
  #begun = false

  constructor(offset: number, limit: number, outputBytes: number) {
    this.#offset = offset
    this.#limit = limit
    this.#bytesLeft = outputBytes
  }

  add(chunk: Buffer): void {
    let start = 0
    while (start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start)
      this.#append(chunk.subarray(start, end < 0 ? chunk.length : end))
      if (end < 0) return
      this.#endLine()
      start = end + 1
    }
  }

  finish(counted: boolean): LineWindow {
    if (this.#begun) this.#endLine()
    const last = this.#lines.at(-1)?.number ?? this.#number - 1
    return { lines: this.#lines, more: this.#number - 1 - last, counted }
  }

  #append(piece: Buffer): void {
    this.#begun = true
    if (this.full || this.#number < this.#offset || this.#kept >= LINE_BYTES || piece.length === 0) return
    const part = Buffer.from(piece.subarray(0, LINE_BYTES - this.#kept)) // a copy: the chunk is read into again
    this.#parts.push(part)
    this.#kept += part.length
  }

  #endLine(): void {
    if (!this.full && this.#number >= this.#offset) {
      const text = cutLine(Buffer.concat(this.#parts).toString('utf8'))
      const bytes = Buffer.byteLength(text) + 8
      if (this.#lines.length > 0 && bytes > this.#bytesLeft) this.full = true
      else {
        this.#lines.push({ number: this.#number, text })
        this.#bytesLeft -= bytes
        this.full = this.#lines.length >= this.#limit
      }
    }
    this.#number++
    this.#parts = []
    this.#kept = 0
    this.#begun = false
  }
}

function cutLine(line: string): string {
  return cut(line.endsWith('\r') ? line.slice(0, -1) : line, LONGEST_LINE)
}

/** A text of at most so many characters, `…` at its end when it was longer; no surrogate pair is split. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text
  const last = text.charCodeAt(longest - 1)
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? longest - 1 : longest)}…`
}
