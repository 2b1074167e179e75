import { MemoryRecord } from '../../contracts/memory/memory.ts'
import { isSaidByPerson } from '../../contracts/memory/memory-record.ts'
import type { RunContext } from '../../contracts/run/run-context.ts'
import type { MaybePromise, RecordSpace, Records } from '../../contracts/store/store.ts'
import { fits } from '../../validate.ts'

/** Where records outlive the process. */
export interface MemoryBackend {
  /** True: who writes waits until it is kept. Default: writing may be put off until somebody needs its effect. */
  readonly isAwaited?: boolean
  /** All records, oldest first. Asked before the first call is answered, and again where `isStale` says so. */
  load(): Promise<MemoryRecord[]>
  /**
   * Keeps a record under its id, in place of what was there.
   *
   * @param leaving of a run: a new record may leave with its next commit, and nobody waits for that
   */
  put(record: MemoryRecord, leaving?: RunContext['records']): Promise<void>
  /** Keeps a record that a person has made their own, where people's records are kept apart. Absent: as `put`. */
  move?(record: MemoryRecord): Promise<void>
  /** Keeps how often a record was found, and when; may be put off until `flush`. */
  touch(record: MemoryRecord): Promise<void>
  delete(ids: readonly string[]): Promise<void>
  /** Whether somebody else has changed records since `load`. Absent: nobody does. */
  isStale?(): MaybePromise<boolean>
  /** Whether no consolidation, of any process, has seen a record. Absent: none has. */
  isFresh?(id: string): boolean
  /** Notes that a consolidation has seen these records, and so all that are older. */
  markConsolidated?(ids: readonly string[]): Promise<void>
  /** Writes what was put off. */
  flush?(): Promise<void>
}

export interface MemoryBackendOptions {
  /** The space of what runs wrote. Default that of what people said, which every run of the owner sees. */
  space?: string
  /** Whether the store is that of the runs, so that what a run writes may leave with it. Default false. */
  isOfRuns?: boolean
  /** Whose memories these are. Default of who has no name: the shared ones. */
  owner?: string
  /** Days that what a run wrote is kept. Default for ever. */
  retainDays?: number | undefined
  /** Milliseconds since the epoch; default the system's clock. */
  clock?: () => number
  /** Hears how many records were left out because they are damaged. */
  onDamage?(count: number): void
}

/** The space of what an owner has in another space. */
export const ownedSpace = (owner: string, space: string): string =>
  owner === SHARED ? space : JSON.stringify([owner, space])

/** The backend in a store: what people said is in the space of all, what runs wrote in their own, each by owner. */
export const createMemoryBackend = (
  store: Pick<Records, 'records'>,
  options: MemoryBackendOptions = {},
): MemoryBackend => new RecordBackend(store, options)

const SHARED = ''
/** The kind of the records. */
export const MEMORY_KIND = 'memory'
/** How far consolidations of a space have come. */
const PROGRESS = 'memory-progress'
const MOST_TOUCHED = 100
const DAY_MS = 86_400_000

class RecordBackend implements MemoryBackend {
  readonly isAwaited = true
  readonly #store: Pick<Records, 'records'>
  readonly #options: MemoryBackendOptions
  /** What people said is in the one, what runs wrote in the other. */
  readonly #sharedSpace: string
  readonly #space: string
  /** Where the records that this process knows stand. */
  readonly #seqs = new Map<string, number>()
  readonly #touched = new Map<string, MemoryRecord>()
  /** What `#readVersion` answers as long as nobody else writes. */
  #version = -1
  /** What is on its way with runs. */
  readonly #leaving = new Set<Promise<void>>()
  #consolidated = 0

  constructor(store: Pick<Records, 'records'>, options: MemoryBackendOptions) {
    this.#store = store
    this.#options = options
    const { owner = SHARED, space = SHARED } = options
    this.#sharedSpace = ownedSpace(owner, SHARED)
    this.#space = ownedSpace(owner, space)
  }

  async isStale(): Promise<boolean> {
    const version = await this.#readVersion()
    return version < this.#version || version > this.#version + this.#leaving.size
  }

