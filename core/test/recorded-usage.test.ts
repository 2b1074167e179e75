/** What a run took, as its log has it: wherever it is ended or shown, also where no process has gone over its records. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ExecutionResult, Run, Runtime, Store } from '../src/index.ts'
import { createMemoryStore, RunView } from '../src/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { ended, expire, model, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('what a run took')

const helper = tool('helper', async () => 'helped')
const writer = tool('writer', async () => 'written', { risk: 'write' })
const CALLS = 2

/** A run that has asked a model twice when its process is gone. @param then what it comes to at last */
async function cutOff(then: 'nothing' | 'a question'): Promise<{ store: Store; id: string; act: typeof plugin }> {
  const store = createMemoryStore()
  const { store: mortal, faults } = faultyStore(store)
  const plugin = tiny({
    execute: async (run) => {
      run.emit('agent.created', { id: 'agent-1', name: 'One', role: 'works' }, { agentId: 'agent-1' })
      run.emit('agent.started', { objective: 'x', tokens: 1 }, { agentId: 'agent-1' })
      await run.tool({ key: 't', agentId: 'agent-1', callId: 't', tool: 'helper', args: {} })
      for (let n = 1; n <= CALLS; n++)
        await run.model({ key: `m${n}`, agentId: 'agent-1', model: '', messages: [], stream: false })
      if (then === 'a question') await run.tool({ key: 'w', agentId: 'agent-1', callId: 'w', tool: 'writer', args: {} })
      return isCut ? execution('done') : new Promise(() => {})
    },
  })
  let isCut = false
  const first = await start([toolbox(helper, writer), plugin, model()], { store: mortal })
  const { id } = await first.runs.create({ task: 'x', approval: 'wait' })
  await until(async () => (await store.steps(id)).filter(({ state }) => state === 'done').length > CALLS)
  if (then === 'a question') await until(async () => (await store.runs.get(id))?.status === 'waiting')
  faults.die()
  isCut = true
  await expire(store, id)
  return { store, id, act: plugin }
}

/** Usage and cost as they are recorded. */
async function logged(store: Store, id: string): Promise<Pick<Run, 'usage' | 'costUsd'>> {
  const { usage, costUsd } = new RunView(await store.events.list(id))
  assert.is(usage.modelCalls, CALLS)
  assert.ok(usage.outputTokens > 0)
  return { usage, costUsd }
}

async function assertShown(runtime: Runtime, store: Store, id: string): Promise<void> {
  const { usage, costUsd } = await logged(store, id)
  const run = await runtime.runs.get(id)
  assert.equal(run.usage, usage)
  assert.is(run.costUsd, costUsd)
  assert.equal(
    run.agents.map(({ name }) => name),
    ['One'],
  )
  const result = run.result as ExecutionResult | undefined
  if (result === undefined) return
  assert.equal([result.usage, result.costUsd], [usage, costUsd])
  assert.equal(result.facts?.programs, [])
  assert.ok(result.toolCalls.total > 0)
}

test('a run that is cancelled while no process holds it keeps what it took', async () => {
  for (const then of ['nothing', 'a question'] as const) {
    const { store, id, act } = await cutOff(then)
    const asking = await start([act, model()], { store, claims: 'none' })
    await asking.runs.cancel(id)
    const runtime = await start([toolbox(helper, writer), act, model()], { store })
    await ended(runtime, id)
    assert.is((await runtime.runs.get(id)).status, 'cancelled')
    await assertShown(runtime, store, id)
    await asking.close()
    await runtime.close()
  }
})

test('a run that waits to be gone on with shows what it took, and keeps it where it is not', async () => {
  const { store, id, act } = await cutOff('nothing')
  const runtime = await start([act, model()], { store, leaseMs: 60 })
  await until(async () => (await runtime.runs.get(id)).status === 'waiting')
  await assertShown(runtime, store, id)
  await runtime.runs.resume(id, { input: 'cancel' })
  await ended(runtime, id)
  await assertShown(runtime, store, id)
  await runtime.close()
})

test.run()
