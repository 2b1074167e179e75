import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import {
  type AgentProfile,
  type Approval,
  CapacityError,
  type Collection,
  type Command,
  type Commit,
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
  SvcError,
  type ThreadCollection,
} from '@svc/core'
import { checked } from '../damage.ts'
import { fromKey, SHARED, toKey } from '../keys.ts'
import { toShort } from '../long-request.ts'
import { Meter } from '../meter.ts'
import { prepareCommit, prepareRun } from '../prepared-writes.ts'
import { approvalConditions, toPage } from '../queries/run-filters.ts'
import { SUMMARY_SQL, summaryOf } from '../queries/summary-sql.ts'
import { selectEnded, toStoredRun } from '../stored-runs.ts'
import { listPage } from '../tables/pages.ts'
import { type RecordDatabase, RecordTable, SpaceTable, ThreadTable } from '../tables/records.ts'
import { guarded } from './body.ts'
import { Engine, type EngineOptions } from './engine.ts'
import type { DataProject } from './file/data-file.ts'
import type { SqlValue } from './file/load-libsql.ts'
import { freeBytesBeside } from './file/reserve.ts'
import { bytesOf } from './file/sqlite.ts'
import { sqliteRecords } from './records.ts'
import { STORED_BYTES } from './run-rows.ts'

export interface SqliteStoreSettings {
  /** The database file; made, with its folder, when the store is opened. */
  file: string
  /** The project's folder, where the file was chosen because it lies in one. */
  project?: DataProject
  /** The folder that runs work in: a process works only on runs that were made in its own. Default all share one. */
  space?: string
  /** `always`: a transaction for each write; `group`: one for what is written together; `off`: a crash of the machine may lose the newest. Default `group`. */
  fsync?: EngineOptions['fsync']
  /** Milliseconds since the epoch. Default the system's clock, and for leases one that does not change when that is set. */
  clock?: () => number
}

/**
 * Runs in a SQLite file that several processes may use at once. Reads answer at once, writes when they are durable.
 */
export class SqliteStore implements Store {
  readonly threads: ThreadCollection
  readonly agents: Collection<AgentProfile>
  readonly answers: SharedCollection<KeyedAnswer>
  readonly #records: RecordDatabase
  readonly #settings: EngineOptions
  readonly #meter = new Meter()
  readonly measure = this.#meter.watch
  /** How long what belongs to a run at work waits for other processes: as long as its lease lasts, which nobody else can take meanwhile. */
  #leaseMs = 5_000
  #opened: Engine | undefined
  /** Runs that are being removed. */

