import {
  type Allocation,
  type Complexity,
  type RunOptions,
  SvcError,
  type Task,
  TaskComplexityAnalyzer,
  TokenBudgetAllocator,
} from '@svc/core'
import { AsyncSeriesWaterfallHook } from 'tapable'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AllocateOptions, allocate } from '../src/defaults/allocate.ts'

const NONE = { ids: () => [], get: () => undefined }
const test = suite('allocate plugin')
const analyzer = new TaskComplexityAnalyzer()
const SIMPLE: Task = { id: 'task-1', description: 'Summarise README.md' }
const BROAD: Task = { id: 'task-1', description: 'Describe:\n- Redis\n- Memcached\n- Dragonfly' }

interface Case {
  task?: Task
  run?: RunOptions
  config?: object
  plugin?: AllocateOptions
  answer?: Allocation
}

const ask = async ({ task = SIMPLE, run = {}, config = {}, plugin = {}, answer }: Case): Promise<Allocation> => {
  const hooks = { allocate: new AsyncSeriesWaterfallHook<[unknown, unknown, unknown]>(['answer', 'input', 'run']) }
  await allocate(plugin).apply({ hooks, config, topologies: NONE } as never)
  const complexity: Complexity = analyzer.analyze(task)
  return (await hooks.allocate.promise(
    answer,
    { task, complexity },
    { options: run, budget: { remaining: () => 128_000 } },
  )) as Allocation
}

test('follows the recommended topology and its number of agents', async () => {
  const { topology, shares, total } = await ask({ task: BROAD })
  assert.is(topology, 'PARALLEL')
  assert.is(shares.length, 3)
  assert.is(total, 64_000)
})

test("takes the run's budget before the config's", async () => {
  assert.is((await ask({ config: { tokenBudget: 9000 } })).total, 9000)
  assert.is((await ask({ config: { tokenBudget: 9000 }, run: { tokenBudget: 7000 } })).total, 7000)
})

test('lets the run force a topology by any of its names, with enough agents for it', async () => {
  for (const [word, topology, count] of [
    ['hierarchical', 'CENTRALIZED', 3],
    ['debate', 'DECENTRALIZED', 3],
    ['Pipeline', 'SEQUENTIAL', 2],
    ['parallel', 'PARALLEL', 2],
    ['HYBRID', 'HYBRID', 3],
    ['single', 'SINGLE', 1],
  ] as const) {
    const allocation = await ask({ run: { topology: word } })
    assert.is(allocation.topology, topology)
    assert.is(allocation.shares.length, count)
  }
  assert.is((await ask({ task: BROAD, run: { topology: 'SINGLE' } })).shares.length, 1)
  assert.is((await ask({ task: BROAD, run: { topology: 'auto' } })).topology, 'PARALLEL')
})

test('makes as many slots as the run names agents', async () => {
  const agents = [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }]
  assert.is((await ask({ run: { topology: 'PARALLEL', agents } })).shares.length, 4)
  assert.is((await ask({ task: BROAD, run: { agents: ['solo'] } })).topology, 'SINGLE')
  assert.is((await ask({ run: { topology: 'DEBATE', agents: ['solo'] } })).shares.length, 3)
})

test('says what is wrong with an unknown topology or a budget too small', async () => {
  for (const [run, code] of [
    [{ topology: 'star' }, 'validation_failed'],
    [{ tokenBudget: 500 }, 'budget_too_small'],
  ] as const) {
    try {
      await ask({ run })
      assert.unreachable()
    } catch (error) {
      assert.ok(SvcError.isInstance(error))
      assert.is(error.code, code)
    }
  }
})

test('asks the allocator that it was given', async () => {
  const generous = new TokenBudgetAllocator({ baseBudget: 500_000 })
  assert.is((await ask({ plugin: { allocator: generous } })).total, 500_000)
})

test.run()
