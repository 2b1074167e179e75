import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import {
  type AgentProfile,
  type Approval,
  type Collection,
  type Command,
  type Commit,
  type CostPeriod,
  createId,
  found,
  type Holder,
  type KeyedAnswer,
  type Lease,
  type NewEvent,
  type RecordSpace,
  type RunEvent,
  type RunRow,
  type SharedCollection,
  type StepRow,
  type Store,
  type ThreadCollection,
} from '@svc/core'
import { checked } from '../damage.ts'
import { fromKey, toKey } from '../keys.ts'
import { Meter } from '../meter.ts'
import { costSql, toCostFigure } from '../queries/cost-sql.ts'
import { approvalConditions, toPage } from '../queries/run-filters.ts'
import { selectEnded, toStoredRun } from '../stored-runs.ts'
import { listPage } from '../tables/pages.ts'
import { type RecordDatabase, RecordTable, SpaceTable, ThreadTable } from '../tables/records.ts'
import { Database } from './database.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import type { SharedLimits } from './dispatch/engine.ts'
import { Leases } from './leases.ts'
import type { Row } from './load-pg.ts'
import { Owners } from './owners.ts'
import { Partitions } from './partitions.ts'
import { postgresRecords } from './records.ts'
import { Commits } from './runs/commits.ts'
import { Creations } from './runs/creations.ts'
import { findOld } from './runs/find-old.ts'
import { measureOld, summarize } from './runs/measure-old.ts'
import { RunList } from './runs/run-list.ts'
import { RunReader } from './runs/run-reader.ts'
import { deleteLogs, deleteRuns, deleteUnused, keepPayload, STORED_BYTES, tell } from './runs/statements.ts'
import { migrate } from './schema.ts'
import { Watchers } from './watchers.ts'

/** More than is free in a page. */
const PROBE_BYTES = 16_384

export interface PostgresStoreSettings {
  /** `postgres://user:password@host:5432/database`. Its tables are in a schema `svc`, which is made when it is opened. */
  url: string
  /** `off`: a crash of the database's machine may lose the newest. Default `group`, which is the same as `always` here. */
  fsync?: 'always' | 'group' | 'off'
  /** Over all processes that work on its runs: as the one says that started last. Default none. */
  limits?: SharedLimits | undefined
  /** False: tables of an older svc, and missing ones, are refused. Default true: they are made. */
  migrate?: boolean | undefined
  /** Milliseconds since the epoch. Default the database's clock, so that those of machines need not agree. */
  clock?: () => number
}

/** Runs in PostgreSQL, for any number of processes on any number of machines. */
export class PostgresStore implements Store {
  readonly threads: ThreadCollection
  readonly agents: Collection<AgentProfile>
  readonly answers: SharedCollection<KeyedAnswer>
  readonly #db: Database
  readonly #records: RecordDatabase
  readonly #clock: (() => number) | undefined
  readonly #teller = createId('t', Date.now())
  readonly #partitions: Partitions
  readonly #reader: RunReader
  readonly #commits: Commits
  readonly #creations: Creations
  readonly #leases: Leases
  readonly #list: RunList
  readonly #owners: Owners
  readonly #watchers: Watchers
  readonly #limits: SharedLimits
  readonly #mayMigrate: boolean
  readonly #dispatchers = new Set<Dispatcher>()
  #opening: Promise<void> | undefined
  /** The work on runs of an earlier svc that nobody waits for. */
  #finding: Promise<void> | undefined
  readonly #meter = new Meter()
  readonly measure = this.#meter.watch

