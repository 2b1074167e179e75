/** How long a run waits, works and is tried again: priorities, queue times, deadlines over recoveries, and giving up. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { EmbeddedRuntime, RunEvent, Runtime, Store } from '../src/index.ts'
import { createMemoryStore, textMessage, toText } from '../src/index.ts'
import type { Script } from '../src/testing/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { exported, signed } from './fixtures/run-files.ts'
import { codeOf, ended, expire, model, pause, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('the life of a run')

const ask = (key: string) => ({ key, agentId: 'agent-1', model: '', messages: [], stream: false })
const one = { server: { limits: { runningRuns: 1 } } }

/** Works until it is released, then ends at once. */
function gate() {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const begun: string[] = []
  const plugin = tiny({
    execute: async (_, task) => {
      begun.push(task)
      await opened
      return execution('done')
    },
  })
  return { plugin, begun, open: () => open() }
}

test('of the runs that wait the one of the highest priority begins first, of equal ones the oldest', async () => {
  const { plugin, begun, open } = gate()
  const runtime = await start([plugin, model()], { config: one })
  await runtime.runs.create({ task: 'at work' })
  await until(() => begun.length === 1)
  const tasks: [string, number?][] = [['a'], ['low', -100], ['high', 5], ['b'], ['highest', 100], ['high too', 5]]
  for (const [task, priority] of tasks)
    await runtime.runs.create(priority === undefined ? { task } : { task, priority })
  open()
  await until(async () => (await runtime.runs.list({ status: 'completed' })).data.length === 7)
  assert.equal(begun, ['at work', 'highest', 'high', 'high too', 'a', 'b', 'low'])
  for (const priority of [101, -101, 0.5]) {
    assert.is(await codeOf(runtime.runs.create({ task: 'x', priority })), 'validation_failed')
  }
  await runtime.close()
})

const failure = async (runtime: Runtime, id: string): Promise<string | undefined> =>
  (await runtime.runs.get(id)).error?.code

test('a run that has waited for too long fails without having begun, be it for a place or for its turn in a thread', async () => {
  const { plugin, begun, open } = gate()
  const runtime = await start([plugin, model()], { config: one })
  const { id: threadId } = await runtime.threads.create({})
  await runtime.runs.create({ task: 'at work', threadId })
  await until(() => begun.length === 1)
  const late = await runtime.runs.create({ task: 'waits for a place', budget: { maxQueueMs: 30 } })
  const behind = await runtime.runs.create({ task: 'waits for its turn', threadId, budget: { maxQueueMs: 30 } })
  const patient = await runtime.runs.create({ task: 'patient', budget: { maxQueueMs: 600_000 } })
  for (const { id } of [late, behind]) {
    const { status, error, startedAt } = await runtime.runs.wait(id)
    assert.is(status, 'failed')
    assert.is(error?.code, 'queue_timeout')
    assert.is(startedAt, undefined)
    const types: string[] = []
    for await (const { type } of runtime.runs.events(id)) types.push(type)
    assert.equal(types, ['run.created', 'run.queued', 'run.failed'])
  }
  assert.equal(begun, ['at work'])
  open()
  assert.is((await runtime.runs.wait(patient.id)).status, 'completed')
  await runtime.close()
})

test('a run that waited while every worker was away fails when one is there again', async () => {
  const store = createMemoryStore()
  let now = Date.now()
  const clock = (): number => now
  const asker = await start([tiny(), model()], {
    store,
    clock,
    claims: 'none',
    config: { budget: { maxQueueMs: 60_000 } },
  })
  const { id } = await asker.runs.create({ task: 'x' })
  now += 60_001
  assert.is((await asker.runs.get(id)).status, 'queued')
  const worker = await start([tiny(), model()], { store, clock })
  await ended(worker, id)
  assert.is(await failure(worker, id), 'queue_timeout')
  await Promise.all([asker.close(), worker.close()])
})

test('a busy worker ends the wait of a run whose maker is gone', async () => {
  const store = createMemoryStore()
  const { plugin, begun, open } = gate()
  const worker = await start([plugin, model()], { store, config: one, leaseMs: 60 })
  await worker.runs.create({ task: 'at work' })
  await until(() => begun.length === 1)
  const asker = await start([tiny(), model()], { store, claims: 'none' })
  const { id } = await asker.runs.create({ task: 'x', budget: { maxQueueMs: 20 } })
  await asker.close()
  await ended(worker, id)
  assert.is(await failure(worker, id), 'queue_timeout')
  open()
  await worker.close()
})

