import { fromKey, toKey } from '../../keys.ts'
import { FORMAT } from '../../run-row.ts'
import type { Database } from '../database.ts'
import type { Leases } from '../leases.ts'
import type { Row } from '../load-pg.ts'
import { Batch } from '../runs/batch.ts'
import { now, tell, UNHURRIED } from '../runs/statements.ts'

/** How long an offered run is kept for the process that it was offered to. */
const OFFER_MS = 5_000
/** A run that a process could not work on is offered to it again after so long, and later each time. */
const AGAIN_MS = 500
const MOST_AGAIN_MS = 30_000
/** Of more runs that it could not work on, the others are offered to nobody meanwhile. */
const MOST_PASSED = 1_000
/** How often those are asked for again that somebody else has just taken. */
const MOST_TRIES = 10

export interface TurnsOptions {
  db: Database
  leases: Leases
  teller: string
  clock: (() => number) | undefined
  /** Only runs of this space, and those of none. Undefined: all. */
  space: string | undefined
}

/** A run that is kept for the process that asked for one. */
export interface Offer {
  runId: string
  /** How often it was offered, with this time. */
  offers: number
}

/**
 * Whose run is next: tenants take turns, and of a tenant it is the one of the highest priority that has waited longest.
 * What was offered is nobody else's for a while; who works on it claims it.
 */
export class Turns {
  readonly #settings: TurnsOptions
  /** Runs that were given back here: others may work on them at once, and this process asks for them later. */
  readonly #passed = new Map<string, { times: number; until: number }>()
  readonly #asked = new Batch<undefined, Offer | undefined>(({ length }) => this.#offer(length))

  constructor(settings: TurnsOptions) {
    this.#settings = settings
  }

  /** Undefined where no run waits. */
  next(): Promise<Offer | undefined> {
    return this.#asked.add(undefined)
  }

  /** How many runs wait, up to so many. */
  async waiting(most: number): Promise<number> {
    const [row] = await this.#settings.db.query(
      { name: 'svc-ticket-waiting', text: `SELECT count(*) FROM (${this.#line}) AS line`, values: this.#values(most) },
      false,
    )
    return Number(row?.count)
  }

