/** Runs that were begun with agents which the config does not have any more. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ExecutionResult, Plan, Plugin, Runtime, Store, SvcError } from '../src/index.ts'
import { AdaptiveOrchestrator, createMemoryStore, definePlugin } from '../src/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { ended, expire, model, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { plan, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('agents of a plan')

const agent = { agentId: 'agent-1', name: 'Writer', role: 'worker', profileId: 'writer' }
const [step] = plan().steps
const planned: Plan = {
  ...plan(),
  topology: 'SEQUENTIAL',
  agents: [agent],
  steps: [
    { ...step, id: 'step-1', agentId: 'agent-1' },
    { ...step, id: 'step-2', agentId: 'agent-1', dependsOn: ['step-1'] },
  ] as Plan['steps'],
  criticalPath: ['step-1', 'step-2'],
}
const agents = [{ id: 'writer', name: 'Writer', instructions: 'Write well.' }]

const planner: Plugin = definePlugin('planner', ({ hooks }) => hooks.plan.tap('planner', () => planned))()
const executor = (orchestrator = new AdaptiveOrchestrator()): Plugin =>
  definePlugin('executor', ({ hooks }) =>
    hooks.execute.tapPromise('executor', async (answer, input, run) => answer ?? orchestrator.execute(input.plan, run)),
  )()

/** A run whose process has gone in its second step. */
async function begin(more: Plugin[], create: { plan?: Plan }, executes = executor()): Promise<[Store, string]> {
  const store: Store = createMemoryStore()
  const { store: mortal, faults } = faultyStore(store)
  let isSecond = false
  const slow = model((_, n) => {
    isSecond = n > 0
    return isSecond ? new Promise(() => {}) : 'the first answer'
  })
  const first = await start([...more, executes, tiny(), slow], { store: mortal, agents })
  const { id } = await first.runs.create({ task: 'x', ...create })
  await until(() => isSecond)
  faults.die()
  await expire(store, id)
  return [store, id]
}

/** The system texts that a model is handed in the rest of the run. */
async function goOn(
  store: Store,
  settings: Parameters<typeof start>[1],
  executes = executor(),
): Promise<{ runtime: Runtime; said: string[] }> {
  const said: string[] = []
  const answers = model(({ messages }) => {
    said.push(JSON.stringify(messages))
    return 'the second answer'
  })
  const runtime = await start([executes, tiny(), answers], { store, leaseMs: 60, ...settings })
  return { runtime, said }
}

