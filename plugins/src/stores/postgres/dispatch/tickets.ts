import { fromKey, toKey } from '../../keys.ts'
import { FORMAT } from '../../run-row.ts'
import type { Database } from '../database.ts'
import type { Leases } from '../leases.ts'
import type { PgClient, PgQuery } from '../load-pg.ts'
import { now, tell } from '../runs/statements.ts'
import type { Engine, Ticket } from './engine.ts'

/** Keeps two processes from making tickets at once; a number that nobody else uses. */
const LOCK = 7_364_003
const MOST = 100
/** A ticket that was taken and led to nothing for so long belongs to a process that is gone. */
const PATIENCE_MS = 5_000
/** A run that somebody could not work on is offered again after so long, and later each time. */
const AGAIN_MS = 500
const MOST_AGAIN_MS = 30_000

export interface TicketsOptions {
  db: Database
  leases: Leases
  teller: string
  clock: (() => number) | undefined
  /** Only runs of this space, and those of none. Undefined: all. */
  space: string | undefined
  /** Runs that this process is about to hold without one. */
  taking: ReadonlySet<string>
}

/**
 * Makes a ticket for each run that nobody holds: one for each time that it becomes free. A ticket is put into the queue
 * before its run's row says so, under a name that stays the same: after a crash between the two it is made again, and is
 * the same one. What a ticket offers may be taken by somebody without one; then it leads to nothing.
 */
export class Tickets {
  readonly #settings: TicketsOptions

  constructor(settings: TicketsOptions) {
    this.#settings = settings
  }

  async issue(engine: Engine): Promise<void> {
    const { db } = this.#settings
    const query = this.#withoutTicket()
    for (let found = (await db.query(query, false)).length; found > 0; ) {
      found = await db.transaction(async (client) => {
        await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`)
        return this.#issue(client, query, engine)
      })
      if (found < MOST) return
    }
  }

  /** Offers a run again. */
  async giveBack(runId: string, ticket: number, isHurried: boolean): Promise<void> {
    const { db, clock, teller } = this.#settings
    const delayMs = isHurried ? 0 : Math.min(MOST_AGAIN_MS, AGAIN_MS * ticket)
    await db.query({
      name: 'svc-ticket-back',
      text: `UPDATE runs SET ticket_for = NULL, ticket_after = ${now('$3')} + $4
        WHERE id = $1 AND tickets = $2 AND ticket_for = epoch RETURNING ${tell('$5', `'queued'`, 'id')}`,
      values: [toKey(runId), ticket, clock?.() ?? null, delayMs, teller],
    })
  }

  /** Finds tickets that processes took which are gone, and runs that were offered in vain. */
  async sweep(engine: Engine): Promise<void> {
    const { db, leases, clock } = this.#settings
    const taken = await engine.taken()
    const free = leases.free('$2', '$3')
    const rows = await db.query(
      {
        name: 'svc-ticket-rows',
        text: `SELECT r.id, r.tickets, r.ended_at IS NULL AND NOT (${free}) AS is_held, r.ended_at IS NULL AND
            (${free}) AND r.ticket_for IS NOT DISTINCT FROM r.epoch AS is_waiting,
            (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now FROM runs AS r WHERE r.id = ANY($1)`,
        values: [taken.map(({ runId }) => toKey(runId)), clock?.() ?? null, leases.gone],
      },
      false,
    )
    const known = new Map(rows.map((row) => [fromKey(row.id), row]))
    const isOver = ({ runId, ticket, takenAt }: Ticket): boolean => {
      const row = known.get(runId)
      if (row === undefined || Number(row.tickets) > ticket) return true
      // Its run's row may be about to say that it is there, or a process to claim the run.
      if (row.is_waiting === true || Number(row.tickets) < ticket) return Number(row.now) - takenAt > PATIENCE_MS
      return row.is_held !== true
    }
    const over = taken.filter(isOver)
    for (const { runId, ticket } of over) await this.giveBack(runId, ticket, true)
    await engine.remove(over)
    await this.#reissue(engine)
    await engine.removeUsed()
  }

  /** Offers again what is said to be offered, and is not. */
  async #reissue(engine: Engine): Promise<void> {
    const { db, leases, clock } = this.#settings
    const rows = await db.query(
      {
        name: 'svc-ticketed-free',
        text: `SELECT r.id, r.tickets FROM runs AS r WHERE r.ended_at IS NULL AND r.ticket_for IS NOT DISTINCT FROM r.epoch
          AND ${leases.free('$1', '$2')} ORDER BY r.rank, r.seq LIMIT ${MOST}`,
        values: [clock?.() ?? null, leases.gone],
      },
      false,
    )
    const tickets = rows.map(({ id, tickets }) => ({ runId: fromKey(id), ticket: Number(tickets) }))
    for (const { runId, ticket } of await engine.missing(tickets)) await this.giveBack(runId, ticket, true)
  }

  async #issue(client: PgClient, query: PgQuery, engine: Engine): Promise<number> {
    const { rows } = await client.query(query)
    await Promise.all(
      rows.map(({ id, tickets, space, rank }) =>
        engine.enqueue(
          { runId: fromKey(id), ticket: Number(tickets) + 1 },
          space === null ? undefined : fromKey(space),
          Number(rank),
        ),
      ),
    )
    await client.query({
      name: 'svc-ticketed',
      text: `UPDATE runs AS r SET tickets = r.tickets + 1, ticket_for = i.epoch, ticket_after = NULL
        FROM unnest($1::bigint[], $2::integer[]) AS i(seq, epoch) WHERE r.seq = i.seq`,
      values: [rows.map(({ seq }) => seq), rows.map(({ epoch }) => epoch)],
    })
    return rows.length
  }

  /** Runs to offer, those of a thread one after the other. */
  #withoutTicket(): PgQuery {
    const { leases, clock, space, taking } = this.#settings
    return {
      name: 'svc-ticketless',
      text: `SELECT r.seq, r.id, r.epoch, r.tickets, r.space, r.rank FROM runs AS r
        WHERE ($3::text IS NULL OR r.space IS NULL OR r.space = $3) AND r.ticket_for IS DISTINCT FROM r.epoch AND ${leases.free('$1', '$2')} AND r.format <= ${FORMAT}
        AND r.id <> ALL($4) AND coalesce(r.ticket_after, 0) <= ${now('$1')} AND ${leases.isFirstOfThread('$1', '$2')}
        ORDER BY r.rank, r.seq LIMIT ${MOST}`,
      values: [clock?.() ?? null, leases.gone, space === undefined ? null : toKey(space), [...taking].map(toKey)],
    }
  }
}
