import type { RunEvent } from '../../contracts/log/event.ts'
import type { Lease, StepKey, StepRow } from '../../contracts/log/journal.ts'
import type { ListQuery, Page } from '../../contracts/page.ts'
import type { Approval } from '../../contracts/run/approval.ts'
import { isTerminal } from '../../contracts/run/run-end.ts'
import type { Thread } from '../../contracts/run/thread.ts'
import type {
  Command,
  Commit,
  KeyedAnswer,
  RecordSpace,
  RunChange,
  RunQuery,
  RunRow,
  SharedCollection,
  Store,
  StoredQuery,
  StoredRun,
  ThreadCollection,
} from '../../contracts/store/store.ts'
import { CapacityError, SvcError } from '../../errors.ts'
import { digestBytes } from '../../support/ids.ts'
import { toRunWords } from '../../text/run-words.ts'
import { toSearchText } from '../../text/words.ts'
import { checkLimit, found, pageByActivity, toPage, unknownCursor } from './paging.ts'
import { isWithin } from './run-figures.ts'

export interface MemoryStoreSettings {
  /** Milliseconds since the epoch. Default the system's. */
  clock?: () => number
  /** Finished runs beyond this many are dropped, oldest first. Default 1000. */
  keepRuns?: number
}

/** Everything that belongs to one run. */
interface Space extends RecordSpace<unknown> {
  put(id: string, value: unknown): number
}

interface Entry {
  position: number
  row: RunRow
  epoch: number
  lease: Lease | undefined
  steps: Map<StepKey, StepRow>
  events: RunEvent[]
  commands: Command[]
  /** Made with the first of each. */
  approvals?: Set<string>
  payloads?: Set<string>
  idempotency: string | undefined
  endedAt?: number
}

type Watcher = (runId: string, change: RunChange) => void

/**
 * A store that lives as long as the process and answers at once. Two runtimes may share one: what a runtime that was
 * cut off has recorded, the next one goes on from.
 */
export function createMemoryStore(settings: MemoryStoreSettings = {}): Store {
  return new MemoryStore(settings)
}

class MemoryStore implements Store {
  readonly threads: ThreadCollection = createThreads()
  readonly agents = createCollection<Parameters<Store['agents']['put']>[1]>()
  readonly answers = createCollection<KeyedAnswer>()
  readonly #spaces = new Map<string, Space>()
  #lastRecord = 0
  readonly #clock: () => number
  readonly #keepRuns: number
  readonly #entries = new Map<string, Entry>()
  /** Ids by position; a deleted run leaves a hole. */
  #order: (string | undefined)[] = []
  /** What may be claimed, oldest first, by priority, highest first; and by thread, because of one thread only the oldest may. */
  #unfinished = new Map<number, Set<string>>()
  readonly #unfinishedOf = new Map<string, Set<string>>()
  readonly #threadRuns = new Map<string, Set<string>>()
  readonly #finished = new Set<string>()
  readonly #idempotency = new Map<string, { runId: string; bodyHash: string; expiresAt: number }>()
  readonly #approvals = new Map<string, Approval>()
  readonly #payloads = new Map<string, { bytes: Uint8Array; runs: number }>()
  readonly #watchers = new Map<string, Set<Watcher>>()

  constructor({ clock = Date.now, keepRuns = 1000 }: MemoryStoreSettings) {
    this.#clock = clock
    this.#keepRuns = keepRuns
  }

  open(): void {}

  close(): void {}

