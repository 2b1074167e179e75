import { createHash, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import {
  definePlugin,
  isTerminal,
  type Lease,
  type RecordSpace,
  type RunChange,
  type RunEvent,
  type RunRow,
  type SharedCollection,
  type Store,
  type StoreFactory,
  type StoreSettings,
} from '@svc/core'
import { pageByActivity, toPage } from '../page.ts'
import { LogFile } from './log-file.ts'
import { isOf, matches } from './matches.ts'
import type { Change, Line, Tables as Named } from './record.ts'
import { spaceOf, Tables } from './tables.ts'

/** How often the file is looked at for what other processes wrote. */
const POLL_MS = 20

type Watcher = (runId: string, change: RunChange) => void

/** Makes the store of `store: { url: 'jsonl:path/of/a/file.jsonl' }` known. */
export const jsonlStore = definePlugin('jsonl-store', ({ stores }) => stores.add('jsonl', createJsonlStore))

export const createJsonlStore: StoreFactory = (settings) => new JsonlStore(settings)

/**
 * A store over one append-only file of JSON lines. All processes that open the file share its runs.
 *
 * A write is a line; it has happened when it was read back. Rows are answered as copies.
 */
class JsonlStore implements Store {
  readonly threads: Store['threads'] = {
    ...this.#collection('threads'),
    list: ({ order, ...query } = {}) =>
      this.#read(({ named: { threads } }) =>
        order === 'activity'
          ? pageByActivity([...threads.values()], query)
          : toPage([...threads], { ...query, ...(order && { order }) }),
      ),
  }
  readonly agents = this.#collection('agents')
  readonly answers = this.#collection('answers')
  readonly #clock: () => number
  readonly #tables = new Tables((runId, change) => this.#tell(runId, change))
  readonly #log: LogFile
  readonly #writer = randomUUID()
  readonly #answers = new Map<string, (line: Line) => void>()
  readonly #watchers = new Map<string, Set<Watcher>>()
  #written = 0
  #timer: NodeJS.Timeout | undefined
  #isPolling = false

  constructor({ url = 'jsonl:runs.jsonl', dir = '.', clock }: StoreSettings) {
    this.#clock = clock
    this.#log = new LogFile(resolve(dir, url.slice(url.indexOf(':') + 1)), (text) => this.#onLine(text))
  }

  async open(): Promise<void> {
    await this.#log.open()
    this.#timer = setInterval(() => void this.#poll(), POLL_MS)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#log.close()
  }

  create(run: RunRow, events: readonly RunEvent[], idempotency?: Parameters<Store['create']>[2]) {
    return this.#write<{ run: RunRow; replayed: boolean }>({ op: 'create', run, events, idempotency })
  }

  async commit(lease: Lease, write: Parameters<Store['commit']>[1]): Promise<readonly RunEvent[]> {
    const fields = Object.entries(write.run ?? {})
    const removed = fields.filter(([, value]) => value === undefined).map(([name]) => name)
    const events = await this.#write<readonly RunEvent[]>({ op: 'commit', lease, write, removed })
    for (const record of write.records ?? []) {
      const seq = this.#tables.space(spaceOf(record.kind, record.space)).records.get(record.id)?.seq
      if (seq !== undefined) record.seq = seq
    }
    return events
  }

  async claim(
    owner: string,
    { limit, ttlMs, only, accepts = () => true }: Parameters<Store['claim']>[1],
  ): Promise<{ run: RunRow; lease: Lease }[]> {
    await this.#log.refresh()
    const rows = this.#tables.claimable(this.#clock(), only).filter(accepts).slice(0, limit)
    const claimed = await Promise.all(
      rows.map(async ({ id: runId }) => {
        const isNamed = only !== undefined
        return this.#write<Lease | undefined>({ op: 'claim', runId, owner, ttlMs, isNamed })
      }),
    )
    return claimed.flatMap((lease) =>
      lease === undefined ? [] : [{ run: structuredClone(this.#tables.entry(lease.runId).row), lease }],
    )
  }

  renew(leases: readonly Lease[], ttlMs: number): Promise<Lease[]> {
    return this.#write({ op: 'renew', leases, ttlMs })
  }

  release(lease: Lease): Promise<void> {
    return this.#write({ op: 'release', lease })
  }

  records<T>(kind: string, name: string): RecordSpace<T> {
    const space = spaceOf(kind, name)
    return {
      get: (id) => this.#read((tables) => tables.space(space).records.get(id)?.value as T | undefined),
      all: () =>
        this.#read((tables) => {
          const records = [...tables.space(space).records]
          return { data: records.map(([id, { seq, value }]) => ({ seq, id, value: value as T })), damaged: 0 }
        }),
      version: () => this.#read((tables) => tables.space(space).version),
      put: (id, value) => this.#write<number>({ op: 'record', space, id, value, isForced: true }),
      replace: async (id, before, value) =>
        (await this.#write({ op: 'record', space, id, before, value, isForced: false })) !== undefined,
      // Its text stays in the lines before: to keep secrets in memories, take another store.
      remove: (ids) => this.#write<number>({ op: 'forget', space, ids }),
    }
  }

  steps(runId: string) {
    return this.#read(({ runs }) => [...(runs.get(runId)?.steps.values() ?? [])])
  }

  command(runId: string, command: Parameters<Store['command']>[1]): Promise<void> {
    return this.#write({ op: 'command', runId, command })
  }

  commands(runId: string) {
    return this.#read(({ runs }) => runs.get(runId)?.commands ?? [])
  }

  watch(runId: string, handler: Watcher): () => void {
    const watchers = this.#watchers.get(runId) ?? new Set()
    this.#watchers.set(runId, watchers.add(handler))
    return () => {
      watchers.delete(handler)
      if (watchers.size === 0) this.#watchers.delete(runId)
    }
  }

  readonly runs: Store['runs'] = {
    get: (id) => this.#read(({ runs }) => runs.get(id)?.row),
    list: (query = {}) =>
      this.#read((tables) => {
        const rows = [...tables.runs].map(([id, { row }]) => [id, row] as const)
        const now = this.#clock()
        const isListed = ({ id, status, startBy = Number.POSITIVE_INFINITY }: RunRow): boolean =>
          (query.left !== true || tables.isLeft(id, now)) &&
          (query.late !== true || (status === 'queued' && startBy <= now))
        return toPage(rows, query, (row) => isListed(row) && matches(row, query))
      }),
    delete: (runId) => this.#write<void>({ op: 'delete', runId }),
  }

  readonly events: Store['events'] = {
    list: (runId, { after = 0, limit = Number.POSITIVE_INFINITY, types } = {}) =>
      this.#read(({ runs }) => {
        const events = runs.get(runId)?.events.slice(after) ?? []
        return events.filter(({ type }) => types === undefined || types.includes(type)).slice(0, limit)
      }),
  }

  readonly approvals: Store['approvals'] = {
    get: (id) => this.#read(() => this.#allApprovals().find(([known]) => known === id)?.[1]),
    list: (query = {}) =>
      this.#read(({ runs }) => {
        const { status, runId } = query
        return toPage(this.#allApprovals(), query, (one) => {
          const row = runs.get(one.runId)?.row
          // Nobody answers what a run has asked that has ended.
          const isClosed = status === 'pending' && row !== undefined && isTerminal(row.status)
          const isAsked =
            (status === undefined || one.status === status) && (runId === undefined || one.runId === runId)
          return isAsked && !isClosed && isOf(row, query)
        })
      }),
  }

  readonly payloads: Store['payloads'] = {
    put: async (runId, bytes) => {
      const ref = createHash('sha256').update(bytes).digest('hex')
      await this.#write({ op: 'payload', runId, ref, base64: Buffer.from(bytes).toString('base64') })
      return ref
    },
    get: (ref) =>
      this.#read(({ payloads }) => {
        const base64 = payloads.get(ref)
        return base64 === undefined ? undefined : Buffer.from(base64, 'base64')
      }),
  }

  #allApprovals() {
    return [...this.#tables.runs.values()].flatMap(({ approvals }) => [...approvals])
  }

  #collection<T extends keyof Named>(table: T): SharedCollection<Named[T]> {
    return {
      get: (id) => this.#read(({ named }) => named[table].get(id)),
      put: (id, value) => this.#write<void>({ op: 'put', table, id, value } as Change),
      replace: (id, before, value) => this.#write<boolean>({ op: 'replace', table, id, before, value }),
      delete: (id) => this.#write<boolean>({ op: 'drop', table, id }),
      list: (query) => this.#read(({ named }) => toPage([...named[table]], query)),
    }
  }

  async #read<T>(work: (tables: Tables) => T): Promise<T> {
    await this.#log.refresh()
    return structuredClone(work(this.#tables))
  }

  /** Resolves with what the change came to when it was read back. */
  async #write<T>(change: Change): Promise<T> {
    const by = `${this.#writer}/${++this.#written}`
    let settle: () => unknown = () => undefined
    this.#answers.set(by, (line) => {
      try {
        const answer = structuredClone(this.#tables.apply(line))
        settle = () => answer
      } catch (thrown) {
        settle = () => {
          throw thrown
        }
      }
    })
    try {
      await this.#log.append(JSON.stringify({ by, time: this.#clock(), ...change }))
    } finally {
      this.#answers.delete(by)
    }
    return settle() as T
  }

  #onLine(text: string): void {
    const line = parse(text)
    if (line === undefined) return
    const answer = this.#answers.get(line.by)
    if (answer !== undefined) answer(line)
    else {
      try {
        this.#tables.apply(line)
      } catch {
        // Its writer was refused.
      }
    }
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#watchers.size === 0) return
    this.#isPolling = true
    await this.#log.refresh().catch(() => {}) // the next call says why
    this.#isPolling = false
  }

  #tell(runId: string, change: RunChange): void {
    for (const name of [runId, '*']) for (const watcher of [...(this.#watchers.get(name) ?? [])]) watcher(runId, change)
  }
}

/** A line that a crash cut off is no change. */
function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}