  /**
   * Offers a run again: to others at once, here later each time.
   *
   * @param isHurried here at once too: nobody has looked at it
   * @returns after how many milliseconds
   */
  async giveBack({ runId, offers }: Offer, isHurried: boolean): Promise<number> {
    const { db, clock, teller } = this.#settings
    const times = (this.#passed.get(runId)?.times ?? 0) + 1
    const delayMs = isHurried ? 0 : Math.min(MOST_AGAIN_MS, AGAIN_MS * times)
    const isFull = this.#passing().length >= MOST_PASSED
    if (!isFull && !isHurried) this.#passed.set(runId, { times, until: performance.now() + delayMs })
    await db.query({
      name: 'svc-ticket-back',
      text: `UPDATE runs SET offer_after = ${now('$3')} + $4 WHERE id = $1 AND offers = $2 AND owner IS NULL
        RETURNING ${tell('$5', `'queued'`, 'id')}`,
      values: [toKey(runId), offers, clock?.() ?? null, isFull ? delayMs : 0, teller],
    })
    return delayMs
  }

  /** Runs that this process does not ask for now. */
  #passing(): string[] {
    const time = performance.now()
    for (const [runId, { until }] of this.#passed) if (until + MOST_AGAIN_MS < time) this.#passed.delete(runId)
    return [...this.#passed].flatMap(([runId, { until }]) => (until > time ? toKey(runId) : []))
  }

  /** Releases runs whose leases have run out, and those of processes that are gone. */
  async releaseLeft(): Promise<void> {
    const { db, leases, clock, space, teller } = this.#settings
    await db.query(
      {
        name: 'svc-ticket-left',
        // What somebody writes to just now is left to the next time.
        text: `WITH left_runs AS MATERIALIZED (
            SELECT r.seq FROM runs AS r WHERE r.owner IS NOT NULL AND ${leases.free('$1', '$2')}
            AND ($3::text IS NULL OR r.space IS NULL OR r.space = $3) FOR UPDATE SKIP LOCKED)
          UPDATE runs AS r SET owner = NULL, expires_at = NULL FROM left_runs WHERE r.seq = left_runs.seq
          RETURNING ${tell('$4', `'queued'`, 'r.id')}`,
        values: [clock?.() ?? null, leases.gone, space === undefined ? null : toKey(space), teller],
      },
      false,
    )
  }

  async #offer(count: number): Promise<(Offer | undefined)[]> {
    let offers: Offer[] = []
    for (let tries = 0; tries < MOST_TRIES && offers.length < count; tries++) {
      const rows = await this.#take(count - offers.length)
      offers = [...offers, ...rows.filter(({ offers: times }) => times !== null).map(toOffer)]
      if (rows.every(({ offers: times }) => times !== null)) break
    }
    return Array.from({ length: count }, (_, index) => offers[index])
  }

  /** Runs of the line; those without a number were just taken by somebody else. */
  #take(count: number): Promise<Row[]> {
    const { db } = this.#settings
    return db.query({
      name: 'svc-ticket-offer',
      // What comes next is settled before anything is locked: who loses one of these looks again, and skips nobody's turn.
      text: `WITH line AS MATERIALIZED (${this.#line}),
        free AS MATERIALIZED (
          SELECT r.seq FROM runs AS r WHERE r.seq = ANY(ARRAY(SELECT seq FROM line)) AND r.owner IS NULL AND r.ended_at IS NULL
          AND coalesce(r.offer_after, 0) <= ${now('$2')} FOR UPDATE SKIP LOCKED),
        offered AS (
          UPDATE runs AS r SET offers = r.offers + 1, offer_after = ${now('$2')} + ${OFFER_MS}
          FROM free, (SELECT ${UNHURRIED}) AS unhurried WHERE r.seq = free.seq RETURNING r.seq, r.offers, r.tenant),
        turns AS (
          SELECT t.tenant FROM run_tenants AS t WHERE t.tenant = ANY(ARRAY(SELECT tenant FROM offered)) FOR UPDATE SKIP LOCKED),
        served AS (
          UPDATE run_tenants AS t SET served = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
          FROM turns WHERE t.tenant = turns.tenant)
        SELECT line.id, offered.offers FROM line LEFT JOIN offered ON offered.seq = line.seq
        ORDER BY line.place, line.served, line.seq`,
      values: this.#values(count),
    })
  }

  /** The first runs of all tenants, those first whose turn it is: `$1` so many. Of a thread one after the other. */
  get #line(): string {
    const { leases } = this.#settings
    return `SELECT f.seq, f.id, f.place, t.served FROM run_tenants AS t CROSS JOIN LATERAL (
        SELECT r.seq, r.id, row_number() OVER (ORDER BY r.rank, r.seq) AS place FROM runs AS r
        WHERE r.tenant = t.tenant AND r.owner IS NULL AND r.ended_at IS NULL AND r.format <= ${FORMAT}
          AND r.id <> ALL($5::text[]) AND coalesce(r.offer_after, 0) <= ${now('$2')} AND ${leases.isFirstOfThread('$2', '$3')}
        ORDER BY r.rank, r.seq LIMIT $1::bigint) AS f
      WHERE $4::text IS NULL OR t.space IS NULL OR t.space = $4
      ORDER BY f.place, t.served, f.seq LIMIT $1::bigint`
  }

  #values(most: number): unknown[] {
    const { leases, clock, space } = this.#settings
    return [most, clock?.() ?? null, leases.gone, space === undefined ? null : toKey(space), this.#passing()]
  }
}

const toOffer = ({ id, offers }: Row): Offer => ({ runId: fromKey(id), offers: Number(offers) })