  create(
    run: RunRow,
    events: readonly RunEvent[],
    idempotency?: Parameters<Store['create']>[2],
    steps: readonly StepRow[] = [],
    holder?: Parameters<Store['create']>[4],
  ): { run: RunRow; replayed: boolean; lease?: Lease } {
    const key = idempotency && `${idempotency.scope}\n${idempotency.key}`
    const known = key === undefined ? undefined : this.#idempotency.get(key)
    if (idempotency !== undefined && known !== undefined && known.expiresAt > this.#clock()) {
      if (known.bodyHash !== idempotency.bodyHash) {
        throw new SvcError(
          'idempotency_mismatch',
          `the idempotency key "${idempotency.key}" was used with another body`,
        )
      }
      return { run: { ...this.#entry(known.runId).row }, replayed: true }
    }
    const entry: Entry = {
      position: this.#order.length,
      row: run,
      epoch: 0,
      lease: undefined,
      steps: new Map(steps.map((step) => [step.key, step])),
      events: [],
      commands: [],
      idempotency: key,
    }
    this.#order.push(run.id)
    this.#entries.set(run.id, entry)
    if (key !== undefined && idempotency !== undefined) {
      const { bodyHash, expiresAt } = idempotency
      this.#idempotency.set(key, { runId: run.id, bodyHash, expiresAt })
    }
    if (run.threadId !== undefined) addTo(this.#threadRuns, run.threadId, run.id)
    this.#index(entry)
    append(entry, events)
    if (holder !== undefined) this.#lease(entry, holder, this.#clock())
    this.#tell(run.id, 'queued')
    return { run: { ...entry.row }, replayed: false, ...(entry.lease && { lease: entry.lease }) }
  }

  commit(lease: Lease, { steps, events = [], run, approvals, taken, records = [] }: Commit): readonly RunEvent[] {
    const entry = this.#entries.get(lease.runId)
    if (entry === undefined || entry.epoch !== lease.epoch) {
      throw new CapacityError('lease_lost', `run ${lease.runId} is held by another process now`)
    }
    if (events.length > 0) append(entry, events)
    if (steps !== undefined) for (const step of steps) entry.steps.set(step.key, step)
    if (approvals !== undefined) {
      for (const approval of approvals) {
        entry.approvals ??= new Set()
        entry.approvals.add(approval.id)
        this.#approvals.set(approval.id, approval)
      }
    }
    for (const record of records) record.seq = this.#space(record.kind, record.space).put(record.id, record.value)
    if (taken !== undefined) entry.commands = entry.commands.filter(({ id }) => !taken.includes(id))
    let change: RunChange = 'events'
    if (run !== undefined) {
      if (run.status !== undefined && run.status !== entry.row.status) change = 'status'
      patch(entry.row, run)
      if (change === 'status') this.#index(entry)
    }
    const hasEnded = change === 'status' && isTerminal(entry.row.status)
    if (hasEnded) entry.lease = undefined
    this.#tell(lease.runId, change)
    if (hasEnded) this.#dropOldest()
    return events
  }

  claim(
    owner: string,
    { limit, ttlMs, only, accepts = () => true }: Parameters<Store['claim']>[1],
  ): { run: RunRow; lease: Lease }[] {
    const claimed: { run: RunRow; lease: Lease }[] = []
    const now = this.#clock()
    for (const id of only === undefined ? this.#inTurn() : [only]) {
      if (claimed.length >= limit) break
      const entry = this.#entries.get(id)
      if (entry === undefined || !this.#isLeft(entry)) continue
      const { threadId } = entry.row
      if (only === undefined && threadId !== undefined && first(this.#unfinishedOf.get(threadId)) !== id) continue
      if (!accepts(entry.row)) continue
      const lease = this.#lease(entry, { owner, ttlMs }, now)
      claimed.push({ run: { ...entry.row }, lease })
    }
    return claimed
  }

  #lease(entry: Entry, { owner, ttlMs }: { owner: string; ttlMs: number }, now: number): Lease {
    entry.epoch++
    entry.lease = { runId: entry.row.id, owner, epoch: entry.epoch, expiresAt: now + ttlMs }
    return entry.lease
  }

  renew(leases: readonly Lease[], ttlMs: number): Lease[] {
    const expiresAt = this.#clock() + ttlMs
    return leases.flatMap((lease) => {
      const entry = this.#entries.get(lease.runId)
      if (entry?.lease === undefined || entry.epoch !== lease.epoch) return []
      entry.lease = { ...lease, expiresAt }
      return [entry.lease]
    })
  }

  release(lease: Lease): void {
    const entry = this.#entries.get(lease.runId)
    if (entry === undefined || entry.epoch !== lease.epoch || entry.lease === undefined) return
    entry.lease = undefined
    this.#tell(lease.runId, 'queued')
  }

  steps(runId: string): StepRow[] {
    const steps = this.#entries.get(runId)?.steps.values() ?? []
    return [...steps].map((step) =>
      step.outcome === undefined ? { ...step } : { ...step, outcome: copy(step.outcome) },
    )
  }

  command(runId: string, command: Command): void {
    this.#entry(runId).commands.push(command)
    this.#tell(runId, 'command')
  }

  commands(runId: string): Command[] {
    return [...(this.#entries.get(runId)?.commands ?? [])]
  }

  watch(runId: string, handler: Watcher): () => void {
    addTo(this.#watchers, runId, handler)
    return () => removeFrom(this.#watchers, runId, handler)
  }

  readonly runs: Store['runs'] = {
    get: (id) => {
      const row = this.#entries.get(id)?.row
      return row && { ...row }
    },
    list: (query = {}) => this.#list(query),
    ended: (query) => this.#ended(query),
    delete: (id) => this.#delete(id),
  }

  readonly events: Store['events'] = {
    list: (runId, { after = 0, limit = Number.POSITIVE_INFINITY, types } = {}) => {
      const events = this.#entries.get(runId)?.events ?? []
      const rest = after === 0 ? events : events.slice(after)
      return (types === undefined ? rest : rest.filter(({ type }) => types.includes(type))).slice(0, limit)
    },
  }

  readonly approvals: Store['approvals'] = {
    get: (id) => this.#approvals.get(id),
    list: (query = {}) =>
      toPage([...this.#approvals], query, ({ status, runId }) => {
        const row = this.#entries.get(runId)?.row
        const isClosed = query.status === 'pending' && row !== undefined && isTerminal(row.status)
        return (
          (query.status === undefined || status === query.status) &&
          (query.runId === undefined || runId === query.runId) &&
          isOf(row, query) &&
          !isClosed
        )
      }),
  }

  readonly payloads: Store['payloads'] = {
    put: (runId, bytes) => {
      const ref = digestBytes(bytes)
      const entry = this.#entry(runId)
      const known = this.#payloads.get(ref)
      entry.payloads ??= new Set()
      if (!entry.payloads.has(ref))
        this.#payloads.set(ref, { bytes: known?.bytes ?? bytes, runs: (known?.runs ?? 0) + 1 })
      entry.payloads.add(ref)
      return ref
    },
    get: (ref) => this.#payloads.get(ref)?.bytes,
  }

  records<T>(kind: string, space: string): RecordSpace<T> {
    return this.#space(kind, space) as RecordSpace<T>
  }

  #space(kind: string, space: string): Space {
    const name = JSON.stringify([kind, space])
    const records = this.#spaces.get(name) ?? createSpace(() => ++this.#lastRecord)
    this.#spaces.set(name, records)
    return records
  }

  #entry(id: string): Entry {
    return found(this.#entries.get(id), 'run', id)
  }

  /** Keeps the lists of what may be claimed and what may be dropped in step with a run's status. */
  #index(entry: Entry): void {
    const { id, threadId, status, create } = entry.row
    const { priority = 0 } = create
    let equals = this.#unfinished.get(priority)
    if (isTerminal(status)) {
      entry.endedAt = this.#clock()
      equals?.delete(id)
      this.#finished.add(id)
      if (threadId !== undefined) removeFrom(this.#unfinishedOf, threadId, id)
    } else if (equals?.has(id) !== true) {
      if (equals === undefined) {
        equals = new Set()
        this.#unfinished = new Map([...this.#unfinished, [priority, equals] as const].sort(([a], [b]) => b - a))
      }
      equals.add(id)
      if (threadId !== undefined) addTo(this.#unfinishedOf, threadId, id)
    }
  }

  #list(query: RunQuery): Page<RunRow> {
    const limit = checkLimit(query)
    const { after, order = 'desc', threadId } = query
    // A thread has an index of its own; everything else is read from the newest on, and no further than the page.
    const ids = threadId === undefined ? this.#order : [...(this.#threadRuns.get(threadId) ?? [])]
    const step = order === 'desc' ? -1 : 1
    let at = step === 1 ? 0 : ids.length - 1
    if (after !== undefined) {
      const entry = this.#entries.get(after)
      const position = threadId === undefined ? (entry?.position ?? -1) : ids.indexOf(after)
      if (entry === undefined || position === -1) throw unknownCursor(after)
      at = position + step
    }
    const rows: RunRow[] = []
    for (; at >= 0 && at < ids.length && rows.length <= limit; at += step) {
      const id = ids[at]
      const entry = id === undefined ? undefined : this.#entries.get(id)
      if (entry === undefined || !matches(entry.row, query)) continue
      if (query.left === true && !this.#isLeft(entry)) continue
      if (query.late !== true || this.#isLate(entry)) rows.push({ ...entry.row })
    }
    const data = rows.slice(0, limit)
    const last = rows.length > limit ? data.at(-1) : undefined
    return { data, hasMore: last !== undefined, ...(last === undefined ? {} : { nextCursor: last.id }) }
  }

  #ended({ limit, after, status, ...query }: StoredQuery): StoredRun[] {
    return [...this.#finished]
      .flatMap((id) => this.#entries.get(id) ?? [])
      .filter(({ row }) => (status === undefined || row.status === status) && isOf(row, query))
      .map((entry) => ({ id: entry.row.id, endedAt: entry.endedAt ?? 0, entry }))
      .filter((run) => after === undefined || byEnd(after, run) < 0)
      .sort(byEnd)
      .slice(0, limit)
      .map(({ entry, ...run }) => ({ ...run, bytes: this.#bytesOf(entry) }))
  }

  #bytesOf({ row, steps, events, approvals, payloads }: Entry): number {
    const asked = [...(approvals ?? [])].map((id) => this.#approvals.get(id))
    const shares = [...(payloads ?? [])].map((ref) => {
      const { bytes, runs } = this.#payloads.get(ref) ?? { bytes: [], runs: 1 }
      return Math.floor(bytes.length / runs)
    })
    return shares.reduce(
      (sum, share) => sum + share,
      Buffer.byteLength(JSON.stringify([row, [...steps], events, asked])),
    )
  }

  #isLeft({ row, lease }: Entry): boolean {
    return !isTerminal(row.status) && (lease === undefined || lease.expiresAt <= this.#clock())
  }

  #isLate({ row: { status, startBy } }: Entry): boolean {
    return status === 'queued' && startBy !== undefined && startBy <= this.#clock()
  }

  /** What may be claimed, in the order in which it is offered. */
  *#inTurn(): Generator<string> {
    for (const ids of this.#unfinished.values()) yield* ids
  }

  #delete(id: string): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    this.#order[entry.position] = undefined
    const { threadId, create } = entry.row
    this.#unfinished.get(create.priority ?? 0)?.delete(id)
    this.#finished.delete(id)
    if (threadId !== undefined) {
      removeFrom(this.#threadRuns, threadId, id)
      removeFrom(this.#unfinishedOf, threadId, id)
    }
    for (const approval of entry.approvals ?? []) this.#approvals.delete(approval)
    if (entry.idempotency !== undefined) this.#idempotency.delete(entry.idempotency)
    for (const ref of entry.payloads ?? []) {
      const payload = this.#payloads.get(ref)
      if (payload !== undefined && --payload.runs === 0) this.#payloads.delete(ref)
    }
    this.#tell(id, 'status')
  }

  #dropOldest(): void {
    for (const id of this.#finished) {
      if (this.#finished.size <= this.#keepRuns) break
      this.#delete(id)
    }
    const { length } = this.#order
    if (length > 1024 && length > 2 * this.#entries.size) this.#closeHoles()
  }

  #closeHoles(): void {
    const kept = [...this.#entries].sort(([, a], [, b]) => a.position - b.position)
    this.#order = kept.map(([id]) => id)
    for (const [position, [, entry]] of kept.entries()) entry.position = position
  }

  #tell(runId: string, change: RunChange): void {
    const own = this.#watchers.get(runId)
    if (own !== undefined) for (const watcher of own) watcher(runId, change)
    const all = this.#watchers.get('*')
    if (all !== undefined) for (const watcher of all) watcher(runId, change)
  }
}

/** Numbers events and adds them to the log. */
function append(entry: Entry, events: readonly RunEvent[]): void {
  for (const event of events) {
    event.seq = entry.events.length + 1
    entry.events.push(event)
  }
  entry.row.lastSeq = entry.events.length
}

function patch(row: RunRow, change: NonNullable<Commit['run']>): void {
  const fields = row as unknown as Record<string, unknown>
  const changed = change as Record<string, unknown>
  for (const name in changed) {
    const value = changed[name]
    if (value !== undefined) fields[name] = value
    else if (fields[name] !== undefined) delete fields[name]
  }
  row.version++
}

function matches(row: RunRow, query: RunQuery): boolean {
  const { status, agent, mode, createdAfter, createdBefore, q, tag } = query
  return (
    (status === undefined || row.status === status) &&
    (mode === undefined || row.mode === mode) &&
    (tag === undefined || row.tags?.includes(tag) === true) &&
    (createdAfter === undefined || row.createdAt >= createdAfter) &&
    (createdBefore === undefined || row.createdAt < createdBefore) &&
    isOf(row, query) &&
    (q === undefined || toRunWords(row).includes(toSearchText(q))) &&
    (agent === undefined || hasAgent(row, agent)) &&
    isWithin(row, query)
  )
}

const isOf = (row: RunRow | undefined, { space, owner }: Pick<RunQuery, 'space' | 'owner'>): boolean =>
  (space === undefined || row?.space === undefined || row.space === space) &&
  (owner === undefined || row?.owner === owner)

/** What ended last first, of what ended at once the highest id. */
const byEnd = (a: Pick<StoredRun, 'id' | 'endedAt'>, b: Pick<StoredRun, 'id' | 'endedAt'>): number =>
  b.endedAt - a.endedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

const hasAgent = ({ agents, create }: RunRow, id: string): boolean =>
  agents.some((agent) => agent.id === id) ||
  create.agents?.some((agent) => agent === id || (typeof agent === 'object' && agent.id === id)) === true

/** A value of its own, as any store on disk would answer. */
const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')

const first = (ids: Set<string> | undefined): string | undefined => ids?.values().next().value

function addTo<T>(index: Map<string, Set<T>>, key: string, item: T): void {
  const items = index.get(key)
  if (items === undefined) index.set(key, new Set([item]))
  else items.add(item)
}

function removeFrom<T>(index: Map<string, Set<T>>, key: string, item: T): void {
  const items = index.get(key)
  items?.delete(item)
  if (items?.size === 0) index.delete(key)
}

function createThreads(): ThreadCollection {
  const items = new Map<string, Thread>()
  return {
    ...createCollection(items),
    list: ({ order, ...query } = {}) =>
      order === 'activity'
        ? pageByActivity(items.values(), query)
        : toPage([...items], { ...query, ...(order && { order }) }),
  }
}

/** Records in a Map, listed in the order in which they were first put. */
function createCollection<T>(items = new Map<string, T>()): SharedCollection<T> {
  return {
    get: (id) => items.get(id),
    put: (id, value) => void items.set(id, value),
    delete: (id) => items.delete(id),
    replace(id, before, value) {
      if (JSON.stringify(items.get(id)) !== JSON.stringify(before)) return false
      if (value === undefined) items.delete(id)
      else items.set(id, value)
      return true
    },
    list: (query?: ListQuery) => toPage([...items], query),
  }
}

/** Records as a store on disk would keep them: nobody else has the same objects. */
function createSpace(nextSeq: () => number): Space {
  const items = new Map<string, { seq: number; json: string }>()
  const read = (json: string): unknown => JSON.parse(json)
  let version = 0
  return {
    get: (id) => {
      const item = items.get(id)
      return item && read(item.json)
    },
    all: () => ({ data: [...items].map(([id, { seq, json }]) => ({ seq, id, value: read(json) })), damaged: 0 }),
    put(id, value) {
      const seq = items.get(id)?.seq ?? nextSeq()
      items.set(id, { seq, json: JSON.stringify(value) })
      version++
      return seq
    },
    replace(id, before, value) {
      const item = items.get(id)
      if (item?.json !== JSON.stringify(before)) return false
      if (value === undefined) items.delete(id)
      else items.set(id, { seq: item?.seq ?? nextSeq(), json: JSON.stringify(value) })
      version++
      return true
    },
    remove(ids) {
      const gone = ids.filter((id) => items.delete(id)).length
      if (gone > 0) version++
      return gone
    },
    version: () => version,
  }
}
