/** What a runtime does over a store that takes its time: nothing is lost, done twice, or said in another order. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Commit, createMemoryStore, type Lease, type RunEvent, RunView, textMessage } from '../src/index.ts'
import { createClaimedStore } from './fixtures/claimed-store.ts'
import { codeOf, ended, model, pause, settled, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { gate, slowStore } from './fixtures/slow-store.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('a slow store')

// What hangs is to fail by its test, not by a process that has nothing left to do.
const alive = setInterval(() => {}, 1_000)
test.after(() => clearInterval(alive))

/** Longer than any test takes: what waits for a renewal to be noticed fails. */
const leaseMs = 600_000

/** Asks the model once. */
const asking = tiny({
  execute: async (run) => {
    const messages = [textMessage('user', 'x')]
    const { text } = await run.model({ key: 'm', agentId: 'agent-1', model: '', messages, stream: true })
    return execution(text)
  },
})

/** Calls a tool that needs an approval. */
function writing() {
  const written: unknown[] = []
  const write = tool('write', async (args) => written.push(args), { risk: 'write' })
  const act = tiny({
    execute: async (run) => {
      const { error } = await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'write', args: {} })
      return execution(error?.code ?? 'written')
    },
  })
  return { written, plugins: [toolbox(write), act, model()] }
}

test('a run that is made while others are being claimed is claimed as soon as they are', async () => {
  const first = gate()
  let claims = 0
  const store = slowStore(createMemoryStore(), {
    after: (path) => (path === 'claim' && ++claims === 1 ? first.opened : undefined),
  })
  const runtime = await start([asking, model()], { store, leaseMs })
  await until(() => claims === 1)
  const { id } = await runtime.runs.create({ task: 'x' })
  await settled()
  first.open()
  assert.is((await runtime.runs.wait(id)).status, 'completed')
  await runtime.close()
})

test('a run that is claimed while the runtime closes is given back, and not begun', async () => {
  const memory = createClaimedStore()
  const claiming = gate()
  let isClaimed = false
  const store = slowStore(memory, {
    after: async (path, _args, answer) => {
      if (path !== 'claim' || (answer as unknown[]).length === 0) return
      isClaimed = true
      await claiming.opened
    },
  })
  const runtime = await start([asking, model()], { store, leaseMs })
  const { id } = await runtime.runs.create({ task: 'x' })
  await until(() => isClaimed)
  const closed = runtime.close()
  await settled()
  claiming.open()
  await closed
  assert.is((await memory.claim('another', { limit: 1, ttlMs: 1 })).length, 1)
  await settled()
  assert.is((await memory.events.list(id)).length, 1, 'the run was not begun')
})

test('a run that is released while it is being prepared is not worked on', async () => {
  const memory = createClaimedStore()
  const preparing = gate()
  let isPreparing = false
  const store = slowStore(memory, {
    before: (path) => {
      if (path !== 'events.list') return undefined
      isPreparing = true
      return preparing.opened
    },
  })
  const runtime = await start([asking, model()], { store, leaseMs, drainMs: 1 })
  const { id } = await runtime.runs.create({ task: 'x' })
  await until(() => isPreparing)
  await runtime.close()
  preparing.open()
  await settled()
  assert.is((await memory.events.list(id)).length, 1, 'the run was not begun')
})

test('a run whose end is being written while the runtime closes is not released', async () => {
  const memory = createMemoryStore()
  const ending = gate()
  let isEnding = false
  const store = slowStore(memory, {
    before: (path, [, write]) => {
      const { run } = (path === 'commit' ? write : {}) as Parameters<typeof memory.commit>[1]
      if (run?.finishedAt === undefined) return undefined
      isEnding = true
      return ending.opened
    },
  })
  const runtime = await start([asking, model()], { store, leaseMs, drainMs: 1 })
  const { id } = await runtime.runs.create({ task: 'x' })
  await until(() => isEnding)
  const closed = runtime.close()
  setTimeout(ending.open, 20)
  await closed
  await settled()
  const row = await memory.runs.get(id)
  assert.equal([row?.status, row?.released], ['completed', undefined])
})

test('a run that is cancelled before it starts asks no model', async () => {
  const memory = createMemoryStore()
  const reading = gate()
  const store = slowStore(memory, { before: (path) => (path === 'commands' ? settled() : undefined) })
  let calls = 0
  const act = tiny({
    execute: async (run) => {
      if (run.options.tags?.includes('first')) return reading.opened.then(() => execution('first'))
      const messages = [textMessage('user', 'x')]
      await run.model({ key: 'm', agentId: 'agent-1', model: '', messages, stream: false })
      return execution('second')
    },
  })
  const limits = { server: { limits: { runningRuns: 1 } } }
  const runtime = await start([act, model(() => `answer ${++calls}`)], { store, leaseMs, config: limits })
  const first = await runtime.runs.create({ task: 'x', tags: ['first'] })
  await until(async () => (await runtime.runs.get(first.id)).status === 'running')
  const second = await runtime.runs.create({ task: 'y' })
  await runtime.runs.cancel(second.id)
  await ended(runtime, second.id)
  assert.is((await runtime.runs.get(second.id)).status, 'cancelled')
  assert.is(calls, 0)
  reading.open()
  await runtime.close()
})

