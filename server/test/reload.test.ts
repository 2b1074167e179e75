/** A config that is replaced while the server works: nothing at work notices, and what begins from then on uses it. */

import { join } from 'node:path'
import { definePlugin, type SvcConfig } from '@svc/core'
import { type ConfiguredRuntime, SqliteStore } from '@svc/plugins'
import * as assert from 'uvu/assert'
import { makeFolder } from './fixtures/folder.ts'
import { openServer, serverSuite } from './fixtures/open-server.ts'
import { allFrames } from './fixtures/read-stream.ts'
import { createGate, until } from './fixtures/until.ts'

const test = serverSuite('a config that is replaced')

const RUNS = 20
const task = 'What is 6 times 7?'

/** Says which config it belongs to in what it heard, and lets a run go on only when the gate is open. */
function hearing(name: string, heard: Map<string, string[]>, gate: Promise<void>) {
  return definePlugin('hearing', ({ hooks, events }) => {
    heard.set(name, [])
    events.on('event', ({ type, runId }) => {
      if (type === 'run.completed') heard.get(name)?.push(runId)
    })
    hooks.analyze.tapPromise('hearing', async (answer) => {
      await gate
      return answer
    })
  })()
}

test('20 runs at work and 20 readers go on under the old one, queued and new runs begin under the new one', async () => {
  const dir = makeFolder()
  const heard = new Map<string, string[]>()
  const { passed, open } = createGate()
  const configOf = (name: string, more: SvcConfig): SvcConfig => ({
    model: 'scripted/scripted',
    plugins: [hearing(name, heard, name === 'old' ? passed : Promise.resolve())],
    ...more,
  })
  const world = await openServer({
    config: configOf('old', { tokenBudget: 10_000, server: { limits: { runningRuns: RUNS } } }),
    runtime: { store: new SqliteStore({ file: join(dir, 'svc.db') }) },
  })
  const make = async (): Promise<string> => (await world.ask('POST', '/v1/runs', { body: { task } })).json.id as string
  const atWork = await Promise.all(Array.from({ length: RUNS }, make))
  await until(async () => (await world.runtime.runs.list({ status: 'running' })).data.length === RUNS)
  const queued = await Promise.all(Array.from({ length: 3 }, make))
  const readers = atWork.map(async (id) =>
    allFrames(await fetch(`${world.url}/v1/runs/${id}/events`, { headers: { accept: 'text/event-stream' } })),
  )
  const runtime = world.runtime as ConfiguredRuntime
  await runtime.reload(configOf('new', { tokenBudget: 20_000, server: { limits: { runningRuns: RUNS + 8 } } }))
  const made = await Promise.all(Array.from({ length: 5 }, make))
  for (const id of [...queued, ...made]) assert.is((await runtime.runs.wait(id)).status, 'completed')
  assert.is((await runtime.runs.list({ status: 'running' })).data.length, RUNS, 'the others are still at work')
  open()
  for (const frames of await Promise.all(readers)) {
    const ids = frames.flatMap(({ id }) => id ?? [])
    assert.equal(
      ids,
      ids.map((_, index) => index + 1),
    )
    assert.is(frames.at(-1)?.event, 'end')
    assert.is(frames.at(-2)?.event, 'run.completed')
  }
  const budgetOf = async (id: string): Promise<unknown> => {
    for await (const event of runtime.runs.events(id)) if (event.type === 'budget.allocated') return event.data.total
    return undefined
  }
  const [old, young] = await Promise.all([budgetOf(atWork[0] ?? ''), budgetOf(made[0] ?? '')])
  assert.ok(Number(young) > Number(old), `${young} after ${old}`)
  assert.equal(heard.get('old')?.sort(), atWork.sort())
  assert.equal(heard.get('new')?.sort(), [...queued, ...made].sort())
})

test('a config that cannot be used changes nothing', async () => {
  const world = await openServer({ config: { tokenBudget: 10_000 } })
  const runtime = world.runtime as ConfiguredRuntime
  const before = await runtime.describe()
  for (const config of [
    { store: { url: 'nowhere:x' }, plugins: [definePlugin('two', () => {})(), definePlugin('two', () => {})()] },
    { plugins: [definePlugin('broken', () => Promise.reject(new Error('it is broken')))()] },
  ] satisfies SvcConfig[]) {
    const thrown = await runtime.reload(config).catch((error: unknown) => error)
    assert.instance(thrown, Error)
    assert.equal(await runtime.describe(), before)
  }
  assert.is((await world.ask('POST', '/execute', { body: { task } })).json.status, 'completed')
})

test('limits, hosts and the key of /metrics change without a new connection; a request at work ends as it began', async () => {
  const { passed, open } = createGate()
  const world = await openServer({ script: () => passed.then(() => 'The answer is 42.') })
  const waiting = world.ask('POST', '/execute', { body: { task } })
  await until(() => world.provider.requests.length > 0)
  world.server.reload({
    limits: { taskChars: 5 },
    allowedHosts: [`name.example:${world.port}`],
    metrics: { auth: true },
  })
  assert.is((await world.ask('POST', '/execute', { body: { task } })).json.code, 'validation_failed')
  open()
  assert.is((await waiting).json.status, 'completed')
  world.server.reload({})
  assert.is((await world.ask('POST', '/execute', { body: { task } })).json.status, 'completed')
})

test.run()
