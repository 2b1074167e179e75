import { type Lease, type RunRow, type Store, SvcError } from '@svc/core'
import { toKey } from '../keys.ts'
import { FIRST, FORMAT, placeOf, type QueuePosition } from '../run-row.ts'
import type { Database } from './database.ts'
import type { Row } from './load-pg.ts'
import { isOwnerGone, type Owners } from './owners.ts'
import { Batch } from './runs/batch.ts'
import { type Commits, drawMark } from './runs/commits.ts'
import { type RunReader, SELECT_RUNS } from './runs/run-reader.ts'
import { inOrder, now, tell, UNHURRIED } from './runs/statements.ts'

/** Candidates that are looked at together. */
const CHUNK = 32
export interface LeasesOptions {
  db: Database
  reader: RunReader
  commits: Commits
  owners: Owners
  teller: string
  clock: (() => number) | undefined
  onRelease(runId: string, hasEnded: boolean): void
}

/**
 * @param time where the clock's time is bound
 * @param isGone whether the process that holds the run is gone
 */
const isFree = (time: string, isGone: string): string =>
  `r.ended_at IS NULL AND (r.owner IS NULL OR r.expires_at <= ${now(time)} OR ${isGone})`

type Claim = Awaited<ReturnType<Store['claim']>>[number]
type ClaimOptions = Parameters<Store['claim']>[1]

/** Who may write to which run. Times are those of the database. */
export class Leases {
  readonly #settings: LeasesOptions
  readonly #releases = new Batch<Lease, undefined>((leases) => this.#release(leases), { keyOf: ({ runId }) => runId })

  constructor(settings: LeasesOptions) {
    this.#settings = settings
  }

