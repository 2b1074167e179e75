import type { Holder, Lease, RunRow, Store } from '@svc/core'
import { SvcError } from '@svc/core'
import { SHARED, toKey } from '../keys.ts'
import { FIRST, FORMAT, placeOf, type QueuePosition } from '../run-row.ts'
import type { SqlValue } from './file/load-libsql.ts'
import type { Row, Sqlite } from './file/sqlite.ts'
import type { Processes } from './processes.ts'
import type { RunRows } from './run-rows.ts'

/** Candidates that are looked at together. */
const CHUNK = 32

export interface LeasesOptions {
  db: Sqlite
  rows: RunRows
  processes: Processes
  /** Only runs that were made here may be worked on here; a named one, anywhere. */
  space: string
  /** See `openLeaseClock`. */
  clock: () => number
}

type ClaimOptions = Parameters<Store['claim']>[1]

interface Candidate {
  run: RunRow
  seq: number
  /** Of its last lease. */
  epoch: number
}

/** Who may write to which run. */
export class Leases {
  readonly #settings: LeasesOptions

  constructor(settings: LeasesOptions) {
    this.#settings = settings
  }

  /**
   * Takes the leases of what is still as it was found: only who holds a run changes it. Inside a transaction.
   *
   * @param process the number of the process that works for the owner
   */
  claim(
    owner: string,
    process: number,
    candidates: readonly Candidate[],
    ttlMs: number,
  ): { run: RunRow; lease: Lease }[] {
    const { db, clock } = this.#settings
    return candidates.flatMap(({ run, seq, epoch }) => {
      const lease: Lease = { runId: run.id, owner, epoch: epoch + 1, expiresAt: clock() + ttlMs }
      const taken = db.run(
        `UPDATE runs AS r SET epoch = ?, owner = ?, process = ?, expires_at = ?
         WHERE seq = ? AND epoch = ? AND ended_at IS NULL AND ${this.#isFree}`,
        [lease.epoch, toKey(owner), process, lease.expiresAt, seq, epoch, clock()],
      )
      return taken === 0 ? [] : [{ run, lease }]
    })
  }

  /** The first lease of a new run. */
  first(runId: string, { owner, ttlMs }: Holder): Lease {
    return { runId, owner, epoch: 1, expiresAt: this.#settings.clock() + ttlMs }
  }

  /** Inside a transaction. */
  renew(leases: readonly Lease[], ttlMs: number): Lease[] {
    const { db, clock } = this.#settings
    const expiresAt = clock() + ttlMs
    return leases.flatMap((lease) => {
      const held = db.run('UPDATE runs SET expires_at = ? WHERE id = ? AND epoch = ? AND owner IS NOT NULL', [
        expiresAt,
        toKey(lease.runId),
        lease.epoch,
      ])
      return held === 0 ? [] : [{ ...lease, expiresAt }]
    })
  }

  /**
   * Inside a transaction.
   *
   * @returns whether the run has ended; undefined where it was not held
   */
  release({ runId, epoch }: Lease, turn: () => number): boolean | undefined {
    const { db } = this.#settings
    const found = db.get('SELECT seq, ended_at FROM runs WHERE id = ? AND epoch = ? AND owner IS NOT NULL', [
      toKey(runId),
      epoch,
    ])
    if (found === undefined) return undefined
    db.run('UPDATE runs SET owner = NULL, process = NULL, expires_at = NULL, turn = ? WHERE seq = ?', [
      turn(),
      Number(found.seq),
    ])
    return found.ended_at !== null
  }

  /** What may be claimed, in the order in which it is offered. */
  candidates({ limit, only, accepts = () => true }: ClaimOptions): Candidate[] {
    const found: Candidate[] = []
    for (let after: QueuePosition = FIRST; found.length < limit; ) {
      const free = this.#free(after, only)
      for (const row of free) {
        if (found.length >= limit) break
        const run = this.#readable(row)
        const seq = Number(row.seq)
        if (run !== undefined && accepts(run)) found.push({ run, seq, epoch: Number(row.epoch) })
      }
      if (free.length < CHUNK) break
      after = placeOf(free.at(-1))
    }
    return found
  }

  /** Finds unfinished runs that no living process holds. */
  readonly left = (): { condition: string; values: SqlValue[] } => ({
    condition: `r.ended_at IS NULL AND ${this.#isFree}`,
    values: [this.#settings.clock()],
  })

  /**
   * The condition of runs of a space, and of none: none is where all share one store. There nearly every run fits, and those of
   * two spaces are in no index in their order: hence the sign, which keeps the index out.
   */
  isOf(table = 'r'): string {
    return this.#isShared ? `+${table}.space IN (?, '${SHARED}')` : `${table}.space = ?`
  }

  get #isShared(): boolean {
    return this.#settings.space === SHARED
  }

  /** A condition with the time now as its value. */
  get #isFree(): string {
    const { dead } = this.#settings.processes
    return `(r.owner IS NULL OR r.expires_at <= ?${dead.length === 0 ? '' : ` OR r.process IN (${dead.join()})`})`
  }

  /**
   * Queued runs that ought to have begun by now. Written so that the index of runs that are to begin by a time is used, and
   * not the one of all queued runs.
   */
  readonly late = (): { condition: string; values: SqlValue[] } => ({
    condition: `r.start_by IS NOT NULL AND r.start_by <= ? AND r.ended_at IS NULL AND +r.status = 'queued'`,
    values: [this.#settings.clock()],
  })

  /** Unfinished runs that nobody holds, or that a process holds which is gone, in the order in which they are offered. */
  #free(after: QueuePosition, only: string | undefined): Row[] {
    const { rows, space, clock } = this.#settings
    const isFree = this.#isFree
    if (only !== undefined) {
      return rows.select(`r.id = ? AND (r.rank, r.seq) > (?, ?) AND r.ended_at IS NULL AND ${isFree}`, [
        toKey(only),
        ...after,
        clock(),
      ])
    }
    const values: SqlValue[] = [...(this.#isShared ? [] : [space]), ...after, clock()]
    return rows.select(
      `${this.#isShared ? '' : 'r.space = ? AND '}(r.rank, r.seq) > (?, ?) AND r.ended_at IS NULL AND r.format <= ${FORMAT} AND ${isFree}
       AND (r.thread IS NULL OR NOT EXISTS (
         SELECT 1 FROM runs AS earlier WHERE earlier.thread = r.thread AND earlier.ended_at IS NULL AND earlier.seq < r.seq))
       ORDER BY r.rank, r.seq LIMIT ${CHUNK}`,
      values,
    )
  }

  /** What cannot be read is left as it is: who asks for it hears why. */
  #readable(row: Row): RunRow | undefined {
    const { rows } = this.#settings
    try {
      return rows.read(row)
    } catch (thrown) {
      if (SvcError.isInstance(thrown)) return undefined
      throw thrown
    }
  }
}
