import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ExecutionResult, Reflection, RunEvent, RunRow, Runtime, Store } from '../src/index.ts'
import { createMemoryStore, definePlugin, ProviderError } from '../src/index.ts'
import { createClaimedStore } from './fixtures/claimed-store.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { codeOf, ended, expire, model, start, summaryOf, tool, toolbox, until } from './fixtures/runtimes.ts'
import { complexity, execution, plan, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('recovery')

const revise = (): Reflection => ({
  verdict: 'revise',
  score: 0.5,
  confidence: 1,
  checks: [{ id: 'length', result: 'fail', critical: false, evidence: 'too short', by: 'rule' }],
  retry: { reason: 'too short', hint: 'say more', evidence: ['3 words'] },
  lessons: [],
  usage: { inputTokens: 0, outputTokens: 0, estimated: false },
})

const countOf = (events: readonly RunEvent[], type: string): number =>
  events.filter((event) => event.type === type).length

/** Until the outcome of a step is durable: an answer that has just come is not. */
const isRecorded = (store: Store, runId: string, key: string): Promise<void> =>
  until(async () => (await store.steps(runId)).some((step) => step.key === key && step.state === 'done'))

/** A run of so many model calls, cut off after some are recorded, and gone on with. */
async function cutOff(
  calls: number,
  after: number,
): Promise<{ store: Store; id: string; runtime: Runtime; made: number }> {
  const store = createMemoryStore()
  const mortal = faultyStore(store)
  let made = 0
  let isCut = after <= calls
  const act = tiny({
    execute: async (run) => {
      run.emit('agent.started', { objective: 'x', tokens: 1 }, { agentId: 'agent-1' })
      for (let n = 1; n <= calls; n++) {
        const request = { agentId: 'agent-1', model: '', messages: [], stream: false }
        await run.model({ key: `m${n}`, ...request })
        if (isCut && n === after) {
          await isRecorded(store, run.id, `m${n}`)
          isCut = false
          mortal.faults.die()
          return new Promise(() => {})
        }
      }
      return execution('done')
    },
  })
  const script = () => `answer ${++made}`
  const first = await start([act, model(script)], { store: mortal.store })
  const { id } = await first.runs.create({ task: 'x' })
  if (!isCut) {
    await ended(first, id)
    return { store, id, runtime: first, made }
  }
  await until(() => !isCut)
  await expire(store, id)
  const runtime = await start([act, model(script)], { store })
  await ended(runtime, id)
  return { store, id, runtime, made }
}

test('no event is lost or said twice in a run that was cut off, and no recorded call is made again', async () => {
  for (const after of [1, 3, 5]) {
    const { store, id, runtime, made } = await cutOff(6, after)
    const events = await store.events.list(id)
    assert.equal(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    )
    assert.is(made, 6)
    assert.is(countOf(events, 'model.completed'), 6)
    assert.is(countOf(events, 'budget.updated'), 6)
    assert.is(countOf(events, 'message.completed'), 6)
    assert.is(countOf(events, 'agent.started'), 1)
    for (const stage of ['analyze', 'allocate', 'plan', 'execute']) {
      assert.is(events.filter((event) => event.type === 'stage.started' && event.stage === stage).length, 1, stage)
    }
    assert.is(countOf(events, 'run.recovered'), 1)
    const { usage } = (await runtime.runs.result(id)) as ExecutionResult
    assert.is(usage.modelCalls, 6)
    await runtime.close()
  }
})

test('a run that parts from its records under another config or version is left to who fits, and then asks a person', async () => {
  const goOn = async (
    second: Parameters<typeof start>[1],
    objective: string,
    answer = '',
  ): Promise<[string | undefined, number]> => {
    const store = createMemoryStore()
    const mortal = faultyStore(store)
    let made = 0
    let isCut = true
    const act = (says: string) =>
      tiny({
        execute: async (run) => {
          for (const profile of run.agents) run.emit('agent.created', profile, { agentId: 'agent-1' })
          run.emit('agent.started', { objective: says, tokens: run.budget.remaining() }, { agentId: 'agent-1' })
          for (const key of ['m1', 'm2']) {
            try {
              await run.model({ key, agentId: 'agent-1', model: '', messages: [], stream: false })
            } catch {
              // As the work of agents ends, whatever it was that stopped them.
              const error = { code: 'run_failed' as const, message: 'stopped', retryable: false }
              run.emit('agent.failed', { error, willRetry: false }, { agentId: 'agent-1' })
              return execution('', 'failed')
            }
            if (isCut) {
              await isRecorded(store, run.id, key)
              isCut = false
              mortal.faults.die()
              return new Promise(() => {})
            }
          }
          return execution('done')
        },
      })
    const script = () => `answer ${++made}`
    const agents = [{ id: 'clerk', name: 'Clerk' }]
    const first = await start([act('one'), model(script)], { store: mortal.store, agents })
    const { id } = await first.runs.create({ task: 'x' })
    await until(() => !isCut)
    await expire(store, id)
    const other = { store, leaseMs: 60, agents, ...second }
    let runtime = await start([act(objective), model(script)], other)
    if (answer !== '') {
      await until(async () => (await runtime.runs.get(id)).status === 'waiting')
      assert.is(made, 1, 'nothing is done before it is answered')
      assert.match((await runtime.runs.get(id)).waiting?.input?.prompt ?? '', /another config or svc.*agent\.started/)
      await runtime.close()
      // With what it was begun with it simply goes on.
      if (answer === 'the old config') runtime = await start([act('one'), model(script)], { store, agents })
      else {
        runtime = await start([act(objective), model(script)], other)
        await until(async () => (await runtime.runs.get(id)).status === 'waiting')
        await runtime.runs.resume(id, { input: answer })
      }
    }
    await ended(runtime, id)
    const { status, error } = await runtime.runs.get(id)
    await runtime.close()
    return [error?.code ?? status, made]
  }
  assert.equal(await goOn({}, 'one'), ['completed', 2])
  assert.equal(await goOn({ config: { tokenBudget: 50_000 } }, 'one'), ['completed', 2])
  assert.equal(await goOn({ config: { tokenBudget: 50_000 } }, 'two', 'go on'), ['completed', 2])
  assert.equal(await goOn({ version: '9.9.9' }, 'two', 'go on'), ['completed', 2])
  assert.equal(await goOn({ config: { tokenBudget: 50_000 } }, 'two', 'cancel'), ['cancelled', 1])
  assert.equal(await goOn({ config: { tokenBudget: 50_000 } }, 'two', 'the old config'), ['completed', 2])
  assert.equal(await goOn({}, 'two'), ['completed', 2], 'the same config: a plugin may word things anew')
})

test('what stages have answered stands in a recovery, whatever plugins and config say by then', async () => {
  const store = createMemoryStore()
  const mortal = faultyStore(store)
  let isCut = false
  const planned = (objective: string) =>
    definePlugin('planner', ({ hooks }) => {
      hooks.plan.tap({ name: 'planner', stage: 1 }, (answer) => ({
        ...(answer ?? plan()),
        steps: (answer ?? plan()).steps.map((step) => ({ ...step, objective })),
      }))
    })()
  const act = tiny({
    execute: async (run) => {
      await run.model({ key: 'm1', agentId: 'agent-1', model: '', messages: [], stream: false })
      if (!isCut) {
        isCut = true
        mortal.faults.die()
        return new Promise(() => {})
      }
      return execution(run.view.plan?.steps[0]?.objective ?? 'no plan')
    },
  })
  const gone = definePlugin('gone', ({ hooks }) =>
    hooks.analyze.tap({ name: 'gone', stage: -1 }, (_, { task }) => complexity(task.id)),
  )()
  const first = await start([gone, act, planned('as it was'), model()], { store: mortal.store })
  const { id } = await first.runs.create({ task: 'x' })
  await until(() => isCut)
  await expire(store, id)
  const changed = { store, config: { tokenBudget: 9_000 }, version: '9.9.9' }
  const runtime = await start([act, planned('another'), model(), toolbox(tool('new', async () => 'x'))], changed)
  await ended(runtime, id)
  assert.is((await runtime.runs.get(id)).status, 'completed')
  assert.is(await summaryOf(runtime, id), 'as it was')
  const events = await store.events.list(id)
  for (const type of ['analysis.completed', 'budget.allocated', 'plan.created'])
    assert.is(countOf(events, type), 1, type)
  assert.not(events.some((event) => event.type === 'stage.completed' && event.data.inherited))
  await runtime.close()
})

test('what agents have read in a stage that is not asked again taints their later calls', async () => {
  const store = createMemoryStore()
  const mortal = faultyStore(store)
  let isCut = false
  const look = (id: string) => ({ key: id, callId: id, agentId: 'agent-1', tool: 'look', args: {} })
  const act = tiny({
    execute: async (run) => {
      if (run.attempt === 1) await run.tool(look('call-1'))
      else if (isCut) await run.tool(look('call-2'))
      else {
        isCut = true
        mortal.faults.die()
        return new Promise(() => {})
      }
      return execution('done')
    },
  })
  const again = definePlugin('again', ({ hooks }) => {
    hooks.reflect.tap('again', (_answer, _input, run) => (run.attempt === 1 ? revise() : undefined))
  })()
  const plugins = [act, again, model(), toolbox(tool('look', async () => 'from the web', { untrusted: true }))]
  const { id } = await (await start(plugins, { store: mortal.store })).runs.create({ task: 'x' })
  await until(() => isCut)
  await expire(store, id)
  const runtime = await start(plugins, { store })
  await ended(runtime, id)
  const asked = (await store.events.list(id)).filter((event) => event.type === 'tool.requested')
  assert.equal(
    asked.map((event) => event.type === 'tool.requested' && event.data.taint),
    [[], ['look']],
  )
  await runtime.close()
})

test('a run that a newer version has begun is left to it', async () => {
  const store = createClaimedStore()
  const create = store.create.bind(store)
  store.create = (row, ...rest) =>
    create(row.task === 'new' ? ({ ...row, format: 3 } as unknown as RunRow) : row, ...rest)
  const act = tiny({ execute: async () => execution('done') })
  const runtime = await start([act, model(() => 'x')], { store })
  const newer = await runtime.runs.create({ task: 'new' })
  const own = await runtime.runs.create({ task: 'own' })
  await ended(runtime, own.id)
  assert.is((await runtime.runs.get(newer.id)).status, 'queued')
  await runtime.close()
})

test('who inspects sees the same events in a run that went on as in one that was not cut off', async () => {
  const types = async (after: number): Promise<string[]> => {
    const { store, id, runtime } = await cutOff(3, after)
    await runtime.close()
    return (await store.events.list(id)).map(({ type }) => type).filter((type) => !type.startsWith('run.'))
  }
  assert.equal(await types(2), await types(99))
})

test('a second try that breaks off leaves the first answer standing', async () => {
  let executed = 0
  const act = tiny({
    execute: async () => {
      if (++executed === 1) return execution('a complete answer')
      throw new ProviderError('provider_unavailable', 'gone', { provider: 'scripted' })
    },
  })
  const asking = definePlugin('asking', ({ hooks }) => {
    hooks.reflect.tap('asking', revise)
  })()
  const runtime = await start([act, asking, model()])
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({ task: 'x' })
  const run = await runtime.runs.wait(id)
  assert.is(executed, 2)
  assert.is(run.status, 'completed')
  assert.is(await summaryOf(runtime, id), 'a complete answer')
  const retrying = events.find(({ type }) => type === 'step.retrying')
  assert.equal(retrying?.data, { tries: 2, delayMs: 0, check: { id: 'length', evidence: 'too short' } })
})

test('a store that fails in the middle ends the wait and the reading, and nothing is called completed', async () => {
  for (const method of ['commit', 'steps', 'events.list']) {
    const memory = createMemoryStore()
    const { store, faults } = faultyStore(memory)
    const act = tiny({
      execute: async () => {
        faults.failing.set(method, Object.assign(new Error('disk full')))
        return execution('done')
      },
    })
    const runtime = await start([act, model()], { store })
    const { id } = await runtime.runs.create({ task: 'x' })
    const waited = codeOf(runtime.runs.wait(id).then((run) => Promise.reject({ code: run.status })))
    const read = codeOf(
      (async () => {
        for await (const _ of runtime.runs.events(id));
      })(),
    )
    const outcome = await waited
    if (method === 'commit') {
      assert.is(outcome, 'store_unavailable')
      assert.is(await read, 'store_unavailable')
      assert.is((await memory.runs.get(id))?.finishedAt, undefined, 'the next process goes on with it')
    } else assert.is(outcome, 'completed', method)
    faults.failing.clear()
    await runtime.close()
  }
})

test('no failing call to the store ends the process', async () => {
  const unhandled: unknown[] = []
  const note = (thrown: unknown): void => void unhandled.push(thrown)
  process.on('unhandledRejection', note)
  const write = tool('write', async () => 'ok', { risk: 'write' })
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'write', args: {} })
      return execution('done')
    },
  })
  for (const method of ['commit', 'commands', 'renew', 'release', 'claim', 'command', 'runs.get', 'create']) {
    const { store, faults } = faultyStore(createMemoryStore())
    const runtime = await start([toolbox(write), act, model()], { store, leaseMs: 60, drainMs: 1 })
    const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
    await until(async () => (await runtime.runs.get(id)).status === 'waiting')
    faults.failing.set(method, new Error(`${method} failed`))
    const claims = faults.calls.get('claim') ?? 0
    const controller = new AbortController()
    const made = runtime.runs.create({ task: 'y' }, { signal: controller.signal }).catch(() => {})
    controller.abort()
    await Promise.all([
      made,
      runtime.runs.cancel(id).catch(() => {}),
      runtime.runs.wait(id, 5).catch(() => {}),
      runtime.runs.resume(id).catch(() => {}),
    ])
    await until(() => (faults.calls.get('claim') ?? 0) >= claims + 3) // it has looked at the store again and again
    faults.failing.clear()
    await runtime.close().catch(() => {})
  }
  process.off('unhandledRejection', note)
  assert.equal(unhandled, [])
})