  async claim(owner: string, options: ClaimOptions): Promise<Claim[]> {
    const { limit, accepts = () => true } = options
    const { reader } = this.#settings
    const claimed: Claim[] = []
    for (let after: QueuePosition = FIRST; claimed.length < limit; ) {
      const found = await this.#free(after, options.only)
      const runs = await reader.readAll(found)
      const wanted: { row: Row; run: RunRow }[] = []
      for (const [index, run] of runs.entries()) {
        const row = found[index]
        // What cannot be read is left as it is: who asks for it hears why.
        if (row === undefined || run instanceof SvcError || !accepts(run)) continue
        wanted.push({ row, run })
        if (claimed.length + wanted.length >= limit) break
      }
      if (wanted.length > 0) claimed.push(...(await this.#take(owner, options, wanted)))
      if (found.length < CHUNK) break
      after = placeOf(found.at(-1))
    }
    return claimed
  }

  async renew(held: readonly Lease[], ttlMs: number): Promise<Lease[]> {
    if (held.length === 0) return []
    const { db, owners, clock } = this.#settings
    const leases = inOrder(held)
    const rows = await db.query({
      name: 'svc-renew',
      text: `UPDATE runs AS r SET expires_at = ${now('$4')} + $3, owner_lock = $5
        FROM unnest($1::text[], $2::integer[]) AS i(id, epoch), (SELECT ${UNHURRIED}) AS unhurried
        WHERE r.id = i.id AND r.epoch = i.epoch AND r.owner IS NOT NULL RETURNING r.id, r.expires_at`,
      values: [
        leases.map(({ runId }) => toKey(runId)),
        leases.map(({ epoch }) => epoch),
        ttlMs,
        clock?.() ?? null,
        owners.lock,
      ],
    })
    const ends = new Map(rows.map(({ id, expires_at }) => [id, Number(expires_at)]))
    return held.flatMap((lease) => {
      const expiresAt = ends.get(toKey(lease.runId))
      return expiresAt === undefined ? [] : [{ ...lease, expiresAt }]
    })
  }

  release(lease: Lease): Promise<void> {
    this.#settings.commits.forget(lease.runId)
    return this.#releases.add(lease)
  }

  idle(): Promise<void> {
    return this.#releases.idle()
  }

  async #release(released: readonly Lease[]): Promise<undefined[]> {
    const { db, teller, onRelease } = this.#settings
    const leases = inOrder(released)
    const rows = await db.query({
      name: 'svc-release',
      text: `UPDATE runs AS r SET owner = NULL, expires_at = NULL
        FROM unnest($1::text[], $2::integer[]) AS i(id, epoch), (SELECT ${UNHURRIED}) AS unhurried
        WHERE r.id = i.id AND r.epoch = i.epoch AND r.owner IS NOT NULL
        RETURNING r.id, r.ended_at, ${tell('$3', `CASE WHEN r.ended_at IS NULL THEN 'queued' ELSE 'status' END`, 'r.id')}`,
      values: [leases.map(({ runId }) => toKey(runId)), leases.map(({ epoch }) => epoch), teller],
    })
    const ended = new Map(rows.map(({ id, ended_at }) => [id, ended_at !== null]))
    for (const { runId } of leases) {
      const hasEnded = ended.get(toKey(runId))
      if (hasEnded !== undefined) onRelease(runId, hasEnded)
    }
    return leases.map(() => undefined)
  }

  /** What a list of the runs that nobody holds asks for. */
  readonly left = (): { condition: string; values: (number | null)[] } => ({
    condition: isFree('?', isOwnerGone),
    values: [this.#settings.clock?.() ?? null],
  })

  /** Locks of processes that hold runs and are gone. */
  get gone(): readonly number[] {
    return this.#settings.owners.gone
  }

  /**
   * SQL: whether nobody holds a run.
   *
   * @param time where the clock's time is bound
   * @param gone where the locks of processes are bound that are gone
   */
  free(time: string, gone: string): string {
    return isFree(time, `r.owner_lock = ANY(${gone}::integer[])`)
  }

  /** SQL: whether no other run of the thread has to end first. */
  isFirstOfThread(time: string, gone: string): string {
    // A run may become visible after a younger one of its thread was claimed: it waits for that one.
    return `(r.thread IS NULL OR NOT EXISTS (
      SELECT FROM runs AS other WHERE other.thread = r.thread AND other.ended_at IS NULL AND other.seq <> r.seq
      AND (other.seq < r.seq OR (other.owner IS NOT NULL AND other.expires_at > ${now(time)}
        AND (other.owner_lock IS NULL OR other.owner_lock <> ALL(${gone}::integer[]))))))`
  }

  /** Queued runs that ought to have begun by now. */
  readonly late = (): { condition: string; values: (number | null)[] } => ({
    condition: `r.status = 'queued' AND r.ended_at IS NULL AND r.start_by <= ${now('?')}`,
    values: [this.#settings.clock?.() ?? null],
  })

  /** Unfinished runs that nobody holds, in the order in which they are offered. */
  #free(after: QueuePosition, only: string | undefined): Promise<Row[]> {
    const { db, clock } = this.#settings
    const isNext = '(r.rank, r.seq) > ($1, $2)'
    const values = [...after, clock?.() ?? null]
    if (only !== undefined) {
      return db.query({
        name: 'svc-free-one',
        text: `${SELECT_RUNS} WHERE ${isNext} AND ${isFree('$3', isOwnerGone)} AND r.id = $4`,
        values: [...values, toKey(only)],
      })
    }
    return db.query({
      name: 'svc-free',
      text: `${SELECT_RUNS} WHERE ${isNext} AND ${this.free('$3', '$4')} AND r.format <= ${FORMAT}
        AND ${this.isFirstOfThread('$3', '$4')} ORDER BY r.rank, r.seq LIMIT ${CHUNK}`,
      values: [...values, this.gone],
    })
  }

  /**
   * Takes the leases of those that are still free, and passes over those that another process is just taking; who asks
   * for one run waits until that is decided.
   */
  async #take(
    owner: string,
    { ttlMs, only }: ClaimOptions,
    wanted: readonly { row: Row; run: RunRow }[],
  ): Promise<Claim[]> {
    const { db, reader, commits, owners, clock } = this.#settings
    const isAsked = only !== undefined
    const mark = drawMark()
    // Where the answer to this was lost, the same mark finds the runs that it took.
    const rows = await db.query({
      name: isAsked ? 'svc-claim-one' : 'svc-claim',
      text: `WITH free AS (
          SELECT r.seq FROM runs AS r WHERE r.seq = ANY($1) AND r.ended_at IS NULL AND (r.mark = $4 OR
            ${isAsked ? isFree('$5', `$7::integer[] IS NOT NULL AND ${isOwnerGone}`) : this.free('$5', '$7')})
          ORDER BY r.seq FOR UPDATE ${isAsked ? '' : 'SKIP LOCKED'})
        UPDATE runs AS r SET epoch = r.epoch + 1, owner = $2, owner_lock = $6, offer_after = NULL, expires_at = ${now('$5')} + $3, mark = $4
        FROM free WHERE r.seq = free.seq RETURNING r.seq, r.epoch, r.expires_at, r.log_end, r.version`,
      values: [wanted.map(({ row }) => row.seq), toKey(owner), ttlMs, mark, clock?.() ?? null, owners.lock, this.gone],
    })
    const taken = new Map(rows.map((row) => [row.seq, row]))
    const claims: Claim[] = []
    for (const { row, run } of wanted) {
      const now = taken.get(row.seq)
      if (now === undefined) continue
      const lease: Lease = { runId: run.id, owner, epoch: Number(now.epoch), expiresAt: Number(now.expires_at) }
      const isAsRead = now.log_end === row.log_end && now.version === row.version
      const found = isAsRead ? row : await reader.find(run.id)
      if (found === undefined) continue
      commits.know(run.id, await reader.writerOf(found))
      claims.push({ run: isAsRead ? run : await reader.read(found), lease })
    }
    return claims
  }
}