  /** @throws SvcError `store_unavailable` for an address that is none */
  constructor({ url, fsync = 'group', limits = {}, migrate = true, clock }: PostgresStoreSettings) {
    const db = new Database({ url, isDurable: fsync !== 'off' })
    const reader = new RunReader(db)
    const teller = this.#teller
    this.#db = db
    this.#clock = clock
    this.#reader = reader
    this.#partitions = new Partitions(db, clock)
    const partitions = this.#partitions
    this.#limits = limits
    this.#mayMigrate = migrate
    this.#owners = new Owners(db)
    const owners = this.#owners
    const shared = { db, reader, teller, clock }
    const measured = { ...shared, partitions, meter: this.#meter }
    this.#commits = new Commits({
      ...measured,
      onCommit: (runId, status) => this.#watchers.tell(runId, status === undefined ? 'events' : 'status', status),
    })
    this.#creations = new Creations({
      ...measured,
      commits: this.#commits,
      owners,
      onCreate: ({ id }) => this.#watchers.tell(id, 'queued'),
    })
    this.#leases = new Leases({
      ...shared,
      commits: this.#commits,
      owners,
      onRelease: (runId, hasEnded) => this.#watchers.tell(runId, hasEnded ? 'status' : 'queued'),
    })
    this.#list = new RunList(db, this.#leases)
    this.#watchers = new Watchers({
      db,
      clock,
      teller,
      announce: (client) => owners.announce(client),
      isOwn: (runId) => this.#commits.has(runId),
    })
    this.#records = postgresRecords(db)
    this.threads = new ThreadTable(this.#records)
    this.agents = new RecordTable<AgentProfile>(this.#records, 'agent')
    this.answers = new RecordTable<KeyedAnswer>(this.#records, 'answer')
  }

  records<T>(kind: string, space: string): RecordSpace<T> {
    return new SpaceTable<T>(this.#records, kind, space)
  }

  /**
   * Opening what is open does nothing.
   *
   * @throws SvcError `store_unavailable`
   */
  open(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<void> {
    try {
      await this.#db.open()
      await migrate(this.#db, this.#mayMigrate)
      await this.#partitions.prepare()
      await measureOld(this.#db)
      // Where it fails, who opens the store next tries again.
      this.#finding = findOld(this.#db, this.#reader, () => this.#opening === undefined).catch(() => {})
    } catch (thrown) {
      this.#opening = undefined
      await this.#db.close()
      throw thrown
    }
  }

  async close(): Promise<void> {
    this.#opening = undefined
    // Idle connections do not keep a process alive; who waits for them to end is not to be cut off.
    const alive = setInterval(() => {}, 60_000)
    try {
      for (const dispatcher of this.#dispatchers) await dispatcher.close(0)
      await this.#finding
      await Promise.all([this.#commits.idle(), this.#creations.idle(), this.#leases.idle()])
      await this.#watchers.close()
      await this.#db.close()
    } finally {
      clearInterval(alive)
    }
  }

  async create(
    run: RunRow,
    events: readonly NewEvent[],
    idempotency?: Parameters<Store['create']>[2],
    steps?: readonly StepRow[],
    holder?: Holder,
  ): Promise<{ run: RunRow; replayed: boolean; lease?: Lease }> {
    const make = (by?: Holder): ReturnType<Creations['add']> => this.#creations.add(run, events, idempotency, steps, by)
    if (holder === undefined) return make()
    await this.#watchers.listening
    if (this.#dispatchers.size === 0) return make(holder)
    for (const dispatcher of this.#dispatchers) {
      const created = dispatcher.make(run, events, () => make(holder))
      if (created !== undefined) return created
    }
    return make()
  }

  commit(lease: Lease, write: Commit): Promise<readonly RunEvent[]> {
    return this.#commits.add(lease, write)
  }

  async claim(owner: string, options: Parameters<Store['claim']>[1]): Promise<{ run: RunRow; lease: Lease }[]> {
    await this.#watchers.listening
    return this.#leases.claim(owner, options)
  }

  async dispatch(
    start: Parameters<NonNullable<Store['dispatch']>>[0],
    { limit, space }: { limit: number; space?: string },
  ): Promise<(drainMs: number) => Promise<void>> {
    const dispatcher = new Dispatcher(
      {
        db: this.#db,
        leases: this.#leases,
        owners: this.#owners,
        teller: this.#teller,
        clock: this.#clock,
        limits: this.#limits,
        mayMigrate: this.#mayMigrate,
        space,
        watch: (handler) => this.#watchers.watch('*', handler),
      },
      start,
      limit,
    )
    await dispatcher.open()
    this.#dispatchers.add(dispatcher)
    return async (drainMs) => {
      this.#dispatchers.delete(dispatcher)
      await dispatcher.close(drainMs)
    }
  }

  renew(leases: readonly Lease[], ttlMs: number): Promise<Lease[]> {
    return this.#leases.renew(leases, ttlMs)
  }

  release(lease: Lease): Promise<void> {
    return this.#leases.release(lease)
  }

  steps(runId: string): Promise<StepRow[]> {
    return this.#reader.steps(runId)
  }

  async command(runId: string, command: Command): Promise<void> {
    const body = JSON.stringify(command)
    const [run] = await this.#db.query({
      name: 'svc-command',
      text: `WITH run AS (SELECT seq, id FROM runs WHERE id = $1 FOR KEY SHARE), recorded AS (
          INSERT INTO run_commands (run, id, body, crc) SELECT seq, $2, $3, $4 FROM run ON CONFLICT DO NOTHING)
        SELECT seq, ${tell('$5', `'command'`, 'id')} FROM run`,
      values: [toKey(runId), toKey(command.id), body, crc32(body), this.#teller],
    })
    found(run, 'run', runId)
    this.#watchers.tell(runId, 'command')
  }

  async commands(runId: string): Promise<Command[]> {
    const rows = await this.#db.query({
      name: 'svc-commands',
      text: 'SELECT c.body, c.crc FROM runs AS r JOIN run_commands AS c ON c.run = r.seq WHERE r.id = $1 ORDER BY c.seq',
      values: [toKey(runId)],
    })
    return rows.map((row) => JSON.parse(checked(row, runId, 'a command')) as Command)
  }

  watch(runId: string, handler: Parameters<Store['watch']>[1]): () => void {
    return this.#watchers.watch(runId, handler)
  }

  async assertWritable(): Promise<void> {
    const text = 'UPDATE svc.migrations SET applied_at = applied_at WHERE version = 1'
    await this.#db.query({ name: 'svc-writable', text, values: [] }, false)
    if (!this.#db.wasFull) return
    // That write fits where it was before: whether there is room again shows one that does not.
    await this.#db.transaction(async (client) => {
      const values = [createId('probe', Date.now()), randomBytes(PROBE_BYTES)]
      await client.query({ text: 'INSERT INTO run_payloads (id, uses, bytes) VALUES ($1, 1, $2)', values })
      await client.query({ text: 'DELETE FROM run_payloads WHERE id = $1', values: values.slice(0, 1) })
    })
    this.#db.wasFull = false
  }

  readonly runs: Store['runs'] = {
    get: async (id) => {
      const row = await this.#reader.find(id)
      return row && this.#reader.read(row)
    },
    list: async (query = {}) => {
      const { rows, hasMore } = await this.#list.page(query)
      const runs = await this.#reader.readForList(rows)
      return toPage({ rows: runs, hasMore }, (run) => [run.id, run])
    },
    summarize: async (filters) => summarize(this.#db, this.#list.conditionsOf(filters)),
    costs: async ({ per, by, utcOffsetMinutes, limit, ...filters }) => {
      const { conditions, values } = this.#list.conditionsOf(filters)
      const statement = costSql({ by }, { ...COST_NAMES, period: periodOf(per) }, conditions)
      return (await this.#ask(statement, [utcOffsetMinutes, ...values, limit])).map(toCostFigure)
    },
    ended: async (query) => {
      const columns = { id: 'r.id', bytes: STORED_BYTES, isOf: '(r.space = ? OR r.space IS NULL)' }
      return (await this.#ask(...selectEnded(query, columns))).map(toStoredRun)
    },
    delete: (id) => this.#delete([id], false),
    deleteMany: (ids) => this.#delete(ids, true),
    reclaim: () => this.#partitions.reclaim(),
  }

  readonly events: Store['events'] = {
    list: (runId, query = {}) => this.#reader.events(runId, query),
  }

  readonly approvals: Store['approvals'] = {
    get: async (id) => {
      const [row] = await this.#db.query({
        name: 'svc-approval',
        text: 'SELECT id, body, crc FROM run_approvals WHERE id = $1',
        values: [toKey(id)],
      })
      return row && toApproval(row)
    },
    list: async (query = {}) => {
      const { runId } = query
      const run = runId === undefined ? undefined : ((await this.#numberOf(runId)) ?? -1)
      const table = {
        select: 'SELECT r.seq, r.id, r.body, r.crc FROM run_approvals AS r',
        table: 'run_approvals',
        ...approvalConditions(query, run, '(u.space = ? OR u.space IS NULL)'),
      }
      return toPage(await listPage(this.#ask, table, query), (row) => [fromKey(row.id), toApproval(row)])
    },
  }

  readonly payloads: Store['payloads'] = {
    put: async (runId, bytes) => {
      const ref = hash('sha256', bytes)
      const [run] = await this.#db.query(keepPayload(toKey(runId), ref, Buffer.from(bytes)))
      found(run, 'run', runId)
      return ref
    },
    get: async (ref) => {
      const text = 'SELECT bytes FROM run_payloads WHERE id = $1'
      const [row] = await this.#db.query({ name: 'svc-payload-get', text, values: [toKey(ref)] })
      // One that is damaged is not there.
      return Buffer.isBuffer(row?.bytes) && hash('sha256', row.bytes) === ref ? row.bytes : undefined
    },
  }

  readonly #ask = (statement: string, values: readonly unknown[]): Promise<Row[]> => this.#db.ask(statement, values)

  /** @param areNoted whether their logs are left to `reclaim` */
  async #delete(ids: readonly string[], areNoted: boolean): Promise<void> {
    for (const id of ids) this.#commits.forget(id)
    // At once, so that nothing is left that nobody refers to.
    await this.#db.transaction(async (client) => {
      const [gone] = (await client.query(deleteRuns(ids.map(toKey), this.#teller, areNoted))).rows
      const { runs, payloads } = gone as Record<'runs' | 'payloads', string[]>
      if (!areNoted && runs.length > 0) await client.query(deleteLogs(runs))
      if (payloads.length > 0) await client.query(deleteUnused(payloads))
    }, true)
    for (const id of ids) this.#watchers.tell(id, 'status')
  }

  async #numberOf(id: string): Promise<number | undefined> {
    const [row] = await this.#db.query({ text: 'SELECT seq FROM runs WHERE id = $1', values: [toKey(id)] })
    return row && Number(row.seq)
  }
}

const COST_NAMES = { folder: `coalesce(r.space, '') COLLATE "C"`, model: 'u.model COLLATE "C"' }

/** The first day of the period in which a run `r` was asked for, with `?` for the minutes ahead of UTC. */
const periodOf = (per: CostPeriod): string =>
  `to_char(date_trunc('${per}', r.created_at::timestamptz AT TIME ZONE 'UTC' + ?::integer * interval '1 minute'), 'YYYY-MM-DD')`

const toApproval = (row: Row): Approval => JSON.parse(checked(row, fromKey(row.id), 'an approval')) as Approval