/** A process that is gone leaves its run as it was. */
async function inOneLife(
  store: Store,
  plugins: Parameters<typeof start>[0],
  id: string | undefined,
  isOver: (id: string) => boolean | Promise<boolean>,
  clock: () => number = Date.now,
): Promise<string> {
  const { store: mortal, faults } = faultyStore(store)
  const runtime = await start(plugins, { store: mortal, leaseMs: 600_000, clock })
  const run = id ?? (await runtime.runs.create({ task: 'x', budget: { maxWallMs: MAX_WALL_MS }, approval: 'wait' })).id
  await until(() => isOver(run))
  faults.die()
  await expire(store, run)
  return run
}

/** Of the clock that the tests move. The machine's own takes a fraction of it; a process that "died" stays as long. */
const MAX_WALL_MS = 20_000
const HOURS = 36_000_000

/** A run of three answers, the first two of which took so long each, in lives of their own that are hours apart. */
async function inThirdLife(lifeMs: number, answersInAll: number) {
  let now = Date.now()
  const clock = (): number => now
  const store = createMemoryStore({ clock })
  let answers = 0
  let most = 0
  const act = tiny({
    execute: async (run) => {
      for (let n = 1; n <= 3; n++) await run.model(ask(`m${n}`))
      return execution('done')
    },
  })
  const slow = model(async () => {
    if (answers === most) return new Promise(() => {})
    if (most === 3) await pause(50) // a limit that was passed already ends the run before
    now += lifeMs
    return `answer ${++answers}`
  })
  let id: string | undefined
  for (most = 1; most <= 2; most++) {
    const isRecorded = async (run: string): Promise<boolean> =>
      (await store.events.list(run)).filter(({ type }) => type === 'model.completed').length === most
    id = await inOneLife(store, [act, slow], id, isRecorded, clock)
    now += HOURS
  }
  most = answersInAll
  const runtime = await start([act, slow], { store, clock })
  await ended(runtime, id ?? '')
  const { status, incomplete } = await runtime.runs.get(id ?? '')
  await runtime.close()
  return [status, incomplete?.reason]
}

test('the time between the lives of a run does not count as its work', async () => {
  assert.equal(await inThirdLife(MAX_WALL_MS * 0.2, 3), ['completed', undefined])
})

test('the time of a run at work counts over its recoveries', async () => {
  assert.equal(await inThirdLife(MAX_WALL_MS * 0.6, 2), ['incomplete', 'run_timeout'])
})

test('the time in which a run waits for a person does not count, also after a recovery', async () => {
  let now = Date.now()
  const clock = (): number => now
  const store = createMemoryStore({ clock })
  const write = tool('write', async () => 'written', { risk: 'write' })
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'write', args: {} })
      await run.tool({ key: 'u', agentId: 'agent-1', callId: 'd', tool: 'write', args: {} })
      return execution('done')
    },
  })
  const plugins = [toolbox(write), act, model()]
  let id: string | undefined
  for (let life = 1; life <= 2; life++) {
    const isWaiting = async (run: string): Promise<boolean> =>
      (await store.events.list(run)).filter(({ type }) => type === 'run.waiting').length === life
    id = await inOneLife(store, plugins, id, isWaiting, clock)
    const answering = await start(plugins, { store: faultyStore(store).store, clock, claims: 'none' })
    now += HOURS
    const [asked] = (await answering.approvals.list({ status: 'pending' })).data
    await answering.approvals.resolve(asked?.id ?? '', { decision: 'approve' })
    await answering.close()
  }
  const runtime = await start(plugins, { store, clock })
  await ended(runtime, id ?? '')
  assert.is((await runtime.runs.get(id ?? '')).status, 'completed')
  await runtime.close()
})

