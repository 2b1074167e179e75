import { randomInt } from 'node:crypto'
import type { Database } from './database.ts'
import type { PgClient } from './load-pg.ts'

/** Of the locks that say which processes are there; a number that nobody else uses. */
const LOCK_CLASS = 7_364_002
/** A connection that was cut is back sooner than this. */
const PATIENCE_MS = 600

/** SQL: locks of the processes that are connected. */
const CONNECTED = `SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LOCK_CLASS} AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** SQL: whether the process that holds a run is not connected now. */
export const isOwnerGone = `(r.owner_lock IS NOT NULL AND r.owner_lock NOT IN (${CONNECTED}))`

/**
 * Which of the processes that hold runs are gone. Each holds a lock over a connection for as long as it lives, and the
 * database lets go of it when the process ends, long before its leases run out.
 */
export class Owners {
  /** The number of this process. */
  readonly own = randomInt(1, 2 ** 31)
  /** The lock of this process, while it is held: without a connection only its leases say that it is there. */
  lock: number | null = null
  readonly #db: Database
  #client: PgClient | undefined
  /** Since when a lock has been missing: `performance.now()`. */
  #missing = new Map<number, number>()
  /** Locks of processes that are gone. */
  gone: readonly number[] = []

  constructor(db: Database) {
    this.#db = db
  }

  /** Says over a connection that this process is there, until it ends. */
  async announce(client: PgClient): Promise<void> {
    const forget = (): void => {
      if (this.#client === client) this.lock = null
    }
    this.#client = client
    client.on('end', forget)
    client.on('error', forget)
    await client.query(`SELECT pg_advisory_lock_shared(${LOCK_CLASS}, ${this.own})`)
    if (this.#client === client) this.lock = this.own
  }

  /**
   * Looks who is gone: a process is when its lock has been missing for a while.
   *
   * @param others numbers of processes beside those that hold runs
   * @returns when to look again, in milliseconds, where somebody is missing who is not gone yet
   */
  async observe(others: readonly number[] = []): Promise<number | undefined> {
    const seen = new Map<number, number>()
    try {
      const rows = await this.#db.query(
        {
          name: 'svc-owners',
          text: `SELECT r.owner_lock FROM (
              SELECT owner_lock FROM runs WHERE ended_at IS NULL AND owner IS NOT NULL UNION SELECT unnest($2::integer[])) AS r
            WHERE r.owner_lock <> $1 AND ${isOwnerGone}`,
          values: [this.own, others],
        },
        false,
      )
      const now = performance.now()
      for (const { owner_lock } of rows) seen.set(Number(owner_lock), this.#missing.get(Number(owner_lock)) ?? now)
    } finally {
      this.#missing = seen
      const before = performance.now() - PATIENCE_MS
      this.gone = [...seen].filter(([, since]) => since <= before).map(([lock]) => lock)
    }
    const waits = [...seen.values()].map((since) => since + PATIENCE_MS - performance.now()).filter((ms) => ms > 0)
    return waits.length === 0 ? undefined : Math.min(...waits)
  }
}