for (const [how, more, create] of [
  ['that it made', [planner], {}],
  ['that it was given', [], { plan: planned }],
] as const) {
  test(`a run whose plan, ${how}, names an agent that is gone is left, then asks whether it goes on without`, async () => {
    for (const input of ['go on', 'cancel']) {
      const [store, id] = await begin([...more], create)
      const { runtime, said } = await goOn(store, {})
      await until(async () => (await runtime.runs.get(id)).status !== 'running')
      const { waiting, error } = await runtime.runs.get(id)
      assert.match(waiting?.input?.prompt ?? error?.message ?? '', /the agent writer \(its steps are done without its/)
      await runtime.runs.resume(id, { input })
      await ended(runtime, id)
      const { status } = await runtime.runs.get(id)
      assert.is(status, input === 'go on' ? 'completed' : 'cancelled')
      if (input === 'go on') {
        assert.is(said.length, 1, 'what is recorded is not asked again')
        assert.not.match(said[0] ?? '', /Write well/)
      }
      await runtime.close()
    }
    const [store, id] = await begin([...more], create)
    const { runtime, said } = await goOn(store, { agents, config: { tokenBudget: 50_000 } })
    await ended(runtime, id)
    assert.is((await runtime.runs.get(id)).status, 'completed', 'where nothing is missing nobody is asked')
    assert.match(said[0] ?? '', /Write well/)
    await runtime.close()
  })
}

test('a run that goes on without an agent of its plan does so in each later life, and asks once', async () => {
  const [store, id] = await begin([planner], {})
  const { store: mortal, faults } = faultyStore(store)
  let isAtWork = false
  const slow = model(() => {
    isAtWork = true
    return new Promise(() => {})
  })
  const second = await start([executor(), tiny(), slow], { store: mortal, leaseMs: 60 })
  await until(async () => (await second.runs.get(id)).status === 'waiting')
  await second.runs.resume(id, { input: 'go on' })
  await until(() => isAtWork)
  faults.die()
  await expire(store, id)
  const { runtime } = await goOn(store, {})
  await ended(runtime, id)
  assert.is((await runtime.runs.get(id)).status, 'completed')
  assert.is((await store.events.list(id)).filter(({ type }) => type === 'run.waiting').length, 1)
  await runtime.close()
})

test('a run that goes on without a tool of its plan is not warned of what a person has answered', async () => {
  const store: Store = createMemoryStore()
  const { store: mortal, faults } = faultyStore(store)
  let isSecond = false
  const first = await start(
    [
      definePlugin('planner', ({ hooks }) =>
        hooks.plan.tap('planner', () => ({
          ...planned,
          agents: [{ agentId: 'agent-1', name: 'Writer', role: 'worker' }],
          steps: planned.steps.map((step) => ({ ...step, tools: ['act'] })),
        })),
      )(),
      executor(),
      tiny(),
      toolbox(tool('act', async () => 'acted')),
      model((_, n) => {
        isSecond = n > 1
        if (n === 0) return { toolCalls: [{ id: 't', tool: 'act', args: {} }] }
        return isSecond ? new Promise(() => {}) : 'the first answer'
      }),
    ],
    { store: mortal },
  )
  const { id } = await first.runs.create({ task: 'x' })
  await until(() => isSecond)
  faults.die()
  await expire(store, id)
  const { runtime } = await goOn(store, {})
  await until(async () => (await runtime.runs.get(id)).status === 'waiting')
  await runtime.runs.resume(id, { input: 'go on' })
  await ended(runtime, id)
  const result = (await runtime.runs.result(id)) as ExecutionResult
  assert.is(result.status, 'completed')
  assert.equal(result.warnings, [])
  await runtime.close()
})

test('an agent that only the plugin knows which executes the plan is not missed', async () => {
  const withAgent = (): Plugin => {
    const orchestrator = new AdaptiveOrchestrator()
    orchestrator.registerAgent({ id: 'editor', name: 'Editor', role: 'worker', capabilities: [] })
    return executor(orchestrator)
  }
  const [store, id] = await begin(
    [],
    { plan: { ...planned, agents: [{ ...agent, profileId: 'editor' }] } },
    withAgent(),
  )
  const { runtime } = await goOn(store, { agents, config: { tokenBudget: 50_000 } }, withAgent())
  await until(async () => (await runtime.runs.get(id)).status !== 'running')
  await ended(runtime, id)
  assert.is((await runtime.runs.get(id)).status, 'completed')
  await runtime.close()
})

test('who goes on from a run whose kept plan names an agent that is gone hears of it, and no run is made', async () => {
  const [store, id] = await begin([], { plan: planned })
  const before = await goOn(store, { agents })
  await ended(before.runtime, id)
  const events = await store.events.list(id)
  const seqOf = (wanted: string): number => events.find(({ type }) => type === wanted)?.seq ?? 0
  const { id: cut } = await before.runtime.runs.create({ task: 'x', plan: planned, budget: { maxTokens: 1 } })
  await ended(before.runtime, cut)
  await before.runtime.close()

  const { runtime } = await goOn(store, {})
  const goingOn = [() => runtime.runs.fork(id, { atSeq: seqOf('step.completed') }), () => runtime.runs.resume(cut)]
  for (const goes of goingOn) {
    const thrown = await goes().then(
      () => undefined,
      (error: SvcError) => error,
    )
    assert.is(thrown?.code, 'agent_not_found')
    assert.match(thrown?.message ?? '', /the plan that is kept of run .* names the agent "writer"/)
  }
  assert.is((await runtime.runs.list()).data.length, 2)
  // Before its plan it goes on without.
  const plan = { ...planned, agents: [{ agentId: 'agent-1', name: 'Writer', role: 'worker' }] }
  const { id: other } = await runtime.runs.fork(id, { atSeq: seqOf('run.started'), edits: { plan } })
  await ended(runtime, other)
  assert.is((await runtime.runs.get(other)).status, 'completed')
  await runtime.close()
})

test('a fork that has not begun when its agent goes is left to a process that has it', async () => {
  const [store, id] = await begin([], { plan: planned })
  const before = await goOn(store, { agents })
  await ended(before.runtime, id)
  await before.runtime.close()
  const atSeq = (await store.events.list(id)).find(({ type }) => type === 'stage.completed')?.seq ?? 0
  const { store: mortal, faults } = faultyStore(store)
  const hanging = model(() => new Promise(() => {}))
  const busy = await start([executor(), tiny(), hanging], { store: mortal, agents })
  const { id: other } = await busy.runs.create({ task: 'x', plan: planned })
  await until(async () => (await store.runs.get(other))?.status === 'running')
  const { id: fork } = await busy.runs.fork(id, { atSeq })
  faults.die()
  for (const each of [other, fork]) await expire(store, each)

  const without = await goOn(store, {})
  await until(async () => (await store.runs.get(other))?.status === 'waiting')
  assert.is((await store.runs.get(fork))?.status, 'queued')
  await without.runtime.close()
  const again = await goOn(store, { agents })
  await ended(again.runtime, fork)
  assert.is((await again.runtime.runs.get(fork)).status, 'completed')
  await again.runtime.close()
})

test.run()