test('a question stands in the log once, however often its run is recovered, and those who listen hear it each time', async () => {
  const store = createMemoryStore()
  const write = tool('write', async () => 'written', { risk: 'write' })
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'write', args: {} })
      await run.ask({ kind: 'input', prompt: 'which one?' })
      return execution('done')
    },
  })
  const plugins = [toolbox(write), act, model()]
  const isWaiting = async (run: string): Promise<boolean> => (await store.runs.get(run))?.status === 'waiting'
  const id = await inOneLife(store, plugins, undefined, isWaiting)
  const heard: string[] = []
  const listen = async (): Promise<Runtime> => {
    heard.splice(0)
    const runtime = await start(plugins, { store: faultyStore(store).store, leaseMs: 600_000, drainMs: 1 })
    runtime.onEvent(({ type }) => heard.push(type))
    await until(() => heard.includes('run.waiting'))
    return runtime
  }
  const countOf = async (type: RunEvent['type']): Promise<number> =>
    (await store.events.list(id)).filter((event) => event.type === type).length
  for (let life = 2; life <= 4; life++) {
    const runtime = await listen()
    assert.ok(heard.includes('approval.requested'))
    assert.equal([await countOf('approval.requested'), await countOf('run.waiting')], [1, 1])
    assert.is((await runtime.approvals.list({ status: 'pending' })).data.length, 1)
    assert.is((await runtime.runs.get(id)).waiting?.approvals?.length, 1, 'who waits for it sees what it waits for')
    await runtime.close()
  }
  const answering = await listen()
  const [asked] = (await answering.approvals.list({ status: 'pending' })).data
  await answering.approvals.resolve(asked?.id ?? '', { decision: 'approve' })
  await until(async () => (await answering.runs.get(id)).waiting?.input !== undefined)
  await answering.close()
  const last = await listen()
  assert.equal(
    [await countOf('approval.requested'), await countOf('approval.resolved'), await countOf('run.waiting')],
    [1, 1, 2],
  )
  assert.is((await last.runs.get(id)).waiting?.input?.prompt, 'which one?')
  await last.runs.resume(id, { input: 'this one' })
  await ended(last, id)
  assert.is((await last.runs.get(id)).status, 'completed')
  const seqs = (await store.events.list(id)).map(({ seq }) => seq)
  assert.equal(
    seqs,
    seqs.map((_, index) => index + 1),
  )
  await last.close()
})

/** Lives of a run, each of which ends when the plugin says so; answers how many there were before it ended by itself. */
async function livesOf(
  store: Store,
  dies: (life: number, die: () => void) => Parameters<typeof start>[0],
  most: number,
) {
  let id: string | undefined
  for (let life = 1; life <= most; life++) {
    const { store: mortal, faults } = faultyStore(store)
    let isDead = false
    const die = (): void => {
      isDead = true
      faults.die()
    }
    const runtime = await start(dies(life, die), { store: mortal, leaseMs: 600_000 })
    id ??= (await runtime.runs.create({ task: 'x' })).id
    const run = id
    let row = await store.runs.get(run)
    await until(async () => {
      row = await store.runs.get(run)
      return isDead || row?.finishedAt !== undefined || row?.waiting !== undefined
    })
    if (row?.finishedAt !== undefined || row?.waiting !== undefined) {
      return { lives: life, status: row.status, id: run, runtime }
    }
    await expire(store, run)
  }
  throw new Error(`unfinished after ${most} lives`)
}

test('a run that ends its process in a step each time waits for a person after five recoveries', async () => {
  let done = 0
  const act = tiny({
    execute: async (run) => {
      for (const key of ['m1', 'm2']) await run.model(ask(key))
      return execution('done')
    },
  })
  const store = createMemoryStore()
  const plugins = (_: number, die: () => void) => [
    act,
    model(() => {
      if (++done > 1 && done < 8) die()
      return 'an answer'
    }),
  ]
  const { lives, status, id, runtime } = await livesOf(store, plugins, 50)
  assert.equal([lives, status, done], [6, 'waiting', 6], 'five tries of the second step')
  const waits = (await store.events.list(id)).findLast(({ type }) => type === 'run.waiting')
  assert.is(waits?.type === 'run.waiting' && waits.data.reason, 'run_poisoned')

  // Who takes it up while it waits asks again, and does nothing before it is answered.
  await runtime.close()
  const next = await start(
    plugins(0, () => {}),
    { store },
  )
  await until(async () => (await next.runs.get(id)).status === 'waiting')
  await pause(20)
  assert.is(done, 6)
  await next.runs.resume(id, { input: 'go on' })
  await ended(next, id)
  const row = await store.runs.get(id)
  assert.equal([row?.status, row?.recoveries], ['completed', 0])
  await next.close()
})

test('a person may end a run that ends its process, and answers nothing else', async () => {
  const act = tiny({ execute: async (run) => execution((await run.model(ask('m1'))).text) })
  const { id, runtime } = await livesOf(
    createMemoryStore(),
    (_, die) => [
      act,
      model(() => {
        die()
        return 'x'
      }),
    ],
    50,
  )
  assert.is(await codeOf(runtime.runs.resume(id, { input: 'perhaps' })), 'validation_failed')
  await runtime.runs.resume(id, { input: 'cancel' })
  await ended(runtime, id)
  assert.is((await runtime.runs.get(id)).status, 'cancelled')
  await runtime.close()
})