test('a run whose requests cannot be read does not fail: it goes on when its lease has run out', async () => {
  let reads = 0
  const store = slowStore(createMemoryStore(), {
    before: async (path) => {
      if (path === 'commands' && ++reads === 1) throw new Error('the network is down')
    },
  })
  const runtime = await start([asking, model()], { store, leaseMs: 60 })
  const { id } = await runtime.runs.create({ task: 'x' })
  await until(async () => (await store.runs.get(id))?.finishedAt !== undefined)
  assert.is((await store.runs.get(id))?.status, 'completed')
  await runtime.close()
})

test('of two answers to one question the first counts, and the other one is refused', async () => {
  const memory = createMemoryStore()
  const answering = gate()
  let answers = 0
  const store = slowStore(memory, {
    before: (path) => (path === 'command' && ++answers > 0 ? answering.opened : undefined),
  })
  const { written, plugins } = writing()
  const runtime = await start(plugins, { store, leaseMs })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  const waiting = await runtime.runs.wait(id)
  const approvalId = waiting.waiting?.approvals?.[0]?.id ?? ''
  const first = runtime.approvals.resolve(approvalId, { decision: 'approve' })
  const second = codeOf(runtime.approvals.resolve(approvalId, { decision: 'deny' }))
  await until(() => answers === 2)
  answering.open()
  assert.is((await first).status, 'approved')
  assert.is(await second, 'approval_closed')
  await ended(runtime, id)
  assert.is(written.length, 1)
  assert.is((await runtime.approvals.get(approvalId)).status, 'approved')
  await runtime.close()
})

test('a run whose question is answered does not wait any more, also before its holder has noticed', async () => {
  const memory = createMemoryStore()
  const noticing = gate()
  let isAnswered = false
  const store = slowStore(memory, { before: (path) => (isAnswered && path === 'commit' ? noticing.opened : undefined) })
  const { plugins } = writing()
  const runtime = await start(plugins, { store, leaseMs })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  const { waiting } = await runtime.runs.wait(id)
  isAnswered = true
  await runtime.approvals.resolve(waiting?.approvals?.[0]?.id ?? '', { decision: 'approve' })
  assert.is((await runtime.runs.get(id)).status, 'running')
  assert.is((await runtime.runs.get(id)).waiting, undefined)
  const over = runtime.runs.wait(id)
  noticing.open()
  assert.is((await over).status, 'completed')
  await runtime.close()
})

test('a tool is not called when its run is cancelled while it is recorded that the call begins', async () => {
  const recording = gate()
  let isRecording = false
  const store = slowStore(createMemoryStore(), {
    after: (path, [, write]) => {
      const { steps = [] } = path === 'commit' ? (write as Commit) : {}
      if (!steps.some(({ key, state }) => key === 't' && state === 'begun')) return undefined
      isRecording = true
      return recording.opened
    },
  })
  const { written, plugins } = writing()
  const runtime = await start(plugins, { store, leaseMs })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'allow-write' })
  await until(() => isRecording)
  await runtime.runs.cancel(id)
  await settled()
  recording.open()
  assert.is((await runtime.runs.wait(id)).status, 'cancelled')
  await settled()
  assert.equal(written, [])
  const types = (await store.events.list(id)).map(({ type }) => type)
  assert.not(types.includes('tool.started'), types.join())
  await runtime.close()
})

test('no model is asked before what its call rests on is durable, also where that is being written already', async () => {
  const memory = createMemoryStore()
  const writing = gate()
  let isWriting = false
  const store = slowStore(memory, {
    before: (path, [, write]) => {
      const { steps = [] } = path === 'commit' ? (write as Commit) : {}
      if (!steps.some(({ key, state }) => key === 'm1' && state === 'done')) return undefined
      isWriting = true
      return writing.opened
    },
  })
  const asked: string[] = []
  const act = tiny({
    execute: async (run) => {
      const ask = (key: string) =>
        run.model({ key, agentId: 'agent-1', model: '', messages: [textMessage('user', key)], stream: false })
      await ask('m1')
      // Nobody waits for the answer to be written: it leaves by itself.
      await until(() => isWriting)
      await ask('m2')
      return execution('done')
    },
  })
  const answering = model((request) => {
    asked.push(JSON.stringify(request.messages.at(-1)?.content))
    return 'well'
  })
  const runtime = await start([act, answering], { store, leaseMs })
  const { id } = await runtime.runs.create({ task: 'x' })
  await until(() => isWriting)
  await settled()
  assert.is(asked.length, 1)
  writing.open()
  assert.is((await runtime.runs.wait(id)).status, 'completed')
  assert.is(asked.length, 2)
  await runtime.close()
})

