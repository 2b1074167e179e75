import type { MemoryHit, MemoryRecord } from '../../contracts/memory.ts'
import type { Layer } from '../../contracts/words.ts'
import { contradicted, factKeys } from './consolidate.ts'
import type { ContextIndex } from './context-index.ts'
import type { DenseSearch } from './dense-search.ts'
import type { MemoryBackend } from './memory-backend.ts'
import { groupOf } from './record-scope.ts'
import { ARCHIVED, copyRecord, sessionOf, toIso } from './record-time.ts'

/** A record with its end as a number. */
interface Held {
  readonly record: MemoryRecord
  readonly expires: number
}

const NEVER = Number.POSITIVE_INFINITY

/** The records of a memory, kept in step with the index, the vectors and the backend. */
export class RecordShelf {
  /** By id, oldest first. */
  readonly held = new Map<string, Held>()
  readonly counts: Record<Layer, number> = { working: 0, episodic: 0, 'long-term': 0 }
  /** Episodes that were written or found since the last consolidation. */
  readonly fresh = new Set<string>()
  readonly #index: ContextIndex
  readonly #dense: DenseSearch | undefined
  readonly #backend: MemoryBackend | undefined
  /** Long-term records by space, subject and attribute of what they state. */
  readonly #facts = new Map<string, Set<string>>()
  #nextExpiry = NEVER
  #loaded: Promise<void> | undefined

  constructor(index: ContextIndex, dense: DenseSearch | undefined, backend: MemoryBackend | undefined) {
    this.#index = index
    this.#dense = dense
    this.#backend = backend
  }

  get(id: string): MemoryRecord | undefined {
    return this.held.get(id)?.record
  }

  /** Fills the shelf from the backend, once. */
  load(): Promise<void> {
    this.#loaded ??= (async () => {
      for (const record of (await this.#backend?.load()) ?? []) this.#take(copyRecord(record))
    })().catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    return this.#loaded
  }

  #take(record: MemoryRecord): void {
    const expires = record.expiresAt === undefined ? NEVER : Date.parse(record.expiresAt)
    const before = this.held.get(record.id)?.record
    this.held.set(record.id, { record, expires })
    this.#nextExpiry = Math.min(this.#nextExpiry, expires)
    this.counts[record.layer]++
    if (before !== undefined) this.counts[before.layer]--
    if (record.layer === 'episodic') this.fresh.add(record.id)
    if (record.layer === 'long-term') {
      for (const key of factKeys(record)) this.#facts.set(key, (this.#facts.get(key) ?? new Set()).add(record.id))
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
      this.#index.add({
        id: record.id,
        text: [record.content, ...record.tags.filter((tag) => tag !== ARCHIVED && !tag.startsWith('from:'))].join('\n'),
        author: record.source.agentId,
        session: sessionOf(record),
        at: seen.from,
        ...seen,
      })
    }
  }

  /** Puts a record, in place of one of the same id, here and in the backend. */
  async keep(record: MemoryRecord): Promise<void> {
    this.#take(record)
    await this.#backend?.put(copyRecord(record))
  }

  /** The same for a change of a record that nobody needs to look at again. */
  async replace(record: MemoryRecord): Promise<void> {
    const wasFresh = this.fresh.has(record.id)
    await this.keep(record)
    if (!wasFresh) this.fresh.delete(record.id)
  }

  /** Notes that records were found. That is no part of the ranking: the index stays as it is. */
  async count(hits: readonly MemoryHit[], now: number): Promise<void> {
    const foundAt = toIso(now)
    for (const hit of hits) {
      const record = this.held.get(hit.id)?.record
      if (record === undefined) continue
      record.accessCount++
      record.lastAccessedAt = foundAt
      hit.accessCount = record.accessCount
      hit.lastAccessedAt = foundAt
      if (record.layer === 'episodic') this.fresh.add(record.id)
      if (this.#backend !== undefined) await this.#backend.put(copyRecord(record))
    }
  }

  /** Deletes a record for good. @returns whether there was one */
  async drop(id: string): Promise<boolean> {
    const record = this.held.get(id)?.record
    if (record === undefined) return false
    this.held.delete(id)
    this.counts[record.layer]--
    this.fresh.delete(id)
    this.#index.remove(id)
    this.#dense?.forget(id)
    if (record.layer === 'long-term') for (const key of factKeys(record)) this.#facts.get(key)?.delete(id)
    await this.#backend?.delete(id)
    return true
  }

  /** Deletes the records whose time is up. */
  async dropExpired(now: number): Promise<void> {
    if (now < this.#nextExpiry) return
    const expired = [...this.held.values()].filter(({ expires }) => expires <= now)
    for (const { record } of expired) await this.drop(record.id)
    this.#nextExpiry = NEVER
    for (const { expires } of this.held.values()) this.#nextExpiry = Math.min(this.#nextExpiry, expires)
  }

  /** Ends the validity of what a new fact contradicts. @returns the ids of the older records */
  async supersede(record: MemoryRecord): Promise<string[]> {
    const ids = new Set(factKeys(record).flatMap((key) => [...(this.#facts.get(key) ?? [])]))
    const others: MemoryRecord[] = []
    for (const id of ids) {
      const other = this.held.get(id)?.record
      if (other !== undefined) others.push(other)
    }
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