test('an event that no plugin may emit is dropped with a warning', async () => {
  const act = tiny({
    execute: async (run) => {
      run.emit('plan.created', null as never)
      run.emit('consensus.vote', undefined as never)
      return execution('done')
    },
  })
  const runtime = await start([act, model()])
  const { id } = await runtime.runs.create({ task: 'x' })
  assert.is((await runtime.runs.wait(id)).status, 'completed')
  const { warnings } = (await runtime.runs.result(id)) as ExecutionResult
  assert.ok(warnings.some(({ code }) => code === 'event_invalid'))
  const seqs: (number | undefined)[] = []
  for await (const { seq } of runtime.runs.events(id, { deltas: false })) seqs.push(seq)
  assert.equal(
    seqs,
    seqs.map((_, index) => index + 1),
  )
})

test('a person is asked again after every crash, also during a try that a person chose', async () => {
  const store = createMemoryStore()
  let called = 0
  const pay = (hangs: boolean) =>
    toolbox(
      tool(
        'pay',
        async () => {
          called++
          return hangs ? new Promise(() => {}) : 'paid'
        },
        { risk: 'write', timeoutMs: 5_000 },
      ),
    )
  const act = tiny({
    execute: async (run) => {
      const { content } = await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'pay', args: {} })
      return execution(JSON.stringify(content))
    },
  })
  const live = async (hangs: boolean) => {
    const mortal = faultyStore(store)
    return { runtime: await start([pay(hangs), act, model()], { store: mortal.store }), faults: mortal.faults }
  }
  const first = await live(true)
  const { id } = await first.runtime.runs.create({ task: 'x', approval: 'allow-write' })
  await until(() => called === 1)
  first.faults.die()
  await expire(store, id)

  const second = await live(true)
  await until(async () => (await second.runtime.runs.get(id)).status === 'waiting')
  await second.runtime.runs.resume(id, { input: { callId: 'c', choice: 'retry' } })
  await until(() => called === 2)
  second.faults.die()
  await expire(store, id)

  const third = await live(false)
  await until(async () => (await third.runtime.runs.get(id)).status === 'waiting')
  assert.is(called, 2, 'nothing is called before a person has said so')
  await third.runtime.runs.resume(id, { input: { callId: 'c', choice: 'retry' } })
  await ended(third.runtime, id)
  assert.is(called, 3)
  assert.match(await summaryOf(third.runtime, id), 'paid')
  await third.runtime.close()
})

