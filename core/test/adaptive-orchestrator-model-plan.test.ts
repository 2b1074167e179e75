import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  AdaptiveOrchestrator,
  type Complexity,
  LimitError,
  type Plan,
  ProviderError,
  type RunOptions,
  TOPOLOGIES,
  type Topology,
} from '../src/index.ts'
import { flawsOf, goodSteps, mutate, toStep } from './fixtures/fuzzed-plans.ts'
import { allocation, complexity } from './fixtures/plans.ts'
import { type Script, type ScriptedRun, scriptRun } from './fixtures/scripted-run.ts'

const test = suite('plans made by a model')

const TASK = { id: 'task-1', description: 'Compare Oslo, Lima and Cairo by the price of a hotel night' }
const tools = { lookup: { run: () => 'found' } }

async function plan(
  model: Script['model'],
  {
    topology = 'PARALLEL',
    llm = true,
    options = {},
    ...more
  }: { topology?: Topology; llm?: boolean | 'auto'; options?: RunOptions } & Partial<Complexity> = {},
): Promise<{ plan: Plan; run: ScriptedRun }> {
  const run = scriptRun({ model, tools })
  const orchestrator = new AdaptiveOrchestrator({ llm })
  const report = { ...complexity(topology), ...more }
  const context = { ...run, options }
  return { plan: await orchestrator.planAsync(TASK, report, allocation(topology, 3), run, context), run }
}

test('a good answer is the plan, for one call, with the steps, marks and agents of the model', async () => {
  const steps = goodSteps()
  Object.assign(steps.steps[1] as object, { agentId: 'agent-2', effort: 'high', tools: ['lookup'] })
  const { plan: made, run } = await plan(() => JSON.stringify(steps))
  assert.is(made.source, 'llm')
  assert.equal(
    run.requests.map(({ key, agentId }) => [key, agentId]),
    [['plan/llm:1', 'planner']],
  )
  assert.ok(run.requests[0]?.outputSchema !== undefined)
  assert.equal(
    made.steps.map(({ id, dependsOn }) => [id, dependsOn.length]),
    [
      ['step-1', 0],
      ['step-2', 0],
      ['step-3', 0],
      ['step-4', 3],
    ],
  )
  assert.match(made.steps[3]?.objective ?? '', '{{step-1}} {{step-2}} {{step-3}}')
  assert.equal(made.steps[1]?.agentId, 'agent-2')
  assert.equal(made.steps[1]?.tools, ['lookup'])
  assert.equal(made.steps[0]?.acceptance, ['the result of a is there'])
  assert.ok((made.steps[1]?.estimatedTokens ?? 0) > (made.steps[0]?.estimatedTokens ?? 0))
  assert.equal(run.warnings, [])
})

test('a topology adds its own steps to those of the model', async () => {
  const { plan: led } = await plan(() => JSON.stringify(goodSteps()), { topology: 'HYBRID' })
  assert.equal(
    led.steps.map(({ role }) => role),
    ['lead', 'worker', 'worker', 'worker', 'worker', 'critic', 'critic', 'critic', 'critic', 'synthesizer'],
  )
  assert.match(led.steps[4]?.objective ?? '', '{{step-2}} {{step-3}} {{step-4}}')
  assert.equal(flawsOf(led, ['lookup']), [])
})

test('steps that cannot be executed are sent back once, with what is wrong', async () => {
  const long = { steps: Array.from({ length: 200 }, (_, index) => toStep(`n${index}`, `Do ${index}`, [])) }
  const { plan: made, run } = await plan(({ key }) => JSON.stringify(key === 'plan/llm:1' ? long : goodSteps()))
  assert.is(made.source, 'llm-repaired')
  assert.equal(
    run.requests.map(({ key }) => key),
    ['plan/llm:1', 'plan/llm:2'],
  )
  assert.match(JSON.stringify(run.requests[1]?.messages.at(-1)), 'must have at most 12 steps, not 200')
  assert.equal(run.warnings, [])
})

test('after two bad answers the text alone makes the plan, with a warning', async () => {
  const { plan: made, run } = await plan(() => 'I would rather not.')
  assert.is(made.source, 'deterministic')
  assert.is(run.requests.length, 2)
  assert.equal(
    run.warnings.map(({ code }) => code),
    ['plan_llm_failed'],
  )
  assert.match(run.warnings[0]?.message ?? '', 'must be JSON')
})

