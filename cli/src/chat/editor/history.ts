import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { redactShapes } from '@svc/core'
import { personalDataDir } from '@svc/core/config'
import type { Io } from '../../frame/io.ts'

const MOST = 500
const MOST_BYTES = 512 << 10
/** More of one text is not kept. */
const MOST_CHARS = 20_000

/** What a person typed in conversations of this machine, newest first, in a file that only they can read. */
export class History {
  readonly #file: string
  readonly #io: Pick<Io, 'redact'>
  #texts: string[]

  constructor(io: Pick<Io, 'env' | 'redact'>) {
    this.#io = io
    this.#file = join(personalDataDir(io.env), 'chat-history')
    this.#texts = this.#read()
  }

  get texts(): readonly string[] {
    return this.#texts
  }

  /** Keeps a text, unless it holds a key or is very long. Where nothing can be written it is kept for this conversation. */
  add(text: string): void {
    if (text.trim() === '' || this.#texts[0] === text) return
    if (text.length > MOST_CHARS || redactShapes(this.#io.redact(text)) !== text) return
    this.#texts = [text, ...this.#texts.filter((known) => known !== text)].slice(0, MOST)
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      appendFileSync(this.#file, `${JSON.stringify(text)}\n`, { mode: 0o600 })
    } catch {
      // The disk is full, or not ours.
    }
  }

  /** The newest that holds these words, from a place on; undefined where there is none. */
  find(words: string, from = 0): number | undefined {
    const wanted = words.toLowerCase()
    const at = this.#texts.findIndex((text, index) => index >= from && text.toLowerCase().includes(wanted))
    return at === -1 ? undefined : at
  }

  #read(): string[] {
    let kept = ''
    try {
      kept = readFileSync(this.#file, 'utf8')
    } catch {
      return []
    }
    const lines = kept.split('\n').filter((line) => line !== '')
    const texts = [
      ...new Set(
        lines
          .map(toText)
          .filter((text) => text !== '')
          .reverse(),
      ),
    ].slice(0, MOST)
    if (kept.length > MOST_BYTES || lines.length > 2 * MOST) this.#write(texts)
    return texts
  }

  #write(texts: readonly string[]): void {
    const all = [...texts].reverse().map((text) => `${JSON.stringify(text)}\n`)
    while (all.reduce((sum, line) => sum + line.length, 0) > MOST_BYTES) all.splice(0, Math.ceil(all.length / 4))
    try {
      writeFileSync(this.#file, all.join(''), { mode: 0o600 })
    } catch {
      // It stays as long as it is.
    }
  }
}

/** A line that another program wrote is left out. */
function toText(line: string): string {
  try {
    const text: unknown = JSON.parse(line)
    return typeof text === 'string' ? text : ''
  } catch {
    return ''
  }
}
