import { crc32 } from 'node:zlib'
import { isTerminal, type RunEvent, type RunRow } from '@svc/core'
import { type Row, type Sqlite, textOf } from '../sqlite.ts'
import { checked, guarded, toKey } from './columns.ts'
import type { PayloadTable } from './payload-table.ts'
import type { PreparedCommit } from './prepared-commit.ts'
import { toBody } from './record-body.ts'
import { RowFields } from './row-fields.ts'
import { toRowNumber } from './row-number.ts'
import { measuredOf, toColumns } from './run-figures.ts'
import { headOf, MOST_HEAD } from './run-head.ts'
import { recordJson } from './run-log.ts'
import { TextReader, TextWriter } from './text-table.ts'

/** A commit as it will be written, by one writer. */
export interface Draft {
  writer: RunWriter
  prepared: PreparedCommit
  status: RunRow['status']
  version: number
  record: ReturnType<typeof toBody>
  /** Whether the run's row is left as it is. */
  isLeft: boolean
}

/** What every commit to one run needs to know, so that it reads nothing. Made anew where another process has written. */
export class RunWriter {
  readonly run: number
  readonly #db: Sqlite
  readonly #texts: TextWriter
  readonly #fields: RowFields
  #status: RunRow['status']
  #version: number
  #lastSeq: number
  #logEnd: number
  #agents: ReadonlySet<string> | undefined

  /** @param found the run's row in the table */
  constructor(db: Sqlite, payloads: PayloadTable, found: Row, runId: string) {
    this.#db = db
    this.run = Number(found.seq)
    const head = headOf(found, runId)
    this.#status = textOf(found.status) as RunRow['status']
    this.#version = head.version
    this.#lastSeq = head.lastSeq
    this.#logEnd = head.logEnd
    this.#texts = new TextWriter(db, payloads, this.run, false)
    const state = checked(found, runId, 'its row')
    const texts = new TextReader(db, payloads, this.run, runId)
    this.#fields = guarded(runId, () => new RowFields(texts.unpack(state), head.later))
  }

  /** What a commit will write. It may be asked for again until it is written. */
  draft(prepared: PreparedCommit): Draft {
    const { write, events, steps, fields, resultAt } = prepared
    const status = write.run?.status ?? this.#status
    const version = this.#version + (write.run === undefined ? 0 : 1)
    const isAdded = this.#fields.change(fields, resultAt === undefined ? undefined : this.#lastSeq + resultAt + 1)
    const later = this.#fields.later
    const isLeft = isAdded && status === this.#status && later.length <= MOST_HEAD
    const more = [`"n":${this.#lastSeq + 1}`]
    if (isLeft) more.push(`"h":[${version},${later}]`)
    const record = toBody(this.#texts.pack(recordJson(events, steps, more)))
    return { writer: this, prepared, status, version, record, isLeft }
  }

  /**
   * Writes a commit, inside a transaction. The fence stands in the first statement.
   *
   * @param turn draws the number of a change that others have to hear of
   * @returns undefined where the run is not as this writer knows it, and nothing was written
   */
  write(
    epoch: number,
    { prepared: { write, events, approvals }, status, version, record, isLeft }: Draft,
    turn: () => number,
    nowMs: number,
  ): { events: readonly RunEvent[]; hasNewStatus: boolean } | undefined {
    const db = this.#db
    const lastSeq = this.#lastSeq + events.length
    const logEnd = this.#logEnd + Math.max(1, events.length)
    const hasNewStatus = status !== this.#status
    // A number that is taken says that this writer is not the only one.
    const added = db.run(
      'INSERT OR IGNORE INTO run_log (id, crc, body) SELECT ?, ?, ? FROM runs WHERE seq = ? AND epoch = ?',
      [toRowNumber(this.run, this.#logEnd + 1), record.crc, record.body, this.run, epoch],
    )
    if (added === 0) return undefined
    if (!isLeft) this.#writeRow(status, version, lastSeq, logEnd, hasNewStatus ? turn() : undefined, nowMs)
    this.#texts.flush()
    for (const approval of approvals) this.#putApproval(approval)
    for (const id of write.taken ?? []) {
      db.run('DELETE FROM run_commands WHERE run = ? AND id = ?', [this.run, toKey(id)])
    }
    const agents = this.#newAgents(write)
    for (const id of agents ?? []) putAgent(db, this.run, id)
    if (agents !== undefined) this.#agents = agents
    const numbered = write.events ?? []
    for (const event of numbered) event.seq = ++this.#lastSeq
    this.#logEnd = logEnd
    this.#version = version
    this.#status = status
    return { events: numbered, hasNewStatus }
  }

  /** @param turn of a change of its status */
  #writeRow(
    status: RunRow['status'],
    version: number,
    lastSeq: number,
    logEnd: number,
    turn: number | undefined,
    nowMs: number,
  ): void {
    const state = this.#texts.pack(this.#fields.state)
    const values = [version, lastSeq, logEnd, state, crc32(state)]
    const set = 'version = ?, last_seq = ?, log_end = ?, state = ?, crc = ?'
    if (turn === undefined) this.#db.run(`UPDATE runs SET ${set} WHERE seq = ?`, [...values, this.run])
    else {
      const isOver = isTerminal(status)
      const free = isOver ? ', owner = NULL, process = NULL, expires_at = NULL, tokens = ?, cost = ?, duration = ?' : ''
      this.#db.run(`UPDATE runs SET ${set}, status = ?, ended_at = ?, turn = ?${free} WHERE seq = ?`, [
        ...values,
        status,
        isOver ? nowMs : null,
        turn,
        ...(isOver ? toColumns(measuredOf(this.#fields.state)) : []),
        this.run,
      ])
    }
    this.#fields.written()
  }

  #putApproval({ id, status, body }: PreparedCommit['approvals'][number]): void {
    this.#db.run(
      `INSERT INTO run_approvals (id, run, status, body, crc) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET status = excluded.status, body = excluded.body, crc = excluded.crc`,
      [id, this.run, status, body, crc32(body)],
    )
  }

  /** All of its agents, where one is new. */
  #newAgents({ run }: PreparedCommit['write']): ReadonlySet<string> | undefined {
    const ids = run?.agents?.map(({ id }) => id)
    return ids === undefined || (this.#agents !== undefined && ids.every((id) => this.#agents?.has(id)))
      ? undefined
      : new Set(ids)
  }
}

/** Lets a list find the run by an agent. */
export const putAgent = (db: Sqlite, run: number, agent: string): void =>
  void db.run('INSERT INTO run_agents (agent, run) VALUES (?, ?) ON CONFLICT DO NOTHING', [toKey(agent), run])
