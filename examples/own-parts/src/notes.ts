import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  createId,
  definePlugin,
  estimateTokens,
  type MemoryApi,
  type MemoryHit,
  type MemoryRecord,
  NotFoundError,
  type RunContext,
} from '@svc/core'
import { toPage } from './page.ts'

export interface NotesOptions {
  /** A JSON file that holds all notes. */
  file: string
}

/** Before the planner, which reads what is recalled. */
const BEFORE_DEFAULT = -100

/** Stands in `components.memory`: notes in a JSON file, found by the share of the query's words that they contain. */
export const notes = definePlugin<NotesOptions>('notes', ({ hooks, memory }, { file }) => {
  const api = createNotes(file)
  memory.provide(api)
  hooks.plan.tapPromise({ name: 'notes', stage: BEFORE_DEFAULT }, async (answer, { task, previous }, run) => {
    if (previous === undefined && mayUse(run)) {
      // Recorded, so that a replay and a recovered run see what was read then, for this query alone.
      const request = { query: task.description, limit: 5 }
      const found = await run.record('notes/recall', () => api.query(request), { request })
      run.recall(found.data)
    }
    return answer
  })
  hooks.inspect.tapPromise({ name: 'notes', stage: BEFORE_DEFAULT }, async (answer, { task, execution }, run) => {
    if (!mayUse(run)) return answer
    await run.record('notes/write', async () => {
      const content = `Asked "${task.description}", it ended as ${execution.status}: ${execution.output}`
      await api.write({ content, kind: 'summary', tags: ['run'] }, { runId: run.id, origin: 'model' })
      return true
    })
    return answer
  })
})

/** There is one file for all: runs of a key with a memory of its own have none. */
const mayUse = ({ options, owner }: RunContext): boolean => options.memory !== false && owner === ''

function createNotes(file: string): MemoryApi {
  let loaded: Promise<Map<string, MemoryRecord>> | undefined
  let saved: Promise<void> = Promise.resolve()
  const load = (): Promise<Map<string, MemoryRecord>> => {
    loaded ??= read(file)
    return loaded
  }
  /** One write at a time, whole or not at all. */
  const save = (): Promise<void> => {
    saved = saved.then(async () => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(`${file}.new`, JSON.stringify([...(await load()).values()], null, 2))
      await rename(`${file}.new`, file)
    })
    return saved
  }
  const get: MemoryApi['get'] = async (id) => {
    const note = (await load()).get(id)
    if (note === undefined) throw new NotFoundError('memory_not_found', `there is no note "${id}"`)
    return note
  }
  return {
    get,
    async write({ content, layer = 'long-term', kind = 'fact', tags = [], importance = 0.5, threadId }, source) {
      const time = new Date().toISOString()
      const note: MemoryRecord = {
        id: createId('mem', Date.now()),
        layer,
        kind,
        content,
        tags,
        ...(threadId === undefined ? {} : { threadId }),
        source: source ?? { origin: 'user' },
        trust: source === undefined || source.origin === 'user' ? 'trusted' : 'untrusted',
        importance,
        validFrom: time,
        createdAt: time,
        lastAccessedAt: time,
        accessCount: 0,
      }
      ;(await load()).set(note.id, note)
      await save()
      return note
    },
    async query({ query, layers, scope, limit = 10, minScore = 0.01 }) {
      const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu))]
      const hits = [...(await load()).values()]
        .filter(({ layer }) => layers === undefined || layers.includes(layer))
        .filter(({ threadId }) => scope?.threadId === undefined || (threadId ?? '') === scope.threadId)
        .map((note): MemoryHit => {
          const found = words.filter((word) => note.content.toLowerCase().includes(word)).length
          const score = found / Math.max(1, words.length)
          return { ...note, score, parts: { words: score } }
        })
        .filter(({ score }) => score >= minScore)
        .sort((a, b) => b.score - a.score)
        .slice(0, limit)
      const tokens = hits.reduce((sum, { content }) => sum + estimateTokens(content), 0)
      return { data: hits, low: (hits[0]?.score ?? 0) < 0.3, tokens }
    },
    async list(query = {}) {
      const fits = ({ layer }: MemoryRecord): boolean => query.layer === undefined || layer === query.layer
      return toPage([...(await load())], query, fits)
    },
    async delete(id) {
      await get(id)
      ;(await load()).delete(id)
      await save()
    },
  }
}

async function read(file: string): Promise<Map<string, MemoryRecord>> {
  try {
    const records = JSON.parse(await readFile(file, 'utf8')) as MemoryRecord[]
    return new Map(records.map((record) => [record.id, record]))
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw thrown
  }
}
