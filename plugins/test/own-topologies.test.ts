/** Topologies that plugins register: planned and executed by them, asked for as svc's own are. */
import {
  AdaptiveOrchestrator,
  type ConfiguredPlugin,
  definePlan,
  definePlugin,
  type ExecutionResult,
  type OwnTopology,
  type PlanInput,
  type Runtime,
  type SvcConfig,
  SvcError,
} from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'

const test = suite('own topologies')

/** Two drafts, and a judge who picks one: the last word stands. */
const duel = (own: Partial<OwnTopology> = {}): OwnTopology => ({
  agents: 2,
  plan: ({ task }) => ({
    agents: [{ role: 'drafter' }, { role: 'judge' }],
    steps: [
      { objective: `Draft: ${task.description}`, role: 'drafter' },
      { objective: 'Pick the better of {{step-1}} and your own.', role: 'judge' },
    ],
  }),
  ...own,
})

const registering = (name: string, topology: OwnTopology) =>
  definePlugin('duels', ({ topologies }) => topologies.add(name, topology))()

interface World {
  runtime: Runtime
  /** How many model calls were made. */
  calls(): number
  close(): Promise<void>
}

async function start(plugins: readonly ConfiguredPlugin[], config: SvcConfig = {}): Promise<World> {
  const provider = scriptedProvider('scripted', (_request, index) => `Answer ${index}.`)
  const runtime = await createRuntime(
    {
      ...config,
      plugins: [definePlugin('model', ({ providers }) => providers.add('scripted', provider))(), ...plugins],
      model: 'scripted/scripted',
    },
    { env: {}, persist: false },
  )
  return { runtime, calls: () => provider.requests.length, close: () => runtime.close() }
}

const thrownBy = (work: Promise<unknown>): Promise<SvcError> =>
  work.then(
    () => assert.unreachable('nothing was thrown') as never,
    (thrown: unknown) => (SvcError.isInstance(thrown) ? thrown : Promise.reject(thrown)),
  )

async function ran(runtime: Runtime, create: Parameters<Runtime['runs']['start']>[0]) {
  const { run, done } = await runtime.runs.start(create)
  const ended = await done
  const events = []
  for await (const event of runtime.runs.events(run.id)) events.push(event)
  return { id: run.id, result: ended.result as ExecutionResult, events }
}

test('a run asks for it by its name in any case, and its steps are done as those of any plan', async () => {
  const { runtime, calls, close } = await start([registering('DUEL', duel())])
  try {
    const { id, result, events } = await ran(runtime, { task: 'Name a colour.', topology: 'duel' })
    assert.equal([result.status, result.plan?.topology, result.allocation?.topology], ['completed', 'DUEL', 'DUEL'])
    assert.equal(
      result.steps.map(({ id: step, agentId, status }) => [step, agentId, status]),
      [
        ['step-1', 'agent-1', 'completed'],
        ['step-2', 'agent-2', 'completed'],
      ],
    )
    assert.is(result.allocation?.shares.length, 2)
    assert.is(calls(), 2)
    assert.is((await runtime.runs.get(id)).topology, 'DUEL')
    assert.ok(events.some((event) => event.type === 'plan.created' && event.data.topology === 'DUEL'))
    const planned = events.find(({ type, stage }) => type === 'stage.completed' && stage === 'plan')
    assert.ok(planned?.type === 'stage.completed' && planned.data.plugin === 'duels')
    // Others are as they were.
    assert.is((await ran(runtime, { task: 'Name a colour.', topology: 'SINGLE' })).result.plan?.topology, 'SINGLE')
  } finally {
    await close()
  }
})

test('it executes its plans itself where it can, also one that is given', async () => {
  const execute: OwnTopology['execute'] = async ({ plan }, run) => {
    const { text, usage } = await run.model({
      key: `duel/${run.attempt}`,
      agentId: 'agent-1',
      model: '',
      messages: [
        { role: 'user', content: [{ type: 'text', text: plan.steps.map((step) => step.objective).join('\n') }] },
      ],
      stream: false,
    })
    assert.ok(usage.outputTokens > 0)
    return { status: 'completed', output: `Judged: ${text}`, steps: [], agents: [], artifacts: [] }
  }
  const { runtime, calls, close } = await start([registering('DUEL', duel({ execute }))])
  try {
    const { result } = await ran(runtime, { task: 'Name a colour.', topology: 'DUEL' })
    assert.equal([result.summary, result.plan?.steps.length, calls()], ['Judged: Answer 0.', 2, 1])
    const plan = definePlan({ topology: 'DUEL', steps: [{ objective: 'Say yes.' }, { objective: 'Say no.' }] })
    const given = await ran(runtime, { task: 'Decide.', plan })
    assert.equal([given.result.summary, given.result.plan?.topology], ['Judged: Answer 1.', 'DUEL'])
  } finally {
    await close()
  }
})

test('an unknown name is refused with those that exist, before a model is asked', async () => {
  const { runtime, calls, close } = await start([registering('DUEL', duel())])
  try {
    const wrong = await thrownBy(runtime.runs.create({ task: 'x', topology: 'DUAL' }))
    assert.is(wrong.code, 'validation_failed')
    assert.match(
      wrong.message,
      /\/topology must be one of AUTO, SINGLE, .*, HYBRID, DUEL, not "DUAL": did you mean DUEL\?/,
    )
    const plan = definePlan({ topology: 'TRIO', steps: [{ objective: 'x' }] })
    const unknown = await thrownBy(runtime.runs.create({ task: 'x', plan }))
    assert.match(unknown.message, /\/plan\/topology must be one of SINGLE, .*, DUEL, not "TRIO"/)
    assert.is(calls(), 0)
  } finally {
    await close()
  }
  const thrown = await thrownBy(start([registering('DUEL', duel())], { defaultTopology: 'PARALEL' }))
  assert.is(thrown.code, 'config_invalid')
  assert.match(
    thrown.message,
    /\/defaultTopology must be one of SINGLE, .*DUEL, not "PARALEL": did you mean PARALLEL\?/,
  )
})

