import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Sqlite } from '../sqlite.ts'
import { checked, corrupt } from './columns.ts'
import { pack, unpack } from './packed-json.ts'
import type { PayloadTable } from './payload-table.ts'
import { rangeOf, toRowNumber } from './row-number.ts'

/** Longer strings are kept once for all runs. */
const LARGE = 16_384

/** The long strings of one run, each kept once, however often the run says it. Inside transactions. */
export class TextWriter {
  readonly #db: Sqlite
  readonly #payloads: PayloadTable
  readonly #run: number
  /** Numbers by SHA-256. */
  #known: Map<string, number> | undefined
  #count: number
  #unwritten: { number: number; literal: string; digest: string }[] = []

  /** @param count how many the run has already */
  constructor(db: Sqlite, payloads: PayloadTable, run: number, count: number) {
    this.#db = db
    this.#payloads = payloads
    this.#run = run
    this.#count = count
  }

  get count(): number {
    return this.#count
  }

  /** A JSON text without its long strings, which are written by `flush`. */
  pack(json: string): string {
    return pack(json, (literal) => {
      this.#known ??= this.#readKnown()
      const digest = hash('sha256', literal)
      const known = this.#known.get(digest)
      if (known !== undefined) return known
      const number = this.#count++
      this.#known.set(digest, number)
      this.#unwritten.push({ number, literal, digest })
      return number
    })
  }

  /** Writes the strings that are new. */
  flush(): void {
    for (const { number, literal, digest } of this.#unwritten) {
      const isLarge = literal.length > LARGE
      const body = isLarge ? '' : literal
      if (isLarge) this.#payloads.put(this.#run, digest, Buffer.from(literal))
      this.#db.run('INSERT INTO run_texts (id, crc, body, payload) VALUES (?, ?, ?, ?)', [
        toRowNumber(this.#run, number),
        crc32(body),
        body,
        isLarge ? digest : null,
      ])
    }
    this.#unwritten = []
  }

  #readKnown(): Map<string, number> {
    if (this.#count === 0) return new Map()
    const range = rangeOf(this.#run)
    const rows = this.#db.all('SELECT id, body, payload FROM run_texts WHERE id BETWEEN ? AND ?', range)
    return new Map(
      rows.map(({ id, body, payload }) => [String(payload ?? hash('sha256', String(body))), Number(id) - range[0]]),
    )
  }
}

/** Puts the long strings of one run back. */
export class TextReader {
  readonly #db: Sqlite
  readonly #payloads: PayloadTable
  readonly #run: number
  readonly #runId: string
  readonly #read = new Map<number, string>()

  constructor(db: Sqlite, payloads: PayloadTable, run: number, runId: string) {
    this.#db = db
    this.#payloads = payloads
    this.#run = run
    this.#runId = runId
  }

  /** @throws RunError `log_corrupt` */
  unpack(packed: string): string {
    return unpack(packed, (number) => {
      let text = this.#read.get(number)
      if (text === undefined) {
        text = this.#find(number)
        this.#read.set(number, text)
      }
      return text
    })
  }

  #find(number: number): string {
    const what = `its text ${number}`
    const row = this.#db.get('SELECT crc, body, payload FROM run_texts WHERE id = ?', [toRowNumber(this.#run, number)])
    const body = checked(row ?? {}, this.#runId, what)
    if (typeof row?.payload !== 'string') return body
    const bytes = this.#payloads.get(row.payload)
    if (bytes === undefined) throw corrupt(this.#runId, what)
    return Buffer.from(bytes).toString()
  }
}
