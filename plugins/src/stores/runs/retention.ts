import type { Engine } from './engine.ts'
import { deleteRun } from './run-table.ts'

const DAY_MS = 86_400_000
/** Runs that are removed in one transaction. */
const BATCH = 20

/** Removes runs that ended long ago, and keys that have run out: when a store is opened, and then daily. */
export class Retention {
  readonly #engine: Engine
  readonly #retainDays: number | undefined
  readonly #clock: () => number
  readonly #timer: NodeJS.Timeout
  #isStopped = false

  /** @param retainDays default for ever */
  constructor(engine: Engine, retainDays: number | undefined, clock: () => number) {
    this.#engine = engine
    this.#retainDays = retainDays
    this.#clock = clock
    this.#timer = setInterval(() => this.#begin(), DAY_MS)
    this.#timer.unref()
    this.#begin()
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#timer)
  }

  #begin(): void {
    if (this.#retainDays !== undefined && this.#old().length > 0) this.#removeOld()
  }

  #old(): number[] {
    const before = this.#clock() - (this.#retainDays ?? 0) * DAY_MS
    const sql = 'SELECT seq FROM runs WHERE ended_at < ? AND owner IS NULL ORDER BY ended_at LIMIT ?'
    return this.#engine.db.all(sql, [before, BATCH]).map(({ seq }) => Number(seq))
  }

  /** One batch after the other, with other writes in between. */
  #removeOld(): void {
    const { db, payloads, queue } = this.#engine
    queue
      .add(() => {
        const old = this.#old()
        for (const run of old) deleteRun(db, payloads, run)
        return old.length
      })
      .then((removed) => {
        if (this.#isStopped) return
        if (removed === BATCH) this.#removeOld()
        else if (removed > 0) db.purge()
      })
      .catch(() => {}) // what could not be removed now is removed the next time
  }
}
