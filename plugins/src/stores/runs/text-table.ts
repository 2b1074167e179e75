import { crc32 } from 'node:zlib'
import { bytesOf, type Sqlite, textOf } from '../sqlite.ts'
import { checked, corrupt } from './columns.ts'
import { unpack } from './packed-json.ts'
import type { PayloadTable } from './payload-table.ts'
import { rangeOf, toRowNumber } from './row-number.ts'
import { TextPacker } from './text-packer.ts'

const BODY = `${bytesOf('body')}, ${bytesOf('payload')}`

/** The long strings of one run, each kept once, however often the run says it. Inside transactions. */
export class TextWriter {
  readonly #db: Sqlite
  readonly #payloads: PayloadTable
  readonly #run: number
  readonly #packer: TextPacker

  /** @param isNew the run has none yet */
  constructor(db: Sqlite, payloads: PayloadTable, run: number, isNew: boolean) {
    this.#db = db
    this.#payloads = payloads
    this.#run = run
    const [first, end] = rangeOf(run)
    const last = isNew ? null : db.get('SELECT max(id) AS id FROM run_texts WHERE id BETWEEN ? AND ?', [first, end])?.id
    this.#packer = new TextPacker(typeof last === 'number' ? last - first + 1 : 0, () => this.#readKnown())
  }

  /** A JSON text without its long strings, which are written by `flush`. */
  pack(json: string): string {
    const packed = this.#packer.pack(json)
    toRowNumber(this.#run, this.#packer.count) // a run with too many is refused before anything is written
    return packed
  }

  /** Writes the strings that are new. */
  flush(): void {
    for (const { number, literal, payload } of this.#packer.takeNew()) {
      const body = payload === undefined ? literal : ''
      if (payload !== undefined) this.#payloads.put(this.#run, payload, Buffer.from(literal))
      this.#db.run('INSERT INTO run_texts (id, crc, body, payload) VALUES (?, ?, ?, ?)', [
        toRowNumber(this.#run, number),
        crc32(body),
        body,
        payload ?? null,
      ])
    }
  }

  #readKnown(): [string, number][] {
    const range = rangeOf(this.#run)
    const rows = this.#db.all(`SELECT id, ${BODY} FROM run_texts WHERE id BETWEEN ? AND ?`, range)
    return rows.map(({ id, body, payload }) => [
      payload === null ? TextPacker.digest(textOf(body)) : textOf(payload),
      Number(id) - range[0],
    ])
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
    const row = this.#db.get(`SELECT crc, ${BODY} FROM run_texts WHERE id = ?`, [toRowNumber(this.#run, number)])
    const body = checked(row ?? {}, this.#runId, what)
    if (row === undefined || row.payload === null) return body
    const bytes = this.#payloads.get(textOf(row.payload))
    if (bytes === undefined) throw corrupt(this.#runId, what)
    return Buffer.from(bytes).toString()
  }
}
