/** What runs remember for one key is not there for another. */
import { toText } from '@svc/core'
import * as assert from 'uvu/assert'
import { toKeys } from '../src/index.ts'
import { makeFolder } from './fixtures/folder.ts'
import { type Answered, type OpenServer, openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('memory of several keys')

type Found = { data: { id: string; content: string }[] }

const with_ = (world: OpenServer, key: string | undefined) => {
  const headers: Record<string, string> = key === undefined ? {} : { 'x-api-key': key }
  const ask = (method: string, path: string, body?: unknown): Promise<Answered> =>
    world.ask(method, path, { headers, ...(body !== undefined && { body }) })
  return {
    ask,
    async remember(content: string): Promise<string> {
      return (await ask('POST', '/v1/memory', { content, kind: 'fact' })).json.id as string
    },
    async run(task: string, more: object = {}): Promise<string> {
      const { status, text } = await ask('POST', '/execute', { task, ...more })
      assert.is(status, 200, text)
      return toText(world.provider.requests.at(-1)?.messages.flatMap(({ content }) => content) ?? [])
    },
    async list(): Promise<string[]> {
      return ((await ask('GET', '/v1/memory')).json as unknown as Found).data.map(({ content }) => content)
    },
    async find(query: string): Promise<string[]> {
      const found = await ask('POST', '/v1/memory/query', { query })
      return (found.json as unknown as Found).data.map(({ content }) => content)
    },
  }
}

const FACT = 'The harbour crane of Ostend is violet.'
const QUESTION = 'Which colour has the harbour crane of Ostend?'

test('a key neither sees nor recalls nor deletes what another key remembers, in any route', async () => {
  const world = await openServer({ server: { keys: () => ['first', 'second'] } })
  const [first, second] = [with_(world, 'first'), with_(world, 'second')]
  const id = await first.remember(FACT)
  assert.equal(await first.find(QUESTION), [FACT])
  assert.equal(await second.find(QUESTION), [])
  assert.equal(await second.list(), [])
  assert.is((await second.ask('GET', `/v1/memory/${id}`)).json.code, 'memory_not_found')
  assert.is((await second.ask('DELETE', `/v1/memory/${id}`)).json.code, 'memory_not_found')
  assert.is((await second.ask('PATCH', `/v1/memory/${id}`, { content: 'It is grey.' })).json.code, 'memory_not_found')
  assert.match(await first.run(QUESTION), 'violet')
  assert.not.match(await second.run(QUESTION), 'violet')
  assert.is((await first.list()).length, 2)
  assert.is((await second.list()).length, 1)
})

test('what a run was asked with one key is not there for the run of another, in a thread neither', async () => {
  const world = await openServer({ server: { keys: () => ['first', 'second'] } })
  const [first, second] = [with_(world, 'first'), with_(world, 'second')]
  const { id: threadId } = (await first.ask('POST', '/v1/threads', {})).json
  for (const [place, known] of [
    [{}, /<memory>[\s\S]*Zephyr[\s\S]*<\/memory>/],
    [{ threadId }, /^(?![\s\S]*<memory>)[\s\S]*Zephyr/],
  ] as const) {
    await first.run('My project in Ostend is called Zephyr.', place)
    assert.match(await first.run('Write down how my project in Ostend is called', place), known)
    assert.not.match(await second.run('Write down how my project in Ostend is called', place), /Zephyr/)
  }
})

test('the tools remember and recall work on the memory of the run that calls them', async () => {
  const world = await openServer({
    server: { keys: () => ['first', 'second'] },
    config: { policy: { rules: [{ tool: 'remember', decision: 'allow' }] } },
    script: ({ messages }) => {
      if (messages.some(({ role }) => role === 'tool')) return 'Done.'
      const isAsking = toText(messages.at(-1)?.content ?? []).includes('Look up')
      return isAsking
        ? { toolCalls: [{ tool: 'recall', args: { query: 'harbour crane of Ostend' } }] }
        : { toolCalls: [{ tool: 'remember', args: { content: FACT } }] }
    },
  })
  const [first, second] = [with_(world, 'first'), with_(world, 'second')]
  await first.run('Keep the colour in mind')
  assert.ok((await first.list()).includes(FACT))
  assert.not.ok((await second.list()).includes(FACT))
  assert.match(await first.run('Look up the crane'), 'violet')
  assert.not.match(await second.run('Look up the crane'), 'violet')
})

test('keys of one name share a memory, that of the name "shared" is the one of who needs no key', async () => {
  let text = 'crew one, crew two, other three, shared four'
  const world = await openServer({ server: { keys: () => toKeys(text) } })
  const of = (key?: string) => with_(world, key)
  await of('one').remember(FACT)
  assert.equal(await of('two').find(QUESTION), [FACT])
  assert.equal(await of('three').find(QUESTION), [])
  assert.equal(await of('four').find(QUESTION), [])
  await world.runtime.memory.write({ content: 'The crane of Ostend is old.' })
  assert.equal(await of('four').list(), ['The crane of Ostend is old.'])
  assert.equal(await of('one').list(), [FACT])
  assert.is((await of('crew one').ask('GET', '/v1/memory')).status, 401, 'the name is no part of the key')
  text = 'crew five'
  assert.equal(await of('five').find(QUESTION), [FACT], 'a key that was replaced leaves its memory to its name')
})

test('without keys there is one memory, and a key that comes later does not get it', async () => {
  let keys: string[] = []
  const world = await openServer({ server: { keys: () => keys } })
  await with_(world, undefined).remember(FACT)
  assert.equal(await with_(world, undefined).find(QUESTION), [FACT])
  keys = ['first']
  assert.equal(await with_(world, 'first').find(QUESTION), [])
})

test('memories of keys outlive the process, apart from each other', async () => {
  const dir = makeFolder()
  const open = () => openServer({ server: { keys: () => ['first', 'second'] }, runtime: { persist: { dir } } })
  const before = await open()
  await with_(before, 'first').remember(FACT)
  await with_(before, 'first').run('My project in Ostend is called Zephyr.')
  await before.close()
  const after = await open()
  assert.is((await with_(after, 'first').list()).length, 2)
  assert.equal(await with_(after, 'second').list(), [])
})

test('a run that another key goes on with, or forks, uses the memory of that key', async () => {
  const world = await openServer({ server: { keys: () => ['first', 'second'] } })
  const [first, second] = [with_(world, 'first'), with_(world, 'second')]
  await first.remember(FACT)
  const { id } = (await second.ask('POST', '/v1/runs', { task: QUESTION })).json
  await world.runtime.runs.wait(String(id))
  const forked = await first.ask('POST', `/v1/runs/${id}/fork`, { atSeq: 0 })
  await world.runtime.runs.wait(String(forked.json.id))
  const prompt = toText(world.provider.requests.at(-1)?.messages.flatMap(({ content }) => content) ?? [])
  assert.match(prompt, 'violet')
  const back = await second.ask('POST', `/v1/runs/${String(forked.json.id)}/fork`, { atSeq: 0 })
  await world.runtime.runs.wait(String(back.json.id))
  const again = toText(world.provider.requests.at(-1)?.messages.flatMap(({ content }) => content) ?? [])
  assert.not.match(again, 'violet')
})

test.run()
