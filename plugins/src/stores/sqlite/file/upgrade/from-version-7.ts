import { crc32, inflateRawSync } from 'node:zlib'
import type { Measured } from '@svc/core'
import { corrupt, isCorrupt } from '../../../damage.ts'
import { textOf, toBytes } from '../../../keys.ts'
import { toColumns } from '../../../queries/figure-columns.ts'
import type { LogRecord } from '../../../run-record.ts'
import { wholeText } from '../../../seal.ts'
import { toBody } from '../../body.ts'
import { bytesOf, type Row, type Sqlite } from '../sqlite.ts'

/** Rows of a run had its number and their own in one integer: that of the run times this, and their own. */
const ROWS_OF_A_RUN = 2 ** 24

/** What records were compressed with. */
const DICTIONARY = Buffer.from(
  '"role":"tool","source":"builtin","tool":"","args":{},"risk":"read","taint":[]{"type":"tool.requested","tool.started","tool.completed","data":{"tool":"","result":"","bytes":0,"truncated":false,"durationMs":0,"trust":"trusted"}' +
    '{"type":"agent.started","agent.completed","stage.started","data":{"plugins":[]}},{"type":"stage.completed","data":{"durationMs":0.,"plugin":""}}' +
    '{"type":"step.completed","time":"2026-01-01T00:00:00.000Z","stage":"execute","agentId":"agent-1","stepId":"step-1","data":{"output":"","usage":{"inputTokens":100,"outputTokens":100,"estimated":false}}},' +
    '{"type":"topology.updated","data":{"nodes":[{"id":"step-1","kind":"step","label":"","status":"completed"},{"id":"step-2","status":"running"}],"edges":[]}},' +
    '{"type":"step.started","data":{"objective":"","dependsOn":["step-1"]}},' +
    '{"e":[{"type":"model.started","time":"2026-01-01T00:00:00.000Z","stage":"execute","agentId":"agent-1","callId":"call_","stepId":"step-1","data":{"provider":"","model":"","params":{},"estimatedInputTokens":100}},' +
    '{"type":"budget.updated","data":{"agentId":"agent-1","used":1000,"remaining":1000,"costUsd":null}},' +
    '{"type":"model.completed","data":{"provider":"","model":"","toolCalls":[],"finishReason":"stop","usage":{"inputTokens":100,"outputTokens":100,"estimated":true},"costUsd":null,"latencyMs":100,"cached":false}},' +
    '{"type":"message.completed","data":{"role":"assistant","content":[{"type":"text","text":""}],"streamed":false}}],' +
    '"s":[{"key":"execute/agent:agent-1/step:step-1/attempt:1/try:1/model:1","effect":"pure","state":"done","time":17,"seq":10,"outcome":{"text":"","toolCalls":[],"finishReason":"stop"}}]}',
)

/** A record of the log as it was: its events had no column for their last number, and it could say how the row had changed. */
type OldRecord = LogRecord & { n?: number; h?: [version: number, later: Record<string, unknown>] }

/**
 * Runs as version 8 has them: each record whole, with nothing kept elsewhere, and the row of a run as its newest record left
 * it. What is damaged stays so: its run is `log_corrupt`, with what stands before the damage.
 */
export function toPlainRecords(db: Sqlite): void {
  db.exec(`
    ALTER TABLE run_log RENAME TO old_log;
    CREATE TABLE run_log (
      id INTEGER PRIMARY KEY,
      run INTEGER NOT NULL,
      number INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      crc INTEGER NOT NULL,
      body TEXT NOT NULL
    );
    CREATE UNIQUE INDEX run_log_by_run ON run_log (run, last_seq, number);
    DROP INDEX runs_unmeasured;
    ALTER TABLE runs RENAME COLUMN log_end TO records;`)
  for (const { seq } of db.all('SELECT seq FROM runs')) new OldRun(db, Number(seq)).rewrite()
  db.exec('DROP TABLE old_log; DROP TABLE run_texts')
}

class OldRun {
  readonly #db: Sqlite
  readonly #run: number
  readonly #rows: [first: number, last: number]

  constructor(db: Sqlite, run: number) {
    this.#db = db
    this.#run = run
    this.#rows = [run * ROWS_OF_A_RUN, (run + 1) * ROWS_OF_A_RUN - 1]
  }

