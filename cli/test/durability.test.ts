/** What outlives a process of `svc run`. */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { loadConfig } from '@svc/core/config'
import { sequentialPlan } from '@svc/core/testing'
import { createRuntime, SqliteStore } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Sqlite } from '../../plugins/src/stores/sqlite.ts'
import { dropIn, startModelServer } from './fixtures/model-server.ts'
import { makeWorld, svc } from './fixtures/world.ts'

const test = suite('durable runs')

const OBJECTIVES = ['Count the apples', 'Count the pears', 'Count the plums']
const plan = sequentialPlan(OBJECTIVES)
const FILES = {
  'svc.config.json': {},
  '.svc/plugins/three.mjs': `export default { name: 'three', apply: (host) => host.hooks.plan.tap('three', () => (${JSON.stringify(plan)})) }`,
}

test('a run is in the data folder when the command has ended', async () => {
  const server = await startModelServer(() => 'There are seven.')
  const world = makeWorld({ 'svc.config.json': {} }, { 'providers/mine.json': dropIn(server) })
  const { code, err } = await svc(world, ['run', '--trust', '-q', 'Count the apples'])
  assert.is(code, 0, err)
  const store = new SqliteStore({ file: join(world.work, '.svc', 'data', 'svc.db') })
  store.open()
  const { data } = await store.runs.list()
  assert.equal(
    data.map(({ task, status }) => [task, status]),
    [['Count the apples', 'completed']],
  )
  const events = await store.events.list(data[0]?.id ?? '')
  assert.is(events.at(-1)?.type, 'run.completed')
  await store.close()
  await server.close()
})

test('a run that was killed is finished by the next process, and no recorded model call is paid again', async () => {
  let child: ChildProcess | undefined
  const asked: string[] = []
  const server = await startModelServer(({ messages }) => {
    const text = JSON.stringify(messages.at(-1))
    const about = OBJECTIVES.filter((objective) => text.includes(objective)).at(-1) ?? 'something else'
    asked.push(about)
    if (about !== OBJECTIVES[1] || child === undefined) return `There are seven: ${about}.`
    return () => child?.kill('SIGKILL')
  })
  const world = makeWorld(FILES, { 'providers/mine.json': dropIn(server) })
  const killed = await svc(world, ['run', '--trust', 'Count apples, pears and plums'], {
    watch(started) {
      child = started
    },
  })
  assert.is(killed.signal, 'SIGKILL', killed.err)
  const before = [...asked]
  child = undefined
  const loaded = await loadConfig({ cwd: world.work, env: world.env, trust: true })
  // The lease outlasts the test, so that it cannot be what lets the run go on.
  const db = new Sqlite(join(world.work, '.svc', 'data', 'svc.db'))
  db.run('UPDATE runs SET expires_at = ?', [Date.now() + 1e9])
  db.close()
  const runtime = await createRuntime(loaded, { env: world.env, persist: true })
  const [left] = (await runtime.runs.list()).data
  const run = await runtime.runs.wait(left?.id ?? '', 60_000)
  assert.is(run.status, 'completed', JSON.stringify(run.error))
  const count = (list: string[], name = ''): number => list.filter((about) => about === name).length
  assert.is(count(before, OBJECTIVES[0]), 1)
  assert.is(count(asked, OBJECTIVES[0]), 1, asked.join())
  assert.is(count(asked, OBJECTIVES[1]), 2, 'the call that was cut off was not recorded')
  const events = []
  for await (const event of runtime.runs.events(run.id)) events.push(event)
  assert.equal(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  )
  const types = events.map(({ type }) => type)
  assert.is(types.filter((type) => type === 'run.recovered').length, 1)
  assert.is(
    types.filter((type) => type === 'model.completed').length,
    types.filter((t) => t === 'message.completed').length,
  )
  await runtime.close()
  await server.close()
})

test('outside of a project an agent is kept with the own ones, and earlier runs stay where they are', async () => {
  const world = makeWorld({ 'notes.md': 'There are seven apples.\n' })
  assert.is((await svc(world, ['run', '-q', 'Count the apples in notes.md'])).code, 0)
  assert.is((await svc(world, ['agents', 'create', 'Reviewer', '--instructions', 'Read closely.'])).code, 0)
  assert.match((await svc(world, ['agents', 'list'])).out, /reviewer/)
  assert.is(JSON.parse((await svc(world, ['runs', 'list', '--json'])).out).data.length, 1)
  assert.is((await svc(world, ['agents', 'rm', 'reviewer'])).code, 0)
})

test.run()
