import { createHook } from 'node:async_hooks'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  AdaptiveOrchestrator,
  type EventType,
  type ModelAnswer,
  noUsage,
  type Plan,
  type RunContext,
  RunView,
} from '../src/index.ts'
import { allocation, complexity, planOf, step } from './fixtures/plans.ts'

const test = suite('what an execution costs')

const TOOL = { id: 'lookup', description: 'looks up', parameters: { type: 'object' }, risk: 'read' } as const
const answer = (more: Partial<ModelAnswer> = {}): ModelAnswer => ({
  text: 'the answer',
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 10, outputTokens: 5, estimated: false },
  costUsd: null,
  provider: 'fake',
  model: 'model',
  latencyMs: 0,
  ...more,
})

interface FakeRun extends RunContext {
  readonly emitted: EventType[]
  readonly stacks: string[]
}

/** A run whose gateways answer with promises that are made beforehand, so that only those of the execution are counted. */
function fakeRun(answers: readonly ModelAnswer[]): FakeRun {
  const given = answers.map((one) => Promise.resolve(one))
  const looked = Promise.resolve({
    callId: 'c',
    ok: true,
    content: [],
    bytes: 0,
    truncated: false,
    trust: 'trusted' as const,
    durationMs: 0,
  })
  const emitted: EventType[] = []
  const stacks: string[] = []
  let calls = 0
  return {
    emitted,
    stacks,
    id: 'run_fake',
    threadId: undefined,
    contextTokens: undefined,
    view: new RunView(),
    attempt: 1,
    signal: new AbortController().signal,
    options: {},
    defaultModel: 'fake/model',
    deterministic: false,
    tools: [TOOL],
    agents: [],
    model: () => {
      stacks.push(new Error('stack').stack ?? '')
      return given[calls++] ?? Promise.resolve(answer())
    },
    tool: () => looked,
    ask: () => Promise.resolve({ kind: 'expired' }),
    emit: (type) => void emitted.push(type),
    events: () => [],
    onEvent: () => () => undefined,
    steer: () => undefined,
    warn: () => undefined,
    budget: { remaining: () => 1_000_000, spent: noUsage, exhausted: false, available: () => 1_000 },
    isTainted: false,
    recalled: [],
    recall: () => undefined,
    embed: async () => [],
    record: (key, work) => work(() => key),
    defer: () => undefined,
    now: () => 0,
    random: () => 0.5,
    newId: (prefix) => prefix,
  }
}

/** Promises that are made while a plan is executed, those of `await` included. */
async function countPromises(orchestrator: AdaptiveOrchestrator, plan: Plan, run: RunContext): Promise<number> {
  let count = 0
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') count++
    },
  })
  hook.enable()
  const work = orchestrator.execute(plan, run)
  await work
  hook.disable()
  return count
}

const single = (orchestrator: AdaptiveOrchestrator, run: FakeRun): Promise<Plan> =>
  orchestrator.planAsync(
    { id: 't', description: 'Say hello' },
    complexity('SINGLE', 1),
    allocation('SINGLE', 1),
    undefined,
    run,
  )

test('a step with one model call makes at most twelve promises', async () => {
  const orchestrator = new AdaptiveOrchestrator()
  const run = fakeRun([answer()])
  const count = await countPromises(orchestrator, await single(orchestrator, run), run)
  assert.is(run.stacks.length, 1)
  assert.ok(count <= 12, `${count} promises`)
})

test('a turn with a tool call adds at most twelve more', async () => {
  const orchestrator = new AdaptiveOrchestrator()
  const toolCalls = [{ callId: 'c', tool: 'lookup', args: {} }]
  const count = async (turns: number): Promise<number> => {
    const calls = Array.from({ length: turns }, () => answer({ text: '', toolCalls, finishReason: 'toolCalls' }))
    const run = fakeRun([...calls, answer()])
    const promises = await countPromises(orchestrator, await single(orchestrator, run), run)
    assert.is(run.stacks.length, turns + 1)
    return promises
  }
  const [one, two] = [await count(1), await count(2)]
  assert.ok(two - one <= 12, `${two - one} promises for a turn`)
})

test('a plan of one step emits its events once, and draws its graph before and after', async () => {
  const orchestrator = new AdaptiveOrchestrator()
  const run = fakeRun([answer()])
  await orchestrator.execute(await single(orchestrator, run), run)
  assert.equal(run.emitted, [
    'agent.created',
    'agent.started',
    'step.started',
    'topology.updated',
    'step.completed',
    'agent.completed',
    'topology.updated',
  ])
})

/** Frames of the orchestrator above a model call, the innermost first, without the runner's own loop before the step. */
const framesOf = (stack: string | undefined): string[] =>
  (stack ?? '').split('\n').filter((line) => line.includes('adaptive-orchestrator/'))

test('few frames stand between an execution and the model', async () => {
  const orchestrator = new AdaptiveOrchestrator()
  const alone = fakeRun([answer()])
  await orchestrator.execute(await single(orchestrator, alone), alone)
  assert.is(framesOf(alone.stacks[0]).length, 4, alone.stacks[0])

  const team = fakeRun([answer(), answer()])
  await orchestrator.execute(planOf([step('a'), step('b', ['a'])], 'SEQUENTIAL'), team)
  const frames = framesOf(team.stacks[1])
  const start = frames.findIndex((line) => line.includes('#start '))
  assert.ok(start > 0 && start <= 4, team.stacks[1])
})

test.run()