  rewrite(): void {
    const db = this.#db
    const row = db.get(
      `SELECT records AS log_end, version, last_seq, ${bytesOf('state', 'body')}, crc FROM runs WHERE seq = ?`,
      [this.#run],
    )
    const request = db.get(`SELECT ${bytesOf('body')}, crc FROM run_requests WHERE run = ?`, [this.#run])
    const asked = this.#whole(request)
    const state = this.#whole(row)
    const { records, version, lastSeq, later } = this.#rewriteLog(Number(row?.log_end))
    if (request !== undefined) {
      db.run('UPDATE run_requests SET body = ?, crc = ? WHERE run = ?', [asked ?? '', crcOf(asked), this.#run])
    }
    const now = state === undefined ? undefined : JSON.stringify({ ...JSON.parse(state), ...later })
    const measured = { ...JSON.parse(asked ?? '{}'), ...JSON.parse(now ?? '{}') } as Measured
    db.run(
      `UPDATE runs SET records = ?, version = ?, last_seq = ?, state = ?, crc = ?, tokens = ?, cost = ?, duration = ?
       WHERE seq = ?`,
      [
        records,
        version ?? Number(row?.version),
        lastSeq ?? Number(row?.last_seq),
        now ?? '',
        crcOf(now),
        ...toColumns(measured),
        this.#run,
      ],
    )
  }

  /** @param logEnd where the log ended when the run's row was written */
  #rewriteLog(logEnd: number): {
    records: number
    version?: number
    lastSeq?: number
    later?: Record<string, unknown>
  } {
    const db = this.#db
    const rows = db.all(
      `SELECT id, last_seq, crc, typeof(body) AS type, ${bytesOf('body')} FROM old_log WHERE id BETWEEN ? AND ? ORDER BY id`,
      this.#rows,
    )
    let number = 0
    let reached = 0
    let newest: { version?: number; lastSeq?: number; later?: Record<string, unknown> } = {}
    try {
      for (const row of rows) {
        const { n, h, ...record } = this.#record(row)
        const count = record.e?.length ?? 0
        // One of an even earlier form has the number of its last event.
        const lastSeq = typeof row.last_seq === 'number' ? row.last_seq : (n ?? 1) + count - 1
        const length = Math.max(1, count)
        const begin = Number(row.id) - this.#rows[0] - (row.last_seq === null ? 0 : length - 1)
        if (begin !== reached + 1) throw corrupt('', 'its log')
        const { body, crc } = toBody(JSON.stringify(record))
        db.run('INSERT INTO run_log (run, number, last_seq, crc, body) VALUES (?, ?, ?, ?, ?)', [
          this.#run,
          ++number,
          lastSeq,
          crc,
          body,
        ])
        reached = begin + length - 1
        if (reached > logEnd) newest = { lastSeq, ...(h !== undefined && { version: h[0], later: h[1] }) }
      }
      if (reached < logEnd) throw corrupt('', 'its log')
    } catch (thrown) {
      if (!isCorrupt(thrown)) throw thrown
      return { records: number + 1 } // one that is missing
    }
    return { records: number, ...newest }
  }

  #record(row: Row): OldRecord {
    const bytes = toBytes(row.body)
    if (bytes === undefined || crc32(bytes) !== row.crc) throw corrupt('', 'its log')
    const text = row.type === 'text' ? bytes : inflateRawSync(bytes, { dictionary: DICTIONARY })
    return JSON.parse(this.#unpack(text.toString()))
  }

  /** A text of a row, undefined where it, or what it refers to, is damaged. */
  #whole(row: Row | undefined): string | undefined {
    try {
      const body = wholeText(row ?? {})
      return body === undefined ? undefined : this.#unpack(body)
    } catch (thrown) {
      if (!isCorrupt(thrown)) throw thrown
      return undefined
    }
  }

  /** Puts long strings back, which stood elsewhere: `~<place>:<number>,...~<rest>`. */
  #unpack(packed: string): string {
    if (!packed.startsWith('~')) return packed
    const end = packed.indexOf('~', 1)
    const rest = packed.slice(end + 1)
    let json = ''
    let from = 0
    for (const mark of packed.slice(1, end).split(',')) {
      const [place, number] = mark.split(':')
      json += `${rest.slice(from, Number(place))}"${this.#text(Number(number))}"`
      from = Number(place)
    }
    return json + rest.slice(from)
  }

  #text(number: number): string {
    const row = this.#db.get(`SELECT crc, ${bytesOf('body')}, ${bytesOf('payload')} FROM run_texts WHERE id = ?`, [
      this.#rows[0] + number,
    ])
    const body = wholeText(row ?? {})
    if (row === undefined || body === undefined) throw corrupt('', 'a text')
    if (row.payload === null) return body
    const bytes = toBytes(this.#db.get('SELECT bytes FROM run_payloads WHERE id = ?', [textOf(row.payload)])?.bytes)
    if (bytes === undefined) throw corrupt('', 'a text')
    return bytes.toString()
  }
}

/** No body has such a checksum as what is damaged gets. */
const crcOf = (body: string | undefined): number => (body === undefined ? -1 : crc32(body))
