import { setTimeout } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ExecutionResult, RunStatus } from '../src/index.ts'
import { createMemoryStore, definePlugin } from '../src/index.ts'
import { scriptedProvider } from '../src/testing/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { codeOf, ended, model, start, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('run service')

test('the status of a run goes one way, however slow the store is', async () => {
  const memory = createMemoryStore()
  const { store } = faultyStore(memory)
  const seen: RunStatus[] = []
  let id = ''
  memory.watch('*', () => {
    const row = memory.runs.get(id) as { status: RunStatus } | undefined
    if (row !== undefined && seen.at(-1) !== row.status) seen.push(row.status)
  })
  const act = tiny({ execute: async (run) => new Promise((_, reject) => run.signal.addEventListener('abort', reject)) })
  const runtime = await start([act, model()], { store })
  id = (await runtime.runs.create({ task: 'x' })).id
  await until(async () => (await runtime.runs.get(id)).status === 'running')
  assert.is((await runtime.runs.cancel(id)).status, 'cancelling')
  await ended(runtime, id)
  await runtime.close()
  assert.equal(seen.slice(-3), ['running', 'cancelling', 'cancelled'])
  const stored = await memory.runs.get(id)
  assert.is((stored?.result as ExecutionResult | undefined)?.status, 'cancelled')
})

test('what is asked of a run that nobody works on shows in lists and filters, and ends it without what it needs', async () => {
  const store = createMemoryStore()
  const other = definePlugin('other', ({ providers }) =>
    providers.add(
      'other',
      scriptedProvider('other', () => 'x'),
    ),
  )()
  const maker = await start([tiny(), model(), other], { store, claims: 'none' })
  const ids: string[] = []
  for (const task of ['a', 'b', 'c', 'd']) {
    ids.push((await maker.runs.create({ task, model: 'other/some' })).id)
    // Ids of one millisecond are in no order.
    await setTimeout(2)
  }
  const [a = '', b = '', c = '', d = ''] = ids
  for (const id of [b, d]) assert.is((await maker.runs.cancel(id)).status, 'cancelling')
  const { data } = await maker.runs.list()
  assert.equal(
    data.map(({ id, status }) => [id, status]),
    [
      [d, 'cancelling'],
      [c, 'queued'],
      [b, 'cancelling'],
      [a, 'queued'],
    ],
  )
  const listed = async (status: RunStatus, after?: string) => {
    const page = await maker.runs.list({ status, limit: 1, ...(after !== undefined && { after }) })
    return [page.data.map(({ id }) => id).join(), page.hasMore, page.nextCursor]
  }
  assert.equal(await listed('cancelling'), [d, true, d])
  assert.equal(await listed('cancelling', d), [b, false, undefined])
  assert.equal(
    (await maker.runs.list({ status: 'queued' })).data.map(({ id }) => id),
    [c, a],
  )
  const hangs = tiny({ execute: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)) })
  const gone = await start([hangs, other], { store, claims: 'own', drainMs: 0 })
  const { id: begun } = await gone.runs.create({ task: 'e', model: 'other/some' })
  await until(async () => (await gone.runs.get(begun)).status === 'running')
  await gone.close()
  await maker.runs.cancel(begun)
  await maker.close()
  const worker = await start([tiny()], { store })
  for (const id of [b, d, begun]) {
    await ended(worker, id)
    assert.is((await worker.runs.get(id)).status, 'cancelled')
  }
  await worker.close()
})

test('a wait for a run that was never begun ends with the word that the runtime was closed', async () => {
  const act = tiny({ execute: async (run) => new Promise((_, reject) => run.signal.addEventListener('abort', reject)) })
  const runtime = await start([act, model()], { config: { server: { limits: { runningRuns: 1 } } }, drainMs: 10 })
  const runs = await Promise.all(['a', 'b', 'c'].map((task) => runtime.runs.create({ task })))
  const waits = runs.map(({ id }) => codeOf(runtime.runs.wait(id)))
  const read = async (id: string): Promise<void> => {
    for await (const _event of runtime.runs.events(id));
  }
  const reads = runs.map(({ id }) => codeOf(read(id)))
  await runtime.close()
  assert.equal(await Promise.all([...waits, ...reads]), Array(6).fill('shutting_down'))
  assert.is(await codeOf(runtime.runs.wait(runs[2]?.id ?? '')), 'shutting_down')
})