test('the pieces of an answer come between its start and its end, to every listener', async () => {
  const memory = createMemoryStore()
  const store = slowStore(memory, {
    before: (path) => (path === 'commit' ? settled() : undefined),
    after: (path) => (path === 'events.list' ? settled() : undefined),
  })
  const runtime = await start([asking, model(() => 'one two three four')], { store, leaseMs })
  const heard: RunEvent[] = []
  runtime.onEvent((event) => heard.push(event))
  const { id } = await runtime.runs.create({ task: 'x' })
  const streamed: RunEvent[] = []
  for await (const event of runtime.runs.events(id)) streamed.push(event)
  for (const events of [heard, streamed]) {
    const types = events.map(({ type }) => type)
    const pieces = types.flatMap((type, index) => (type === 'message.delta' ? [index] : []))
    assert.is(pieces.length, 4)
    assert.ok(types.indexOf('model.started') < (pieces[0] ?? 0), types.join())
    assert.ok(types.indexOf('model.completed') > (pieces.at(-1) ?? 0), types.join())
    assert.is(new RunView(events).modelCalls[0]?.text, 'one two three four')
  }
  await runtime.close()
})

test('a listener hears of a new run before it hears of its start, however late the store answers', async () => {
  const store = slowStore(createMemoryStore(), { after: (path) => (path === 'create' ? settled() : undefined) })
  const runtime = await start([asking, model()], { store, leaseMs })
  const heard: string[] = []
  runtime.onEvent(({ type }) => heard.push(type))
  const { id } = await runtime.runs.create({ task: 'x' })
  await ended(runtime, id)
  assert.equal(heard.slice(0, 2), ['run.created', 'run.started'])
  await runtime.close()
})

test('what a run puts is refused as long as its store fails, and nobody waits for it for ever', async () => {
  const refused: string[] = []
  let isBroken = false
  const store = slowStore(createMemoryStore(), {
    before: (path) => {
      if (path === 'commit' && isBroken) throw new Error('broken')
    },
  })
  const putting = tiny({
    execute: async (run) => {
      isBroken = true
      for (const id of ['one', 'two']) {
        const written = Promise.resolve(run.records('note', '').put(id, id))
        await written.catch((thrown: Error) => refused.push(`${id}: ${thrown.message}`))
      }
      return execution('put')
    },
  })
  const runtime = await start([putting, model()], { store, leaseMs })
  await runtime.runs.create({ task: 'x' })
  await until(() => refused.length === 2)
  assert.equal(refused, ['one: broken', 'two: broken'])
  await runtime.close()
})

test('what a run puts is kept, and said to be at risk, also where a store leaves records of its commits out', async () => {
  const memory = createMemoryStore()
  const commit = (lease: Lease, { records: _, ...write }: Commit) => memory.commit(lease, write)
  const leavingOut = new Proxy(memory, {
    get(target, name) {
      if (name === 'commit') return commit
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const said: string[] = []
  const hear = ({ message }: Error): unknown => said.push(message)
  process.on('warning', hear)
  const putting = tiny({
    execute: async (run) => {
      await run.records('note', '').put('one', 'kept')
      return execution('put')
    },
  })
  const runtime = await start([putting, model()], { store: leavingOut, leaseMs })
  const { id } = await runtime.runs.create({ task: 'x' })
  assert.is((await runtime.runs.wait(id)).status, 'completed')
  assert.is(await memory.records('note', '').get('one'), 'kept')
  await until(() =>
    said.some((message) => /^the store breaks its contract: its commits leave records out/.test(message)),
  )
  process.off('warning', hear)
  await runtime.close()
})

test('fifty runs at once all end, each with its own log, in order and without a gap', async () => {
  let turn = 0
  const wait = (): Promise<void> | undefined => (++turn % 3 === 0 ? pause(turn % 4) : undefined)
  const store = slowStore(createMemoryStore(), { before: wait, after: wait })
  const runtime = await start([asking, model(() => 'well')], { store, leaseMs })
  const live = new Map<string, (number | undefined)[]>()
  runtime.onEvent((event) => {
    if (event.seq !== undefined) live.set(event.runId, [...(live.get(event.runId) ?? []), event.seq])
  })
  const runs = await Promise.all(Array.from({ length: 50 }, (_, n) => runtime.runs.create({ task: `run ${n}` })))
  for (const { id } of runs) {
    assert.is((await runtime.runs.wait(id)).status, 'completed')
    const numbers = (await store.events.list(id)).map(({ seq }) => seq)
    assert.equal(
      numbers,
      numbers.map((_, index) => index + 1),
    )
    assert.equal(live.get(id), numbers)
  }
  await runtime.close()
})

test.run()
