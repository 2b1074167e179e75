import { NotFoundError, type Runtime, type ThreeLayerMemory } from '@svc/core'
import { StoredMemory } from '../stores/stored-memory.ts'

/**
 * A memory as the runtime offers it. What comes in here was said by a person, so it is trusted; and where it is to outlive
 * the process but cannot, the call fails.
 */
export function toMemoryApi(memory: ThreeLayerMemory): Runtime['memory'] {
  const stored = memory instanceof StoredMemory ? memory : undefined
  const get: Runtime['memory']['get'] = async (id) => {
    stored?.assertStored()
    const record = await memory.get(id)
    if (record === undefined) throw new NotFoundError('memory_not_found', `there is no memory "${id}"`)
    return record
  }
  return {
    async write(input) {
      stored?.assertStored()
      return memory.write({ ...input, source: { origin: 'user' }, trust: 'trusted' })
    },
    async query(query) {
      stored?.assertStored()
      return memory.query(query)
    },
    async list(query) {
      stored?.assertStored()
      return memory.list(query)
    },
    get,
    async delete(id) {
      await get(id)
      await memory.forget(id)
    },
  }
}
