import { definePlugin, type MemoryApi, type MemoryRecord } from '../../../src/index.ts'

const kept: MemoryRecord[] = []

const refuse = async (): Promise<never> => {
  throw new Error('nobody asks this')
}

const shared: MemoryApi = {
  write: refuse,
  query: refuse,
  get: refuse,
  delete: refuse,
  list: async () => ({ data: kept, hasMore: false }),
}

/** A memory that every runtime of the process writes into. */
export default definePlugin('shared-memory', (host) => {
  host.memory.provide(shared)
  host.hooks.inspect.tap('shared-memory', (answer, { task }, run) => {
    if (run.options.memory !== false) kept.push({ id: run.newId('mem'), content: task.description } as MemoryRecord)
    return answer
  })
})
