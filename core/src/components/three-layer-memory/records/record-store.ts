import type { MemoryHit, MemoryRecord } from '../../../contracts/memory/memory.ts'
import type { RunContext } from '../../../contracts/run/run-context.ts'
import type { Layer } from '../../../contracts/words.ts'
import { isoTime } from '../../../support/iso-time.ts'
import { estimateTokens } from '../../../text/estimate-tokens.ts'
import { contradicted, factKeys } from '../consolidation/contradictions.ts'
import { USES_TO_PROMOTE } from '../consolidation/promotion.ts'
import type { MemoryBackend } from '../memory-backend.ts'
import type { ContextIndex } from '../search/context-index.ts'
import type { DenseSearch } from '../search/dense-search.ts'
import { findSame, wordingOf } from '../search/same-record.ts'
import { groupOf } from './record-scope.ts'
import { ARCHIVED, copyRecord, isRunSummary, isSource, sessionOf, spaceOf } from './record-time.ts'

/** A record with its end as a number. */
interface StoredRecord {
  readonly record: MemoryRecord
  readonly expires: number
  /** Tokens of the content, once they were asked for. */
  tokens?: number
}

const NEVER = Number.POSITIVE_INFINITY

/** The records of a memory, kept in step with the index, the vectors and the backend. */
export class RecordStore {
  /** By id, oldest first. */
  readonly held = new Map<string, StoredRecord>()
  readonly counts: Record<Layer, number> = { working: 0, episodic: 0, 'long-term': 0 }
  /** Episodes that were written, or found often enough to be promoted, since the last consolidation. */
  readonly fresh = new Set<string>()
  readonly #index: ContextIndex
  readonly #dense: DenseSearch | undefined
  readonly #backend: MemoryBackend | undefined
  /** Long-term records by space, subject and attribute of what they state. */
  readonly #facts = new Map<string, Set<string>>()
  /** Ids of episodes by what they say. */
  readonly #wordings = new Map<string, Set<string>>()
  /** Tags that name the episodes of long-term records. */
  readonly #sources = new Set<string>()
  /** Ids of summaries of runs by space, oldest first. */
  readonly #summaries = new Map<string, Set<string>>()
  #nextExpiry = NEVER
  #isLoaded = false

  constructor(index: ContextIndex, dense: DenseSearch | undefined, backend: MemoryBackend | undefined) {
    this.#index = index
    this.#dense = dense
    this.#backend = backend
  }

  get(id: string): MemoryRecord | undefined {
    return this.held.get(id)?.record
  }

  /** Tokens of a record's content. */
  tokensOf(id: string): number {
    const held = this.held.get(id)
    if (held === undefined) return 0
    held.tokens ??= estimateTokens(held.record.content)
    return held.tokens
  }

  /** Whether there is a long-term record of an episode. */
  hasSource(tag: string): boolean {
    return this.#sources.has(tag)
  }

