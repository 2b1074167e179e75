import type { MemoryRecord } from '../../contracts/memory/memory.ts'
import type { RecordSpace, Records, RunRow } from '../../contracts/store/store.ts'
import { MEMORY_KIND, ownedSpace } from './memory-backend.ts'

/** Which records of a space each run wrote, as long as nobody changes them. */
interface Written {
  version: number
  ids: Map<string, string[]>
}

/** What runs wrote to the memory, in its store: to delete it, no memory has to be at work. */
export class RunMemories {
  readonly #store: Pick<Records, 'records'>
  readonly #space: string
  readonly #written = new Map<string, Written>()

  /** @param space of what the runs of this process write */
  constructor(store: Pick<Records, 'records'>, space: string) {
    this.#store = store
    this.#space = space
  }

  /** Deletes for good what runs wrote. What people added stays, and what other runs made of it. */
  async delete(runs: readonly Pick<RunRow, 'id' | 'owner' | 'space'>[]): Promise<void> {
    const idsBySpace = new Map<string, string[]>()
    for (const { id, owner = '', space = this.#space } of runs) {
      // Memories may be under another name than the runs of the same process.
      for (const one of new Set([space, this.#space].map((each) => ownedSpace(owner, each))))
        idsBySpace.set(one, [...(idsBySpace.get(one) ?? []), id])
    }
    for (const [space, ids] of idsBySpace) await this.#deleteIn(space, ids)
  }

  async #deleteIn(space: string, runIds: readonly string[]): Promise<void> {
    const records = this.#store.records<MemoryRecord>(MEMORY_KIND, space)
    const written = await this.#read(space, records)
    const ids = runIds.flatMap((id) => written.ids.get(id) ?? [])
    if (ids.length > 0 && (await records.remove(ids)) > 0) written.version++
  }

  /** Many runs that are removed one after the other cost one look at all that is remembered. */
  async #read(space: string, records: RecordSpace<MemoryRecord>): Promise<Written> {
    const version = await records.version()
    const known = this.#written.get(space)
    if (known?.version === version) return known
    const ids = new Map<string, string[]>()
    for (const { id, value } of (await records.all()).data) {
      const runId = value.source?.runId
      if (runId !== undefined) ids.set(runId, [...(ids.get(runId) ?? []), id])
    }
    const written = { version, ids }
    this.#written.set(space, written)
    return written
  }
}
