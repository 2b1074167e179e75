import type { Database } from './database.ts'
import { isPassing, missingPlaceOf, toStoreError } from './errors.ts'
import type { PgClient, PgQuery, Row } from './load-pg.ts'
import { addPartition, isOfMonth, monthAfter, monthAt, monthOf, TABLES } from './months.ts'
import { deleteLogs, now } from './runs/statements.ts'

/** Whose lock keeps two processes from making or dropping the same partitions; a number that nobody else uses. */
const LOCK = 7_364_005
/** Runs whose rows are deleted together where their month stays. */
const PIECE = 25
/** How long after its end a month is left alone, in milliseconds: a write that began in it is over then. */
const REST_MS = 86_400_000

/** SQL: whether a run of a month is left. */
const hasRuns = (month: string): string => `EXISTS (SELECT FROM svc.runs AS r WHERE ${isOfMonth('r.seq', month)})`

const HALF_DETACHED = `SELECT inhparent::regclass AS table, inhrelid::regclass AS partition FROM pg_inherits
  WHERE inhdetachpending AND inhparent = ANY('{${TABLES.map((table) => `svc.${table}`).join()}}'::regclass[])`

/** The partitions of the log: made before they are needed, dropped when no run of their month is left. */
export class Partitions {
  readonly #db: Database
  readonly #clock: (() => number) | undefined
  /** The newest month that this process knows of. */
  #newest = 0

  constructor(db: Database, clock: (() => number) | undefined) {
    this.#db = db
    this.#clock = clock
  }

  /** Makes what is missing of this month and the next. */
  async prepare(): Promise<void> {
    const months = await this.#ask(
      `SELECT m.month, to_regclass('svc.run_texts_' || m.month) IS NULL AS is_missing
       FROM (SELECT ${monthAt(now('$1'))} AS this) AS n, LATERAL (VALUES (this), (${monthAfter('this')})) AS m(month)`,
    )
    this.#newest = Number(months[0]?.month)
    for (const { month, is_missing } of months) if (is_missing === true) await this.#make(Number(month))
  }

  /** A write, which has the partition made that it lacks. */
  async write(query: PgQuery, tries = 5): Promise<Row[]> {
    try {
      return await this.#db.query(query)
    } catch (thrown) {
      const run = missingPlaceOf(thrown)
      if (run === undefined || tries === 0) throw thrown
      await this.#make(monthOf(run))
      return this.write(query, tries - 1)
    }
  }

  /** Who makes the first run of a month prepares the next. */
  made(run: number): void {
    if (monthOf(run) <= this.#newest) return
    this.#newest = monthOf(run)
    // Where it fails, who lacks the partition makes it.
    this.prepare().catch(() => {})
  }

  /**
   * Gives back a piece of the disk space of runs that are gone: drops the partitions of months that are over and have no run left, and
   * deletes what others have left in theirs.
   *
   * @returns whether there is more
   */
  async reclaim(): Promise<boolean> {
    await this.prepare()
    const over = await this.#ask(
      `SELECT m.month FROM (
         SELECT DISTINCT substring(relname FROM '[0-9]+$')::bigint AS month FROM pg_class
         WHERE relnamespace = 'svc'::regnamespace AND relkind = 'r' AND relname ~ '^(${TABLES.join('|')})_[0-9]+$') AS m
       WHERE m.month < ${monthAt(`(${now('$1')} - ${REST_MS})`)} AND NOT ${hasRuns('m.month')}`,
    )
    if (over.length > 0 && !(await this.#drop(over.map(({ month }) => Number(month))))) return false
    const left = await this.#db.query({ text: `SELECT run FROM run_remains LIMIT ${PIECE}` })
    if (left.length > 0) await this.#db.query(deleteLogs(left.map(({ run }) => run)))
    return left.length === PIECE
  }

  #make(month: number): Promise<void> {
    return this.#db.transaction(async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`)
      const attached = await attachedOf(client, month)
      const missing = TABLES.filter((table) => !attached.includes(table))
      if (missing.length > 0) await client.query(missing.map((table) => addPartition(table, month)).join(' '))
    }, true)
  }

  /** @returns false where it has to wait for another time: another process is at it, or reads for long, as a backup does */
  async #drop(months: readonly number[]): Promise<boolean> {
    const client = this.#db.newClient()
    try {
      await client.connect()
      const [lock] = (await client.query(`SELECT pg_try_advisory_lock(${LOCK}) AS is_mine`)).rows
      if (lock?.is_mine !== true) return false
      // What a process has left half detached keeps all others from it.
      for (const { table, partition } of (await client.query(HALF_DETACHED)).rows)
        await client.query(`ALTER TABLE ${table} DETACH PARTITION ${partition} FINALIZE`)
      for (const month of months) {
        for (const table of await attachedOf(client, month))
          await client.query(`ALTER TABLE svc.${table} DETACH PARTITION svc.${table}_${month} CONCURRENTLY`)
        // Who wrote to them has committed by now.
        const [found] = (await client.query(`SELECT ${hasRuns(`${month}::bigint`)} AS has_runs`)).rows
        const drop = `DROP TABLE IF EXISTS ${TABLES.map((table) => `svc.${table}_${month}`).join()};
          DELETE FROM run_remains WHERE ${isOfMonth('run', `${month}::bigint`)}`
        const keep = TABLES.map((table) => addPartition(table, month)).join(' ')
        await client.query(found?.has_runs === true ? keep : drop)
      }
      return true
    } catch (thrown) {
      if (isPassing(thrown)) return false
      throw toStoreError(thrown, this.#db.place)
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** @param text with the clock's time as `$1` */
  #ask(text: string): Promise<Row[]> {
    return this.#db.query({ text, values: [this.#clock?.() ?? null] })
  }
}

/** Tables whose partition of a month is attached, or half detached. */
const attachedOf = async (client: PgClient, month: number): Promise<unknown[]> => {
  const { rows } = await client.query(`SELECT t.name FROM unnest('{${TABLES.join()}}'::text[]) AS t(name)
    JOIN pg_inherits ON inhrelid = to_regclass('svc.' || t.name || '_${month}')`)
  return rows.map(({ name }) => name)
}