  isFresh(id: string): boolean {
    return (this.#seqs.get(id) ?? Number.POSITIVE_INFINITY) > this.#consolidated
  }

  async load(): Promise<MemoryRecord[]> {
    await this.flush()
    // Before the records: what is written in between is then seen as new.
    this.#version = await this.#readVersion()
    this.#consolidated = (await this.#progress.get(this.#space))?.seq ?? 0
    this.#seqs.clear()
    const read = await Promise.all(this.#spaces.map((records) => records.all()))
    const placed = read.flatMap(({ data }) => data).sort((a, b) => a.seq - b.seq)
    const whole = placed.filter(({ id, value }) => fits(MemoryRecord, value) && value.id === id)
    for (const { id, seq } of whole) this.#seqs.set(id, seq)
    const damaged = read.reduce((sum, one) => sum + one.damaged, placed.length - whole.length)
    if (damaged > 0) this.#options.onDamage?.(damaged)
    const records = whole.map(({ value }) => value)
    const old = new Set(records.filter((record) => this.#isOld(record)))
    if (old.size > 0) await this.delete([...old].map(({ id }) => id))
    return records.filter((record) => !old.has(record))
  }

  async put(record: MemoryRecord, leaving?: RunContext['records']): Promise<void> {
    this.#touched.delete(record.id)
    if (this.#options.isOfRuns === true && leaving !== undefined && !this.#seqs.has(record.id)) {
      const written = this.#leave(record, leaving).finally(() => this.#leaving.delete(written))
      this.#leaving.add(written)
      return
    }
    await this.#settle()
    if (this.#seqs.has(record.id)) await this.#change(record, () => record)
    else this.#note(record.id, await this.#recordsOf(record).put(record.id, record))
  }

  /** Never rejects: what could not be written is no longer there when the records are read again. */
  async #leave(record: MemoryRecord, leaving: RunContext['records']): Promise<void> {
    try {
      this.#note(record.id, await leaving<MemoryRecord>(MEMORY_KIND, this.#spaceOf(record)).put(record.id, record))
    } catch {
      this.#version = -1
    }
  }

  /** What is on its way comes before what follows. */
  async #settle(): Promise<void> {
    await Promise.all(this.#leaving)
  }

  #note(id: string, seq: number): void {
    this.#seqs.set(id, seq)
    this.#version++
  }

  /** First there, then gone here: a crash in between loses nothing, and what was written last is read. */
  async move(record: MemoryRecord): Promise<void> {
    if (this.#space === this.#sharedSpace) return this.put(record)
    await this.#settle()
    this.#touched.delete(record.id)
    if ((await this.#own.get(record.id)) === undefined) return
    this.#note(record.id, await this.#recordsOf(record).put(record.id, record))
    if ((await this.#own.remove([record.id])) > 0) this.#version++
  }

  /** It is not worth a commit of its own. */
  async touch(record: MemoryRecord): Promise<void> {
    this.#touched.set(record.id, record)
    if (this.#touched.size >= MOST_TOUCHED) await this.flush()
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.#settle()
    for (const id of ids) {
      this.#touched.delete(id)
      this.#seqs.delete(id)
    }
    for (const records of this.#spaces) if ((await records.remove(ids)) > 0) this.#version++
  }

  async markConsolidated(ids: readonly string[]): Promise<void> {
    await this.#settle()
    const seq = Math.max(this.#consolidated, ...ids.map((id) => this.#seqs.get(id) ?? 0))
    if (seq === this.#consolidated) return
    this.#consolidated = seq
    await this.#progress.put(this.#space, { seq })
  }

  /** Into the records as they stand now: another process may have changed the rest of them. */
  async flush(): Promise<void> {
    await this.#settle()
    const touched = [...this.#touched.values()]
    this.#touched.clear()
    await Promise.all(
      touched.map((record) => {
        const { accessCount, lastAccessedAt } = record
        return this.#change(record, (before) => ({ ...before, accessCount, lastAccessedAt }))
      }),
    )
  }

  /** What another process has deleted stays so. */
  async #change(record: MemoryRecord, change: (before: MemoryRecord) => MemoryRecord): Promise<void> {
    const records = this.#recordsOf(record)
    let isDone = false
    while (!isDone) {
      const before = await records.get(record.id)
      if (before === undefined) return
      isDone = await records.replace(record.id, before, change(before))
    }
    this.#version++
  }

  #isOld(record: MemoryRecord): boolean {
    const { retainDays, clock = Date.now } = this.#options
    if (retainDays === undefined || isSaidByPerson(record)) return false
    return Date.parse(record.createdAt) < clock() - retainDays * DAY_MS
  }

  async #readVersion(): Promise<number> {
    const versions = await Promise.all(this.#spaces.map((records) => records.version()))
    return versions.reduce((sum, version) => sum + version, 0)
  }

  #recordsOf(record: MemoryRecord): RecordSpace<MemoryRecord> {
    return this.#store.records(MEMORY_KIND, this.#spaceOf(record))
  }

  #spaceOf(record: MemoryRecord): string {
    return isSaidByPerson(record) ? this.#sharedSpace : this.#space
  }

  get #spaces(): RecordSpace<MemoryRecord>[] {
    return this.#space === this.#sharedSpace ? [this.#shared] : [this.#shared, this.#own]
  }

  get #shared(): RecordSpace<MemoryRecord> {
    return this.#store.records(MEMORY_KIND, this.#sharedSpace)
  }

  get #own(): RecordSpace<MemoryRecord> {
    return this.#store.records(MEMORY_KIND, this.#space)
  }

  get #progress(): RecordSpace<{ seq: number }> {
    return this.#store.records(PROGRESS, SHARED)
  }
}
