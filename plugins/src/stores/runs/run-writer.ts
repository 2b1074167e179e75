import { crc32 } from 'node:zlib'
import { isTerminal, type RunEvent, type RunRow } from '@svc/core'
import { type Row, type Sqlite, textOf } from '../sqlite.ts'
import { checked, guarded, toKey } from './columns.ts'
import type { PayloadTable } from './payload-table.ts'
import type { PreparedCommit } from './prepared-commit.ts'
import { toBody } from './record-body.ts'
import { RowFields } from './row-fields.ts'
import { toRowNumber } from './row-number.ts'
import { recordJson } from './run-log.ts'
import { TextReader, TextWriter } from './text-table.ts'

/** What every commit to one run needs to know, so that it reads nothing. Made anew where another process has written. */
export class RunWriter {
  readonly run: number
  readonly #db: Sqlite
  readonly #texts: TextWriter
  readonly #fields: RowFields
  #state: string
  #stateCrc: number
  #status: RunRow['status']
  #version: number
  #lastSeq: number
  #logEnd: number
  #agents: ReadonlySet<string> | undefined

  /** @param found the run's row in the table */
  constructor(db: Sqlite, payloads: PayloadTable, found: Row, runId: string) {
    this.#db = db
    this.run = Number(found.seq)
    this.#status = textOf(found.status) as RunRow['status']
    this.#version = Number(found.version)
    this.#lastSeq = Number(found.last_seq)
    this.#logEnd = Number(found.log_end)
    this.#texts = new TextWriter(db, payloads, this.run, Number(found.texts))
    this.#state = checked(found, runId, 'its row')
    this.#stateCrc = Number(found.crc)
    const texts = new TextReader(db, payloads, this.run, runId)
    this.#fields = guarded(runId, () => new RowFields(texts.unpack(this.#state)))
  }

  get logEnd(): number {
    return this.#logEnd
  }

  /**
   * Writes a commit inside a transaction. The fence comes first.
   *
   * @param turn draws the number of a change that others have to hear of
   * @returns undefined where the run is not as this writer knows it, and nothing was written
   */
  write(
    epoch: number,
    { write, events, steps, approvals, fields, resultAt }: PreparedCommit,
    turn: () => number,
    nowMs: number,
  ): { events: readonly RunEvent[]; hasNewStatus: boolean } | undefined {
    const db = this.#db
    const lastSeq = this.#lastSeq + events.length
    const isLogged = events.length + steps.length > 0
    const logEnd = this.#logEnd + Math.max(1, events.length)
    const row = toRowNumber(this.run, logEnd)
    const status = write.run?.status ?? this.#status
    const hasNewStatus = status !== this.#status
    if (write.run !== undefined) {
      this.#version++
      this.#change(fields, resultAt === undefined ? undefined : this.#lastSeq + resultAt + 1)
    }
    const record = isLogged ? toBody(this.#texts.pack(recordJson(events, steps))) : undefined
    const values = [this.#version, lastSeq, logEnd, this.#texts.count, this.#state, this.#stateCrc]
    const fence = [this.run, epoch, this.#logEnd]
    const changed = hasNewStatus
      ? db.run(
          `UPDATE runs SET status = ?, ended_at = ?, turn = ?, version = ?, last_seq = ?, log_end = ?, texts = ?, state = ?, crc = ?
           WHERE seq = ? AND epoch = ? AND log_end = ?`,
          [status, isTerminal(status) ? nowMs : null, turn(), ...values, ...fence],
        )
      : db.run(
          `UPDATE runs SET version = ?, last_seq = ?, log_end = ?, texts = ?, state = ?, crc = ?
           WHERE seq = ? AND epoch = ? AND log_end = ?`,
          [...values, ...fence],
        )
    if (changed === 0) return undefined
    if (record !== undefined) {
      db.run('INSERT INTO run_log (id, last_seq, has_steps, crc, body) VALUES (?, ?, ?, ?, ?)', [
        row,
        lastSeq,
        steps.length > 0 ? 1 : 0,
        record.crc,
        record.body,
      ])
    }
    this.#texts.flush()
    for (const approval of approvals) this.#putApproval(approval)
    for (const id of write.taken ?? []) {
      db.run('DELETE FROM run_commands WHERE run = ? AND id = ?', [this.run, toKey(id)])
    }
    if (write.run?.agents !== undefined) this.#putAgents(write.run.agents)
    const numbered = write.events ?? []
    for (const event of numbered) event.seq = ++this.#lastSeq
    this.#logEnd = logEnd
    this.#status = status
    return { events: numbered, hasNewStatus }
  }

  #change(fields: PreparedCommit['fields'], resultSeq: number | undefined): void {
    if (fields.length === 0 && resultSeq === undefined) return
    this.#state = this.#texts.pack(this.#fields.change(fields, resultSeq))
    this.#stateCrc = crc32(this.#state)
  }

  #putApproval({ id, status, body }: PreparedCommit['approvals'][number]): void {
    this.#db.run(
      `INSERT INTO run_approvals (id, run, status, body, crc) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET status = excluded.status, body = excluded.body, crc = excluded.crc`,
      [id, this.run, status, body, crc32(body)],
    )
  }

  #putAgents(agents: RunRow['agents']): void {
    const ids = agents.map(({ id }) => id)
    if (this.#agents !== undefined && ids.every((id) => this.#agents?.has(id))) return
    for (const id of ids) putAgent(this.#db, this.run, id)
    this.#agents = new Set(ids)
  }
}

/** Lets a list find the run by an agent. */
export const putAgent = (db: Sqlite, run: number, agent: string): void =>
  void db.run('INSERT INTO run_agents (agent, run) VALUES (?, ?) ON CONFLICT DO NOTHING', [toKey(agent), run])