test('a run whose process lives and loses its lease again and again, as on a slow machine, is not suspected', async () => {
  const { store, faults } = faultyStore(createMemoryStore())
  let asked = 0
  const script: Script = () => {
    faults.failing.set('renew', new Error('the database takes too long'))
    if (++asked <= 8) return new Promise(() => {})
    faults.failing.clear()
    return 'an answer'
  }
  const act = tiny({ execute: async (run) => execution((await run.model(ask('m1'))).text) })
  const runtime = await start([act, model(script)], { store, leaseMs: 60 })
  const { id } = await runtime.runs.create({ task: 'x' })
  const isOver = async (): Promise<boolean> => {
    const row = await store.runs.get(id)
    return row?.finishedAt !== undefined || row?.waiting !== undefined
  }
  await until(isOver)
  assert.equal([(await store.runs.get(id))?.status, asked], ['completed', 9])
  await runtime.close()
})

test('eight runs beside one that ends its process are completed, and it alone waits for a person', async () => {
  const store = createMemoryStore()
  const ids: string[] = []
  const act = tiny({
    execute: async (run, task) => {
      for (const key of ['m1', 'm2', 'm3']) {
        await run.model({ ...ask(key), messages: [textMessage('user', task)] })
        await pause(5)
      }
      return execution('done')
    },
  })
  let lives = 0
  for (let isOver = false; !isOver && lives < 100; lives++) {
    const { store: mortal, faults } = faultyStore(store)
    let isDead = false
    const script: Script = async ({ messages }) => {
      if (toText(messages[0]?.content ?? []) === 'ends its process') {
        isDead = true
        faults.die()
      }
      await pause(20)
      return isDead ? new Promise(() => {}) : 'an answer'
    }
    const runtime = await start([act, model(script)], { store: mortal, leaseMs: 600_000 })
    if (lives === 0) {
      for (let index = 0; index < 9; index++) {
        ids.push((await runtime.runs.create({ task: index === 4 ? 'ends its process' : `task ${index}` })).id)
      }
    }
    const statuses = () => Promise.all(ids.map(async (id) => (await store.runs.get(id))?.status))
    const isDone = async (): Promise<boolean> =>
      (await statuses()).every((status) => status === 'completed' || status === 'waiting')
    await until(async () => isDead || (await isDone()))
    isOver = await isDone()
    if (isOver) await runtime.close()
    else for (const id of ids) await expire(store, id)
  }
  const rows = await Promise.all(ids.map((id) => store.runs.get(id)))
  assert.equal(
    rows.map((row) => row?.status),
    ids.map((_, index) => (index === 4 ? 'waiting' : 'completed')),
  )
})

test('a run whose process is stopped twenty times before it has begun anything is not given up', async () => {
  let done = 0
  const script = () => `answer ${++done}`
  const store = createMemoryStore()
  const act = (life: number, die: () => void) =>
    tiny({
      execute: async (run) => {
        await run.model(ask('m1'))
        if (life <= 21) {
          await until(async () => (await store.steps(run.id)).some(({ state }) => state === 'done'))
          die()
          return new Promise(() => {})
        }
        await run.model(ask('m2'))
        return execution('done')
      },
    })
  const outcome = await livesOf(store, (life, die) => [act(life, die), model(script)], 50)
  assert.equal([outcome.lives, outcome.status], [22, 'completed'])
  assert.is(done, 2)
})

test('a run that ends its process each time before it has begun anything waits for a person as well', async () => {
  const act = (die: () => void) =>
    tiny({
      execute: () => {
        die()
        return new Promise(() => {})
      },
    })
  const outcome = await livesOf(createMemoryStore(), (_, die) => [act(die), model()], 50)
  assert.equal([outcome.lives, outcome.status], [31, 'waiting'])
})

test('the last event of a run is its end, whatever a plugin says when it hears of it, so that its file is taken in', async () => {
  const talkative = tiny({
    execute: async (run) => {
      run.onEvent(({ type }) => {
        if (type === 'run.completed')
          run.emit('agent.message', { from: 'agent-1', to: [], role: 'worker', content: 'too late', trust: 'trusted' })
      })
      return execution('done')
    },
  })
  const runtime = (await start([talkative, model()])) as EmbeddedRuntime
  const { id } = await runtime.runs.create({ task: 'x' })
  await ended(runtime, id)
  const lines = await exported(runtime, id)
  assert.not.ok(lines.some((line) => JSON.stringify(line).includes('too late')))
  await runtime.runs.delete(id)
  assert.is((await runtime.runs.import(signed(lines))).status, 'completed')
  await runtime.close()
})

test('runs that have ended leave no timers behind, however late the process comes to fire them', async () => {
  const runtime = await start([tiny({ execute: async () => execution('done') }), model()])
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  for (let count = 0; count < 50; count++) {
    const { id } = await runtime.runs.create({ task: 'x' })
    await runtime.runs.wait(id)
  }
  assert.ok(timers() < before + 10, `${timers()} timers, ${before} before`)
  await runtime.close()
})

test.run()
