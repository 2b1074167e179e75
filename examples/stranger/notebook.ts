import { createId, definePlugin, type MemoryApi, type MemoryRecord, NotFoundError } from '@svc/core'

/** Stands in the slot of memory: a list of notes, found by the share of the query's words that they contain. */
export const notebook = definePlugin('notebook', ({ hooks, memory }) => {
  const notes = new Map<string, MemoryRecord>()
  const get = async (id: string): Promise<MemoryRecord> => {
    const note = notes.get(id)
    if (note === undefined) throw new NotFoundError('memory_not_found', `the notebook has no page "${id}"`)
    return note
  }
  const api: MemoryApi = {
    get,
    async write({ content, layer = 'episodic', kind = 'fact', tags = [] }) {
      const time = new Date().toISOString()
      const note: MemoryRecord = {
        id: createId('mem', Date.now()),
        layer,
        kind,
        content,
        tags,
        source: { origin: 'user' },
        trust: 'trusted',
        importance: 0.5,
        validFrom: time,
        createdAt: time,
        lastAccessedAt: time,
        accessCount: 0,
      }
      notes.set(note.id, note)
      return note
    },
    async query({ query, limit = 10 }) {
      const words = query.toLowerCase().match(/\p{L}{3,}/gu) ?? []
      const data = [...notes.values()]
        .map((note) => {
          const found = words.filter((word) => note.content.toLowerCase().includes(word)).length
          return { ...note, score: words.length === 0 ? 0 : found / words.length, parts: {} }
        })
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, limit)
      return { data, low: data.length === 0, tokens: data.reduce((sum, { content }) => sum + content.length / 4, 0) }
    },
    async list() {
      return { data: [...notes.values()], hasMore: false }
    },
    async delete(id) {
      await get(id)
      notes.delete(id)
    },
  }
  memory.provide(api)
  hooks.plan.tapPromise('notebook', async (_answer, { task }, run) => {
    const { data } = await api.query({ query: task.description })
    run.recall(data)
    return undefined
  })
})
