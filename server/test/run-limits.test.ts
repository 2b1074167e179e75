/** A run whose log gets too long ends with what it has; results of tools are cut where the limit says. */
import { createMemoryStore, definePlugin, type Limits, type Run, type Tool } from '@svc/core'
import type { Script } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import { type OpenServer, openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('limits of a run')

const WORDS = 'north south east west river hill lake road bridge tower garden field'.split(' ')

const look: Tool = {
  id: 'look',
  description: 'looks somewhere',
  parameters: { type: 'object', properties: { where: { type: 'string' } } },
  risk: 'read',
  run: async (args) => `${(args as { where: string }).where}: ${'x'.repeat(2_000)}`,
}

/** Looks somewhere else again and again, as often as it is let. */
const restless =
  (most: number): Script =>
  ({ messages }, index) =>
    messages.filter(({ role }) => role === 'tool').length < most
      ? {
          text: `Next I look ${WORDS[index % 12]} of ${index * 7919}.`,
          toolCalls: [{ tool: 'look', args: { where: `place ${index * 7919} ${WORDS[index % 12]}` } }],
        }
      : 'There is nothing to be found.'

const open = (limits: Limits, most = 12, store = createMemoryStore()): Promise<OpenServer> =>
  openServer({
    script: restless(most),
    plugins: [definePlugin('look', ({ tools }) => tools.add('look', look))()],
    config: { server: { limits }, components: { inspect: false, reflect: false } },
    runtime: { store },
  })

const run = async (world: OpenServer): Promise<Run> => {
  const body = { task: 'Look around', topology: 'SINGLE', tokenBudget: 500_000 }
  const made = await world.ask('POST', '/v1/runs?wait=60000', { body })
  return (await world.ask('GET', `/v1/runs/${made.json.id}?include=result`)).json as unknown as Run
}

const warningsOf = ({ result }: Run): string[] =>
  (result as { warnings: { code: string }[] }).warnings.map(({ code }) => code)

test('a run ends incomplete where its log is full, by events and by bytes', async () => {
  for (const limits of [{ runEvents: 60 }, { runBytes: 20_000 }]) {
    const world = await open(limits)
    const ended = await run(world)
    assert.is(ended.status, 'incomplete', JSON.stringify(limits))
    assert.is(ended.incomplete?.reason, 'max_steps')
    assert.is(ended.error?.code, 'max_steps')
    assert.match(ended.error?.message ?? '', /the log of the run is full.*server\.limits\.runEvents/)
    assert.ok(warningsOf(ended).includes('log_long'))
    assert.ok(ended.lastSeq < 60 + 30, `${ended.lastSeq} events`)
    const { text } = await world.ask('GET', `/v1/runs/${ended.id}/events?limit=1000`)
    assert.match(text, /run\.incomplete/)
    await world.close()
  }
})

test('without the limit the same run goes on to its end, and one that gets long is warned of', async () => {
  const free = await open({})
  const whole = await run(free)
  assert.is(whole.status, 'completed')
  assert.ok(whole.lastSeq > 90)
  assert.not.ok(warningsOf(whole).includes('log_long'))
  await free.close()
  const long = await open({ runEvents: whole.lastSeq * 4 })
  const warned = await run(long)
  assert.is(warned.status, 'completed')
  assert.equal(
    warningsOf(warned).filter((code) => code === 'log_long'),
    ['log_long'],
  )
})

test('what earlier lives of a run logged counts too', async () => {
  const store = createMemoryStore()
  const first = await open({ runEvents: 60 }, 12, store)
  const { id } = (await first.ask('POST', '/v1/runs', { body: { task: 'Look around', topology: 'SINGLE' } })).json
  while ((await store.events.list(id as string)).length < 40) await new Promise((resolve) => setImmediate(resolve))
  await first.close()
  const left = (await store.runs.get(id as string))?.status
  const second = await open({ runEvents: 60 }, 12, store)
  const ended = await second.runtime.runs.wait(id as string, 60_000)
  assert.is(ended.status, 'incomplete', `it was ${left}`)
  assert.ok(ended.lastSeq < 60 + 40, `${ended.lastSeq} events`)
})

test('a longer result of a tool is cut, and kept whole under its digest', async () => {
  const world = await open({ toolResultBytes: 500 }, 1)
  const ended = await run(world)
  const { json } = await world.ask('GET', `/v1/runs/${ended.id}/events?types=tool.completed`)
  const [event] = json.data as { data: { result: string; bytes: number; truncated: boolean; ref: string } }[]
  assert.is(event?.data.truncated, true)
  assert.ok((event?.data.bytes ?? 0) > 2_000)
  assert.match(event?.data.result ?? '', /\[cut: 500 of \d+ bytes\]/)
  assert.match(event?.data.ref ?? '', /^[0-9a-f]{64}$/)
})

test.run()
