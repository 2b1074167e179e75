import { type Layer, type MemoryApi, NotFoundError, parse, type ThreeLayerMemory } from '@svc/core'
import { MemoryWrite } from '@svc/core/schema'
import { PerName } from '@svc/core/support'
import type { WriteQueue } from './write-queue.ts'

/**
 * A memory as the runtime, the tools and the commands use it. Each call sees what runs wrote before it, and fails where
 * the memory is to outlive the process but cannot.
 */
export function createMemoryApi(memory: ThreeLayerMemory, writes: WriteQueue): MemoryApi {
  const ready = async (): Promise<ThreeLayerMemory> => {
    await writes.flush()
    return memory
  }
  const get: MemoryApi['get'] = async (id) => {
    const record = await (await ready()).get(id)
    if (record === undefined) throw new NotFoundError('memory_not_found', `there is no memory "${id}"`)
    return record
  }
  return {
    async write(input, source = { origin: 'user' }) {
      const checked = parse(MemoryWrite, input, 'memory')
      return (await ready()).write({ ...checked, source })
    },
    async query(query) {
      return (await ready()).query(query)
    },
    async list(query) {
      return (await ready()).list(query)
    },
    get,
    counts: () => memory.counts(),
    async delete(id) {
      await get(id)
      await memory.forget(id)
    },
    async update(id, change) {
      return (await (await ready()).update(id, change)) ?? get(id)
    },
  }
}

/** The memory of each owner. Where it is asked how many records there are, the shared one counts those of all owners. */
export function createMemoryApis(
  memories: PerName<{ store: ThreeLayerMemory; writes: WriteQueue }>,
): PerName<MemoryApi> {
  const counts = async (): Promise<Record<Layer, number>> => {
    const sum = { working: 0, episodic: 0, 'long-term': 0 }
    for (const { store } of memories.made) {
      for (const [layer, count] of Object.entries(await store.counts())) sum[layer as Layer] += count
    }
    return sum
  }
  const apis: PerName<MemoryApi> = new PerName((owner) => {
    const { store, writes } = memories.of(owner)
    return { ...createMemoryApi(store, writes), of: apis.of, ...(owner === '' && { counts }) }
  })
  return apis
}