test('models that a provider could not name at first are asked for again', async () => {
  let asked = 0
  const provider = {
    ...scriptedProvider('scripted', () => 'x'),
    defaultModel: 'm',
    models: async () => {
      if (++asked === 1) throw new Error('not now')
      return [{ id: 'm', price: { input: 1, output: 1 } }]
    },
  }
  const plugin = definePlugin('model', ({ providers }) => providers.add('scripted', provider))()
  const runtime = await start([tiny(), plugin])
  const create = () => runtime.runs.create({ task: 'x', budget: { maxCostUsd: 1 } })
  assert.is(await codeOf(create()), 'validation_failed')
  const { id } = await create()
  await ended(runtime, id)
  assert.is(asked, 2)
  await ended(runtime, (await create()).id)
  assert.is(asked, 2, 'what was learnt is kept')
})

test('a key whose run was never written makes a new run', async () => {
  const { store, faults } = faultyStore(createMemoryStore())
  const runtime = await start([tiny(), model()], { store })
  faults.failing.set('create', new Error('cut off'))
  assert.ok((await codeOf(runtime.runs.create({ task: 'x' }, { idempotencyKey: 'k' }))) !== 'nothing thrown')
  faults.failing.clear()
  const { id } = await runtime.runs.create({ task: 'x' }, { idempotencyKey: 'k' })
  await ended(runtime, id)
  assert.is((await runtime.runs.create({ task: 'x' }, { idempotencyKey: 'k' })).id, id)
})

test('a run sees what was said before it in its thread: not itself, not the run that it resumes', async () => {
  const said: string[][] = []
  let fails = false
  const act = tiny({
    execute: async (run, task) => {
      said.push(run.thread.map(({ content }) => content))
      return fails ? { ...execution(''), status: 'incomplete', reason: 'limit' } : execution(`answer to ${task}`)
    },
  })
  const runtime = await start([act, model()])
  const thread = await runtime.threads.create()
  const run = async (task: string): Promise<string> => {
    const { id } = await runtime.runs.create({ task, threadId: thread.id })
    await ended(runtime, id)
    return id
  }
  await run('one')
  fails = true
  const two = await run('two')
  const three = await runtime.runs.resume(two)
  await ended(runtime, three.id)
  await ended(runtime, (await runtime.runs.resume(three.id)).id)
  const one = ['one', 'answer to one']
  assert.equal(said, [[], one, one, one])
})

test('a run that was queued behind another of its thread sees the answer of that one', async () => {
  let release: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const said: string[][] = []
  const act = tiny({
    execute: async (run, task) => {
      said.push(run.thread.map(({ content }) => content))
      if (task === 'one') await held
      return execution(`answer to ${task}`)
    },
  })
  const runtime = await start([act, model()])
  const thread = await runtime.threads.create()
  const one = await runtime.runs.create({ task: 'one', threadId: thread.id })
  const two = await runtime.runs.create({ task: 'two', threadId: thread.id })
  await until(() => said.length === 1)
  assert.is((await runtime.runs.get(two.id)).status, 'queued')
  release()
  await ended(runtime, one.id)
  await ended(runtime, two.id)
  assert.equal(said[1], ['one', 'answer to one'])
})

test('everything a task says reaches the analysis', async () => {
  const seen: unknown[] = []
  const watching = definePlugin('watching', ({ hooks }) => {
    hooks.analyze.tap({ name: 'watching', stage: -1 }, (_, { task }) => {
      seen.push(task)
      return undefined
    })
  })()
  const runtime = await start([watching, tiny(), model()])
  const task = {
    id: 'mine',
    description: 'x',
    riskLevel: 'high' as const,
    tools: ['a'],
    domain: 'law',
    contextTokens: 7,
  }
  const complexity = await runtime.analyze(task)
  assert.is(complexity.taskId, 'mine')
  assert.equal({ ...(seen[0] as object), id: 'mine' }, task)
})

test.run()