test('a resumed run hands its tools the keys of the run that it resumes', async () => {
  const keys: string[] = []
  let isFirst = true
  const pay = tool(
    'pay',
    async (_, { idempotencyKey }) => {
      keys.push(idempotencyKey)
      if (isFirst) return new Promise(() => {})
      return 'paid'
    },
    { risk: 'write', idempotent: true },
  )
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'pay', args: {} })
      return execution('done')
    },
  })
  const runtime = await start([toolbox(pay), act, model()])
  const { id } = await runtime.runs.create({ task: 'x', approval: 'allow-write' })
  await until(() => keys.length === 1)
  await runtime.runs.cancel(id)
  await ended(runtime, id)
  isFirst = false
  const resumed = await runtime.runs.resume(id)
  await ended(runtime, resumed.id)
  const again = await runtime.runs.fork(resumed.id, { atSeq: 1 })
  await ended(runtime, again.id)
  assert.is(keys[1], keys[0], 'a resumed run means the same payment')
  assert.is.not(keys[2], keys[0], 'a fork means another')
})

test('the work of `record` is done once, and after a crash in between again under the same key', async () => {
  const store = createMemoryStore()
  const mortal = faultyStore(store)
  const keys: string[] = []
  const act = tiny({
    execute: async (run) => {
      const first = await run.record('one', async () => 'first')
      await run.record('two', async (key) => {
        keys.push(key())
        if (keys.length === 1) {
          mortal.faults.die()
          return new Promise<string>(() => {})
        }
        return 'second'
      })
      return execution(first)
    },
  })
  const before = await start([act, model()], { store: mortal.store })
  const { id } = await before.runs.create({ task: 'x' })
  await until(() => keys.length === 1)
  await expire(store, id)
  const after = await start([act, model()], { store })
  await ended(after, id)
  assert.is(await summaryOf(after, id), 'first')
  assert.is(keys.length, 2)
  assert.is(keys[0], keys[1])
  await after.close()
})

test('random numbers and ids come from the seed and their key, whatever the order of parallel agents', async () => {
  const drawn = async (order: string[]): Promise<string[]> => {
    const found = new Map<string, string>()
    const act = tiny({
      execute: async (run) => {
        for (const key of order) found.set(key, `${run.random(key)} ${run.newId('x', key).slice(12)}`)
        return execution('done')
      },
    })
    const runtime = await start([act, model()])
    const { id } = await runtime.runs.create({ task: 'x', seed: 7 })
    await runtime.runs.wait(id)
    return [...found].sort().map(([key, value]) => `${key}: ${value}`)
  }
  assert.equal(await drawn(['a', 'b']), await drawn(['b', 'a']))
  assert.is(new Set(await drawn(['a', 'b'])).size, 2)
})

test.run()
