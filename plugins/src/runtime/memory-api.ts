import { NotFoundError, type Runtime, type ThreeLayerMemory } from '@svc/core'

/** A memory as the runtime offers it. What comes in here was said by a person, so it is trusted. */
export function toMemoryApi(memory: ThreeLayerMemory): Runtime['memory'] {
  const get: Runtime['memory']['get'] = async (id) => {
    const record = await memory.get(id)
    if (record === undefined) throw new NotFoundError('memory_not_found', `there is no memory "${id}"`)
    return record
  }
  return {
    write: (input) => memory.write({ ...input, source: { origin: 'user' }, trust: 'trusted' }),
    query: (query) => memory.query(query),
    list: (query) => memory.list(query),
    get,
    async delete(id) {
      await get(id)
      await memory.forget(id)
    },
  }
}
