/** A memory of a stranger, in the slot of the default one, answers every surface. */
import { definePlugin, type MemoryApi, type MemoryRecord, NotFoundError, toText } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'

const test = suite('a memory of one’s own')

/** Keeps records in a list and finds them by their first word. */
function createListMemory(): MemoryApi & { kept: MemoryRecord[] } {
  const kept: MemoryRecord[] = []
  const get: MemoryApi['get'] = async (id) => {
    const record = kept.find((one) => one.id === id)
    if (record === undefined) throw new NotFoundError('memory_not_found', `no ${id}`)
    return record
  }
  return {
    kept,
    get,
    async write({ content, kind = 'fact', tags = [] }, source = { origin: 'user' }) {
      const time = '2026-01-01T00:00:00.000Z'
      const record: MemoryRecord = {
        id: `own_${kept.length}`,
        layer: 'episodic',
        kind,
        content,
        tags,
        source,
        trust: source.origin === 'user' ? 'trusted' : 'untrusted',
        importance: 0.5,
        validFrom: time,
        createdAt: time,
        lastAccessedAt: time,
        accessCount: 0,
      }
      kept.push(record)
      return record
    },
    async query({ query }) {
      const [word = ''] = query.split(' ')
      const data = kept.filter(({ content }) => content.includes(word)).map((one) => ({ ...one, score: 1, parts: {} }))
      return { data, low: data.length === 0, tokens: 0 }
    },
    list: async () => ({ data: [...kept], hasMore: false }),
    async delete(id) {
      kept.splice(kept.indexOf(await get(id)), 1)
    },
  }
}

test('the plugin in the slot answers runtime.memory and the tools, and the default one nothing', async () => {
  const own = createListMemory()
  const plugin = definePlugin('list-memory', (host) => host.memory.provide(own))()
  const provider = scriptedProvider('scripted', (_request, index) => {
    if (index === 0) return { toolCalls: [{ tool: 'remember', args: { content: 'harbour closes at noon' } }] }
    return index === 1 ? { toolCalls: [{ tool: 'recall', args: { query: 'harbour' } }] } : 'Noted.'
  })
  const host = definePlugin('host', ({ providers }) => providers.add('scripted', provider))()
  const runtime = await createRuntime(
    {
      model: 'scripted/scripted',
      components: { memory: plugin },
      policy: { rules: [{ tool: 'remember', decision: 'allow' }] },
    },
    { plugins: [host], env: {} },
  )
  const said = await runtime.memory.write({ content: 'the ferry is red' })
  assert.is(said.id, 'own_0')
  const { id } = await runtime.runs.create({ task: 'Note when it closes', topology: 'SINGLE' })
  await runtime.runs.wait(id)
  assert.equal(
    own.kept.map(({ content, source }) => [content, source.origin]),
    [
      ['the ferry is red', 'user'],
      ['harbour closes at noon', 'model'],
    ],
  )
  assert.match(toText(provider.requests.at(-1)?.messages.flatMap(({ content }) => content) ?? []), 'closes at noon')
  assert.is((await runtime.memory.query({ query: 'harbour' })).data[0]?.id, 'own_1')
  const refused = await runtime.memory.update('own_0', { kind: 'fact' }).catch((error: unknown) => error)
  assert.match(String(refused), 'components.memory changes no records')
  await runtime.memory.delete('own_0')
  assert.is((await runtime.memory.list()).data.length, 1)
  await runtime.close()
})

test('two memories are refused by name', async () => {
  const another = definePlugin('another', (host) => host.memory.provide(createListMemory()))()
  const thrown = await createRuntime({}, { plugins: [another], env: {} }).catch((error: unknown) => error)
  assert.match(String(thrown), 'another')
  assert.match(String(thrown), 'components.memory')
})

test.run()