test('a planner that is down or out of budget costs the plan nothing but a warning', async () => {
  for (const error of [
    new ProviderError('provider_unavailable', 'down', { provider: 'scripted' }),
    new LimitError('budget_exhausted', 'nothing left'),
  ]) {
    const { plan: made, run } = await plan(() => {
      throw error
    })
    assert.is(made.source, 'deterministic')
    assert.match(run.warnings[0]?.message ?? '', error.code)
  }
})

test('a run that is cancelled while its planner thinks stays cancelled', async () => {
  const run = scriptRun({ model: () => new Promise(() => undefined) })
  const planning = new AdaptiveOrchestrator({ llm: true }).planAsync(
    TASK,
    complexity('PARALLEL'),
    allocation('PARALLEL', 3),
    run,
    run,
  )
  run.controller.abort()
  try {
    await planning
    assert.unreachable()
  } catch (thrown) {
    assert.match(String(thrown), /abort|cancel/i)
  }
})

test('a model is asked by default where the topology is AUTO and the words leave much open', async () => {
  const asked = async (llm: boolean | 'auto', topology: Topology, more: object = {}): Promise<number> =>
    (await plan(() => JSON.stringify(goodSteps()), { llm, topology, ...more })).run.requests.length
  const sure = { confidence: 0.9, score: 0.1 }
  const hard = { confidence: 0.9, score: 0.25 }
  assert.is(await asked(false, 'CENTRALIZED'), 0)
  assert.is(await asked(true, 'DECENTRALIZED'), 0)
  assert.is(await asked(true, 'PARALLEL', sure), 1)
  assert.is(await asked('auto', 'PARALLEL', sure), 0)
  assert.is(await asked('auto', 'SINGLE', sure), 0)
  assert.is(await asked('auto', 'PARALLEL', { confidence: 0.69, score: 0.1 }), 1)
  assert.is(await asked('auto', 'PARALLEL', hard), 1)
  assert.is(await asked('auto', 'SINGLE', hard), 1)
  assert.is(await asked('auto', 'PARALLEL', { ...hard, options: { topology: 'auto' } }), 1)
  assert.is(await asked('auto', 'SINGLE', { ...hard, options: { topology: 'SINGLE' } }), 0)
  assert.is(await asked('auto', 'PARALLEL', { ...hard, options: { topology: 'INDEPENDENT' } }), 0)
  assert.is(await asked('auto', 'PARALLEL', { ...hard, options: { budget: { maxSteps: 2 } } }), 0)
  const byDefault = scriptRun({ model: () => JSON.stringify(goodSteps()) })
  const report = { ...complexity('PARALLEL'), ...hard }
  await new AdaptiveOrchestrator().planAsync(TASK, report, allocation('PARALLEL', 3), byDefault, {})
  assert.is(byDefault.requests.length, 1)
})

test('a model that sees one step leaves the task word for word to one agent', async () => {
  const steps = { steps: [toStep('a', 'Compare Oslo, Lima and Cairo: hotel nights, prices', [])] }
  const { plan: made, run } = await plan(() => JSON.stringify(steps), { topology: 'SINGLE', llm: 'auto', score: 0.5 })
  assert.is(run.requests.length, 1)
  assert.equal(
    made.steps.map(({ objective }) => objective),
    [TASK.description],
  )
  assert.is(made.topology, 'SINGLE')
})

test('whatever a planner says, the plan can be executed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TOPOLOGIES),
      fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 12, maxLength: 12 }),
      fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary: fc.json(), weight: 1 }, fc.string()),
      async (topology, numbers, text) => {
        let index = 0
        const random = () => numbers[index++ % numbers.length] ?? 0
        const { plan: made, run } = await plan(() => text ?? mutate(random), { topology })
        assert.equal(flawsOf(made, ['lookup']), [])
        assert.is(run.warnings.length > 0, made.source === 'deterministic' && run.requests.length > 0)
      },
    ),
    { numRuns: process.env.SVC_NIGHTLY ? 800 : 200 },
  )
})

test.run()