  /** The episodes that say the same. */
  alike(record: MemoryRecord): MemoryRecord[] {
    return [...(this.#wordings.get(wordingOf(record)) ?? [])].flatMap((id) => this.get(id) ?? [])
  }

  /** A long-term record that is true now and says the same as a text. */
  sameAs(content: string, like: MemoryRecord, now: number): MemoryRecord | undefined {
    return findSame(content, like, now, this.#index, (id) => this.get(id))
  }

  /** Summaries of runs in one space, oldest first. */
  summariesOf(space: string): ReadonlySet<string> {
    return this.#summaries.get(space) ?? new Set()
  }

  /** Reads the backend: once, and again where somebody else has written. */
  async load(): Promise<void> {
    if (this.#backend === undefined || (this.#isLoaded && !(await this.#backend.isStale?.()))) return
    const records = await this.#backend.load()
    const before = new Map(this.held)
    const gone = new Set(before.keys())
    for (const { id } of records) gone.delete(id)
    this.#remove([...gone])
    for (const record of records) {
      const known = before.get(record.id)
      if (known === undefined || !isSame(known.record, record)) this.#take(copyRecord(record))
    }
    this.#putInOrder(records)
    this.#isLoaded = true
  }

  /** In the order of the backend, which is the same for all who use it. */
  #putInOrder(records: readonly MemoryRecord[]): void {
    const held = records.flatMap(({ id }) => this.held.get(id) ?? [])
    this.held.clear()
    for (const one of held) this.held.set(one.record.id, one)
  }

  #take(record: MemoryRecord): void {
    const expires = record.expiresAt === undefined ? NEVER : Date.parse(record.expiresAt)
    const before = this.held.get(record.id)?.record
    if (before !== undefined) this.#release(before)
    this.held.set(record.id, { record, expires })
    this.#nextExpiry = Math.min(this.#nextExpiry, expires)
    this.counts[record.layer]++
    if (record.layer === 'episodic') {
      if (this.#backend?.isFresh?.(record.id) !== false) this.fresh.add(record.id)
      addTo(this.#wordings, wordingOf(record), record.id)
      if (isRunSummary(record)) addTo(this.#summaries, spaceOf(record), record.id)
    } else if (record.layer === 'long-term') {
      for (const key of factKeys(record)) addTo(this.#facts, key, record.id)
      for (const tag of record.tags) if (isSource(tag)) this.#sources.add(tag)
    }
    const seen = {
      group: groupOf(record),
      from: Date.parse(record.validFrom),
      to: record.validTo === undefined ? NEVER : Date.parse(record.validTo),
      importance: record.importance,
    }
    if (before !== undefined && before.content === record.content) this.#index.update(record.id, seen)
    else {
      this.#dense?.forget(record.id)
      const tags = record.tags.filter((tag) => tag !== ARCHIVED && !isSource(tag))
      this.#index.add({
        id: record.id,
        text: [record.content, ...tags].join('\n'),
        author: record.source.agentId,
        session: sessionOf(record),
        at: seen.from,
        ...seen,
      })
    }
  }

  #release(record: MemoryRecord): void {
    this.counts[record.layer]--
    if (record.layer === 'episodic') {
      removeFrom(this.#wordings, wordingOf(record), record.id)
      removeFrom(this.#summaries, spaceOf(record), record.id)
    } else if (record.layer === 'long-term') {
      for (const key of factKeys(record)) removeFrom(this.#facts, key, record.id)
      for (const tag of record.tags) this.#sources.delete(tag)
    }
  }

  /**
   * Puts a record, in place of one of the same id, here and in the backend.
   *
   * @param leaving of a run that it may leave with
   */
  async keep(record: MemoryRecord, leaving?: RunContext['records']): Promise<void> {
    this.#take(record)
    await this.#stored((backend) => backend.put(copyRecord(record), leaving))
  }

  /** What could not be written is not to be remembered either: the records are then read again. */
  async #stored(work: (backend: MemoryBackend) => Promise<void>): Promise<void> {
    if (this.#backend === undefined) return
    try {
      await work(this.#backend)
    } catch (thrown) {
      this.#isLoaded = false
      throw thrown
    }
  }

  /** The same for a change of a record that a consolidation need not look at again. */
  async replace(record: MemoryRecord): Promise<void> {
    const wasFresh = this.fresh.has(record.id)
    await this.keep(record)
    if (!wasFresh) this.fresh.delete(record.id)
  }

  /** Puts a record that a person has made their own. */
  async move(record: MemoryRecord): Promise<void> {
    this.#take(record)
    await this.#stored((backend) => (backend.move ?? backend.put).call(backend, copyRecord(record)))
  }

  /** Notes that records were found. That is no part of the ranking: the index stays as it is. */
  async count(hits: readonly MemoryHit[], now: number): Promise<void> {
    for (const hit of hits) {
      const record = this.held.get(hit.id)?.record
      if (record === undefined) continue
      await this.countOne(record, now)
      hit.accessCount = record.accessCount
      hit.lastAccessedAt = record.lastAccessedAt
    }
  }

  /** Notes that a record was found or said again. */
  async countOne(record: MemoryRecord, now: number): Promise<void> {
    record.accessCount++
    record.lastAccessedAt = isoTime(now)
    if (record.layer === 'episodic' && record.accessCount === USES_TO_PROMOTE) this.fresh.add(record.id)
    await this.#backend?.touch(copyRecord(record))
  }

  /** Deletes records for good. @returns whether there was one */
  async drop(...ids: readonly string[]): Promise<boolean> {
    const gone = this.#remove(ids)
    if (gone.length > 0) await this.#stored((backend) => backend.delete(gone))
    return gone.length > 0
  }

  /** @returns those that were held */
  #remove(ids: readonly string[]): string[] {
    const gone = [...new Set(ids)].filter((id) => this.held.has(id))
    for (const id of gone) {
      const record = this.get(id)
      if (record !== undefined) this.#release(record)
      this.held.delete(id)
      this.fresh.delete(id)
      this.#dense?.forget(id)
    }
    this.#index.remove(...gone)
    return gone
  }

  /** Notes that a consolidation has seen what was fresh. */
  async markConsolidated(ids: readonly string[]): Promise<void> {
    this.fresh.clear()
    await this.#backend?.markConsolidated?.(ids)
  }

  /** Deletes the records whose time is up. */
  async dropExpired(now: number): Promise<void> {
    if (now < this.#nextExpiry) return
    const expired = [...this.held.values()].filter(({ expires }) => expires <= now)
    await this.drop(...expired.map(({ record }) => record.id))
    this.#nextExpiry = NEVER
    for (const { expires } of this.held.values()) this.#nextExpiry = Math.min(this.#nextExpiry, expires)
  }

  /** Ends the validity of what a new fact contradicts. @returns the ids of the older records */
  async supersede(record: MemoryRecord): Promise<string[]> {
    const ids = new Set(factKeys(record).flatMap((key) => [...(this.#facts.get(key) ?? [])]))
    const others = [...ids].flatMap((id) => this.get(id) ?? [])
    const older = contradicted(record, others)
    for (const other of older) await this.replace({ ...other, validTo: record.validFrom })
    return older.map(({ id }) => id)
  }

  /** Records of a layer, oldest first. */
  recordsOf(layer: Layer): MemoryRecord[] {
    const records: MemoryRecord[] = []
    for (const { record } of this.held.values()) if (record.layer === layer) records.push(record)
    return records
  }
}

const isSame = (one: MemoryRecord, other: MemoryRecord): boolean => JSON.stringify(one) === JSON.stringify(other)

function addTo(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([id]))
  else set.add(id)
}

function removeFrom(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key)
  set?.delete(id)
  if (set?.size === 0) sets.delete(key)
}
