import type { RunChange, RunRow } from '@svc/core'
import { fromKey, toKey } from '../keys.ts'
import { type Watcher, WatcherList } from '../watcher-list.ts'
import type { Database } from './database.ts'
import type { PgClient, Row } from './load-pg.ts'
import { CHANNEL, now } from './runs/statements.ts'

/** How often runs are looked at that others write to: nothing is sent for events, since each note holds up all commits. */
const POLL_MS = 100
/** How often requests are looked for, in case a note was lost. */
const SWEEP_MS = 2_000
/** How often the connection over which notes come is asked whether it is still there: a network may forget it. */
const CHECK_MS = 5_000
/** Others take a process for gone whose connection is not back soon. */
const MOST_BACKOFF_MS = 300

export interface WatchersOptions {
  db: Database
  clock: (() => number) | undefined
  /** Names this process to those that listen. */
  teller: string
  /** Says that this process is there, for as long as the connection lasts. */
  announce(client: PgClient): Promise<void>
  /** Whether this process writes to a run, and so tells of all that happens to it. */
  isOwn(runId: string): boolean
}

/**
 * Who wants to hear of changes: of this process's own at once, of others' by NOTIFY, of new events of runs that others
 * work on by polling. While the connection is lost nothing is heard; when it is back, all is looked at again.
 */
export class Watchers {
  readonly #settings: WatchersOptions
  readonly #watchers = new WatcherList()
  /** What was seen last of each run that is watched. */
  readonly #seen = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined
  #client: PgClient | undefined
  #failures = 0
  #deafSince = 0
  #isPolling = false
  #sweptAt = 0
  #isClosed = false
  /** The first try to listen: from then on this process is known to be there. Undefined while nobody watches. */
  listening: Promise<void> | undefined

  constructor(settings: WatchersOptions) {
    this.#settings = settings
  }

  watch(runId: string, watcher: Watcher): () => void {
    if (this.#timer === undefined && !this.#isClosed) {
      this.#timer = setInterval(() => void this.#poll(), POLL_MS)
      this.#timer.unref()
      this.#sweptAt = performance.now()
      this.#deafSince = this.#sweptAt
      this.listening = this.#listen()
    }
    const stop = this.#watchers.add(runId, watcher, () => {
      this.#seen.delete(runId)
      if (!this.#watchers.keepsAlive) this.#timer?.unref()
    })
    if (this.#watchers.keepsAlive) this.#timer?.ref()
    return stop
  }

  tell(runId: string, change: RunChange, status?: RunRow['status']): void {
    this.#watchers.tell(runId, change, undefined, status)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    const client = this.#client
    this.#client = undefined
    client?.ref()
    await client?.end().catch(() => {})
  }

  /** Never rejects. */
  async #listen(): Promise<void> {
    if (this.#isClosed) return
    const client = this.#settings.db.newClient()
    this.#client = client
    let isOver = false
    const again = (): void => {
      if (isOver) return
      isOver = true
      if (this.#failures === 0) this.#deafSince = performance.now() - CHECK_MS
      if (this.#client === client) this.#client = undefined
      client.end().catch(() => {})
      if (this.#isClosed) return
      const delayMs = Math.min(MOST_BACKOFF_MS, 50 * 2 ** this.#failures++) * (0.5 + Math.random())
      setTimeout(() => void this.#listen(), delayMs).unref()
    }
    client.on('error', again)
    client.on('end', again)
    client.on('notification', ({ payload = '' }) => this.#hear(payload))
    try {
      await client.connect()
      if (!this.#isClosed) client.unref()
      await this.#settings.announce(client)
      await client.query(`LISTEN ${CHANNEL}`)
      this.#check(client)
      await this.#sweep('any')
      this.#failures = 0
    } catch {
      again()
    }
  }

  /** Ends a connection once it gives no answer, so that another takes its place. */
  #check(client: PgClient): void {
    const check = (): void => {
      if (this.#client !== client) return
      client.query('SELECT').then(
        () => this.#check(client),
        () => client.end().catch(() => {}),
      )
    }
    setTimeout(check, CHECK_MS).unref()
  }

  #hear(payload: string): void {
    const [teller, change = '', ...id] = payload.split(':')
    if (teller !== this.#settings.teller) this.tell(fromKey(id.join(':')), change as RunChange)
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      await this.#look()
      if (performance.now() - this.#sweptAt > SWEEP_MS) await this.#sweep('command')
    } catch {
      // A database that cannot be reached now is asked at the next poll; who works with it hears of it.
    }
    this.#isPolling = false
  }

  /** Looks at runs that are watched and that others write to. */
  async #look(): Promise<void> {
    const { db, isOwn } = this.#settings
    const watched = this.#watchers.runIds().filter((runId) => !isOwn(runId))
    if (watched.length === 0) return
    const rows = await db.query(
      {
        name: 'svc-look',
        text: 'SELECT id, status, log_end, owner IS NULL AS is_free FROM runs WHERE id = ANY($1)',
        values: [watched.map(toKey)],
      },
      false,
    )
    const found = new Map<string, Row>(rows.map((row) => [fromKey(row.id), row]))
    for (const runId of watched) {
      const { status, log_end, is_free } = found.get(runId) ?? {}
      const now = `${status} ${is_free} ${log_end}`
      const before = this.#seen.get(runId)
      if (now === before || !this.#watchers.has(runId)) continue
      this.#seen.set(runId, now)
      // A change before the first look may have been missed.
      const isMore = before?.startsWith(`${status} ${is_free} `) === true
      this.tell(runId, isMore ? 'events' : 'any')
    }
  }

  /** Tells those who watch all runs of requests; with `any` also of runs to work on, and of those that ended unheard. */
  async #sweep(change: 'any' | 'command'): Promise<void> {
    this.#sweptAt = performance.now()
    if (change === 'any') this.#seen.clear()
    if (!this.#watchers.has('*')) return
    const isFree = change === 'any' ? 'OR r.owner IS NULL' : ''
    const rows = await this.#settings.db.query(
      {
        name: `svc-sweep-${change}`,
        text: `SELECT r.id FROM runs AS r WHERE r.ended_at IS NULL
          AND (EXISTS (SELECT FROM run_commands AS c WHERE c.run = r.seq) ${isFree}) ORDER BY r.seq LIMIT 1000`,
      },
      false,
    )
    const ended = change === 'any' ? await this.#endedUnheard() : []
    for (const { id } of [...rows, ...ended]) this.tell(fromKey(id), change)
  }

  /** Runs that ended while no notes came. */
  async #endedUnheard(): Promise<Row[]> {
    const { db, clock } = this.#settings
    const text = `SELECT id FROM runs WHERE ended_at >= ${now('$1')} - $2::float8 ORDER BY ended_at`
    const values = [clock?.() ?? null, performance.now() - this.#deafSince]
    return db.query({ name: 'svc-ended', text, values }, false)
  }
}