test('as the default topology it stands in for SINGLE', async () => {
  const { runtime, close } = await start([registering('DUEL', duel())], { defaultTopology: 'duel' })
  try {
    const { result } = await ran(runtime, { task: 'Name a colour.' })
    assert.equal([result.complexity?.recommendedTopology, result.plan?.topology], ['DUEL', 'DUEL'])
  } finally {
    await close()
  }
})

test('a name that no run could ask for is refused when the plugin is applied', async () => {
  for (const [name, topology, reason] of [
    ['duel', duel(), /capital letters/],
    ['AUTO', duel(), /svc has this name/],
    ['SINGLE', duel(), /svc has this name/],
    ['DEBATE', duel(), /svc has this name for DECENTRALIZED/],
    ['DUEL', { agents: 2 } as never, /must have a function `plan`/],
    ['DUEL', duel({ agents: 0 }), /`agents` must be a whole number/],
  ] as const) {
    const thrown = await thrownBy(start([registering(name, topology)]))
    assert.is(thrown.code, 'plugin_failed', name)
    assert.match(thrown.message, reason)
  }
  const twice = definePlugin('twice', ({ topologies }) => topologies.add('DUEL', duel()))()
  assert.is((await thrownBy(start([registering('DUEL', duel()), twice]))).code, 'plugin_duplicate')
})

test('a topology whose plan fails is asked again, and svc plans the rest where it does not answer', async () => {
  const asked: boolean[] = []
  const execute: OwnTopology['execute'] = async ({ plan, previous }, run) =>
    previous === undefined
      ? { status: 'failed', output: '', steps: [], agents: [], artifacts: [], reason: 'plan_failed' }
      : new AdaptiveOrchestrator().execute(plan, run, previous)
  const plan: OwnTopology['plan'] = (input, run) => {
    asked.push(input.previous !== undefined)
    return input.previous === undefined ? duel().plan(input, run) : undefined
  }
  const { runtime, close } = await start([registering('DUEL', duel({ plan, execute }))])
  try {
    const { result } = await ran(runtime, { task: 'Name a colour.', topology: 'DUEL' })
    assert.equal(asked, [false, true])
    assert.equal([result.status, result.plan?.topology], ['completed', 'DUEL'])
  } finally {
    await close()
  }
})

test('a tap of plan needs to answer no more than definePlan needs, and gets all that is wrong with it', async () => {
  const tap = (answer: PlanInput) =>
    definePlugin('planner', ({ hooks }) => hooks.plan.tap('planner', (earlier) => (earlier ? undefined : answer)))()
  const good = await start([tap({ steps: [{ objective: 'Name a colour.' }] })])
  try {
    const { result } = await ran(good.runtime, { task: 'x' })
    assert.equal([result.status, result.plan?.steps[0]?.id, result.plan?.topology], ['completed', 'step-1', 'SINGLE'])
  } finally {
    await good.close()
  }
  const steps = [{ objective: '' }, { objective: 'x', dependsOn: ['a'] }, { objective: 'x', risk: 'much' as 'read' }]
  const bad = await start([tap({ topology: 'RING', steps })])
  try {
    const { result } = await ran(bad.runtime, { task: 'x' })
    assert.equal([result.status, result.error?.code, bad.calls()], ['failed', 'plugin_answer_invalid', 0])
    for (const path of ['/steps/0/objective', '/steps/1/dependsOn', '/steps/2/risk', '/topology'])
      assert.ok(result.error?.message.includes(path), `${path}: ${result.error?.message}`)
  } finally {
    await bad.close()
  }
})

test('maxPlanSteps bounds the plans of plugins and those that are given', async () => {
  const steps = Array.from({ length: 5 }, (_, n) => ({ objective: `Part ${n}.` }))
  const chain: PlanInput = { topology: 'SEQUENTIAL', steps }
  const planner = definePlugin('planner', ({ hooks }) => hooks.plan.tap('planner', (plan) => plan ?? chain))()
  for (const [maxPlanSteps, status] of [
    [4, 'failed'],
    [5, 'completed'],
  ] as const) {
    const { runtime, close } = await start([planner], { maxPlanSteps })
    try {
      for (const plan of [undefined, definePlan(chain)]) {
        const { result } = await ran(runtime, { task: 'x', ...(plan && { plan }) })
        assert.is(result.status, status)
        if (status === 'failed') assert.match(result.error?.message ?? '', /\/steps must have at most 4 steps, not 5/)
      }
    } finally {
      await close()
    }
  }
})

test('a given plan has as many steps as maxPlanSteps allows, side by side or in a row', async () => {
  const steps = Array.from({ length: 300 }, (_, n) => ({ objective: `Part ${n}.` }))
  const { runtime, close } = await start([], { maxPlanSteps: 301 })
  try {
    for (const topology of ['PARALLEL', 'SEQUENTIAL'] as const) {
      const { result } = await ran(runtime, {
        task: 'x',
        tokenBudget: 10_000_000,
        plan: definePlan({ topology, steps }),
      })
      const done = result.steps.filter(({ status }) => status === 'completed').length
      assert.equal([result.status, done], ['completed', topology === 'PARALLEL' ? 301 : 300])
    }
  } finally {
    await close()
  }
})

test.run()