  constructor({ file, project, space = SHARED, fsync = 'group', clock = Date.now }: SqliteStoreSettings) {
    this.#settings = { file, project, space, fsync, clock, meter: this.#meter }
    this.#records = sqliteRecords(() => this.#engine)
    this.threads = new ThreadTable(this.#records)
    this.agents = new RecordTable<AgentProfile>(this.#records, 'agent')
    this.answers = new RecordTable<KeyedAnswer>(this.#records, 'answer')
  }

  records<T>(kind: string, space: string): RecordSpace<T> {
    return new SpaceTable<T>(this.#records, kind, space)
  }

  /** @throws SvcError `store_unavailable`, `disk_full` */
  open(): void {
    if (this.#opened !== undefined) return
    this.#opened = new Engine(this.#settings)
  }

  async close(): Promise<void> {
    const engine = this.#opened
    this.#opened = undefined
    await engine?.close()
  }

  async create(
    run: RunRow,
    events: readonly NewEvent[],
    idempotency?: Parameters<Store['create']>[2],
    steps?: readonly StepRow[],
    holder?: Holder,
  ): Promise<{ run: RunRow; replayed: boolean; lease?: Lease }> {
    const engine = this.#engine
    const long = new Map<string, Buffer>()
    const prepared = prepareRun(run, events, steps, (request) => toShort(request, long))
    const { clock, space } = this.#settings
    const held = holder && {
      process: await engine.processes.register(engine.queue),
      lease: engine.leases.first(run.id, holder),
    }
    if (holder !== undefined) this.#noteLease(holder.ttlMs)
    const made = engine.queue.add(
      () => {
        const earlier = idempotency && engine.writes.findByKey(idempotency, clock())
        if (earlier === undefined) engine.writes.create(prepared, { space, nowMs: clock(), idempotency, held, long })
        return earlier
      },
      (earlier) => {
        if (earlier !== undefined) return
        this.#meter.logged(prepared.record)
        engine.words.grow()
        engine.watchers.tell(run.id, 'queued')
      },
    )
    // An idempotency key may be that of an earlier run.
    if (held !== undefined && idempotency === undefined) holder?.begin?.(held.lease)
    const known = await made
    if (known === undefined)
      return { run: { ...run, lastSeq: events.length }, replayed: false, ...(held && { lease: held.lease }) }
    const [row] = engine.rows.select('r.seq = ?', [known])
    return { run: engine.rows.read(found(row, 'run', run.id)), replayed: true }
  }

  async commit(lease: Lease, write: Commit): Promise<readonly RunEvent[]> {
    const engine = this.#engine
    const { runId } = lease
    const prepared = prepareCommit(runId, write)
    const { events } = await engine.queue.add(
      () =>
        engine.writes.commit(lease, prepared, this.#settings.clock()) ??
        new CapacityError('lease_lost', `run ${runId} is held by another process now`),
      ({ hasNewStatus }) => {
        this.#meter.logged(prepared.record)
        engine.watchers.tell(runId, hasNewStatus ? 'status' : 'events', undefined, write.run?.status)
      },
      this.#leaseMs,
    )
    return events
  }

  async claim(owner: string, options: Parameters<Store['claim']>[1]): Promise<{ run: RunRow; lease: Lease }[]> {
    const engine = this.#engine
    // A look takes no lock.
    const candidates = engine.leases.candidates(options)
    if (candidates.length === 0) return []
    this.#noteLease(options.ttlMs)
    const process = await engine.processes.register(engine.queue)
    return engine.queue.add(() => engine.leases.claim(owner, process, candidates, options.ttlMs))
  }

  renew(leases: readonly Lease[], ttlMs: number): Promise<Lease[]> {
    const engine = this.#engine
    this.#noteLease(ttlMs)
    return engine.queue.add(() => engine.leases.renew(leases, ttlMs), undefined, this.#leaseMs)
  }

  async release(lease: Lease): Promise<void> {
    const engine = this.#engine
    engine.writes.forget(lease.runId)
    await engine.queue.add(
      () => engine.leases.release(lease, () => engine.writes.turn()),
      (hasEnded) => {
        if (hasEnded !== undefined) engine.watchers.tell(lease.runId, hasEnded ? 'status' : 'queued')
      },
    )
  }

  async steps(runId: string): Promise<StepRow[]> {
    const engine = this.#engine
    const run = engine.rows.numberOf(runId)
    return run === undefined ? [] : engine.log.steps(run, runId)
  }

  async command(runId: string, command: Command): Promise<void> {
    const engine = this.#engine
    const body = JSON.stringify(command)
    await engine.queue.add(
      () => {
        const run = engine.rows.numberOf(runId)
        if (run === undefined) return missing(runId)
        engine.db.run('INSERT INTO run_commands (run, id, body, crc) VALUES (?, ?, ?, ?)', [
          run,
          toKey(command.id),
          body,
          crc32(body),
        ])
        engine.db.run('UPDATE runs SET turn = ? WHERE seq = ?', [engine.writes.turn(), run])
        return undefined
      },
      () => engine.watchers.tell(runId, 'command'),
    )
  }

  commands(runId: string): Command[] {
    return guarded(runId, () =>
      this.#engine.db
        .all(
          `SELECT ${bytesOf('c.body', 'body')}, c.crc FROM runs AS r JOIN run_commands AS c ON c.run = r.seq WHERE r.id = ? ORDER BY c.seq`,
          [toKey(runId)],
        )
        .map((row) => JSON.parse(checked(row, runId, 'a command')) as Command),
    )
  }

  watch(runId: string, handler: Parameters<Store['watch']>[1]): () => void {
    return this.#engine.watchers.watch(runId, handler)
  }

  async assertWritable(): Promise<void> {
    const { db, queue } = this.#engine
    // A row that becomes what it is already is not written.
    await queue.add(() => {
      db.exec('INSERT INTO svc_schema (version, applied_at) VALUES (-1, 0); DELETE FROM svc_schema WHERE version = -1')
    })
  }

  freeBytes(): number | undefined {
    return freeBytesBeside(this.#settings.file)
  }

  readonly runs: Store['runs'] = {
    get: (id) => {
      const { rows } = this.#engine
      const row = rows.find(id)
      return row && rows.read(row)
    },
    list: async (query = {}) => {
      const { rows, list } = this.#engine
      return toPage(await list.page(query), (row) => [fromKey(row.id), rows.readForList(row)])
    },
    summarize: (filters) => {
      const { db, list } = this.#engine
      return list.find(filters, ({ conditions, values }) =>
        summaryOf(db.all(SUMMARY_SQL.groups(conditions), values), db.all(SUMMARY_SQL.durations(conditions), values)),
      )
    },
    costs: (query) => this.#engine.list.costs(query),
    ended: (query) => {
      const { db, leases } = this.#engine
      const columns = { id: bytesOf('r.id', 'id'), bytes: STORED_BYTES, isOf: leases.isOf() }
      return db.all(...selectEnded(query, columns)).map(toStoredRun)
    },
    delete: async (id) => {
      const engine = this.#engine
      const remove = (): Promise<boolean> =>
        engine.queue.add(
          () => {
            const run = engine.rows.numberOf(id)
            if (run === undefined) return false
            engine.writes.delete(run)
            return true
          },
          (was) => {
            if (was) engine.watchers.tell(id, 'status')
          },
        )
      await engine.remove(remove)
    },
  }

  readonly events: Store['events'] = {
    list: async (runId, query = {}) => {
      const engine = this.#engine
      const run = engine.rows.numberOf(runId)
      return run === undefined ? [] : engine.log.events(run, runId, query)
    },
  }

  readonly approvals: Store['approvals'] = {
    get: (id) => {
      const row = this.#engine.db.get(`SELECT ${bytesOf('body')}, crc FROM run_approvals WHERE id = ?`, [toKey(id)])
      return row && (JSON.parse(checked(row, id, 'an approval')) as Approval)
    },
    list: async (query = {}) => {
      const engine = this.#engine
      const { runId } = query
      const run = runId === undefined ? undefined : (engine.rows.numberOf(runId) ?? -1)
      const table = {
        select: `SELECT ${bytesOf('r.id', 'id')}, ${bytesOf('r.body', 'body')}, r.crc FROM run_approvals AS r`,
        table: 'run_approvals',
        ...approvalConditions(query, run, engine.leases.isOf('u')),
      }
      return toPage(await listPage<SqlValue>(engine.db.read, table, query), (row) => {
        const id = fromKey(row.id)
        return [id, JSON.parse(checked(row, id, 'an approval')) as Approval]
      })
    },
  }

  readonly payloads: Store['payloads'] = {
    put: (runId, bytes) => {
      const engine = this.#engine
      const copy = Buffer.from(bytes)
      const ref = hash('sha256', copy)
      const put = (): string | SvcError => {
        const run = engine.rows.numberOf(runId)
        if (run === undefined) return missing(runId)
        engine.writes.putPayload(run, ref, copy)
        return ref
      }
      return engine.queue.add(put, undefined, this.#leaseMs)
    },
    get: (ref) => {
      return this.#engine.rows.payload(ref)
    },
  }

  #noteLease(ttlMs: number): void {
    this.#leaseMs = Math.max(this.#leaseMs, Math.min(ttlMs, 2 ** 31))
  }

  get #engine(): Engine {
    if (this.#opened !== undefined) return this.#opened
    throw new SvcError('store_unavailable', `${this.#settings.file} is not open: call open() first`)
  }
}

function missing(runId: string): SvcError {
  try {
    return found<SvcError>(undefined, 'run', runId)
  } catch (thrown) {
    return thrown as SvcError
  }
}
