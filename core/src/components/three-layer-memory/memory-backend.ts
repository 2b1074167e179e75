import type { MemoryRecord } from '../../contracts/memory/memory.ts'
import type { Collection } from '../../contracts/store/store.ts'

/** Where records outlive the process. */
export interface MemoryBackend {
  /** All records, oldest first. Asked once, before the first call is answered. */
  load(): Promise<MemoryRecord[]>
  /** Keeps a record under its id, in place of what was there. */
  put(record: MemoryRecord): Promise<void>
  /** Keeps how often a record was found, and when; may be put off until the next `put`. */
  touch(record: MemoryRecord): Promise<void>
  delete(ids: readonly string[]): Promise<void>
}

/** The backend over a collection of a store. */
export function createMemoryBackend(collection: Collection<MemoryRecord>): MemoryBackend {
  return {
    async load() {
      const records: MemoryRecord[] = []
      for (let after: string | undefined, more = true; more; ) {
        const page = await collection.list({ limit: 100, order: 'asc', ...(after === undefined ? {} : { after }) })
        records.push(...page.data)
        after = page.nextCursor
        more = page.hasMore && after !== undefined
      }
      return records
    },
    put: async (record) => collection.put(record.id, record),
    touch: async (record) => collection.put(record.id, record),
    async delete(ids) {
      for (const id of ids) await collection.delete(id)
    },
  }
}
