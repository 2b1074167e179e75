import type { Plan, RunOptions } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate } from '../src/defaults/allocate.ts'
import { analyze } from '../src/defaults/analyze.ts'
import { type OrchestrateOptions, orchestrate } from '../src/defaults/orchestrate.ts'
import { runTask } from './fixtures/run-task.ts'

const test = suite('what planning costs in calls')

const HARD = 'Build a web shop with login, payment and an admin page'
const STEPS = {
  steps: ['Build the login', 'Build the payment', 'Build the admin page'].map((objective, index) => ({
    id: `s${index}`,
    objective,
    agentId: 'agent-1',
    dependsOn: index === 0 ? [] : [`s${index - 1}`],
    acceptance: ['it is there'],
    tools: [],
    effort: 'medium',
  })),
}

interface Planned {
  plan: Plan | undefined
  /** Calls for planning, and all others. */
  planning: number
  working: number
}

async function run(
  task: string,
  options: RunOptions = {},
  { deterministic = false, ...settings }: OrchestrateOptions & { deterministic?: boolean } = {},
): Promise<Planned> {
  const { result, provider } = await runTask(
    ({ outputSchema }) => (outputSchema === undefined ? 'done' : JSON.stringify(STEPS)),
    { task, ...options },
    { plugins: [analyze(), allocate(), orchestrate(settings)], model: { deterministic } },
  )
  const planning = provider.requests.filter(({ outputSchema }) => outputSchema !== undefined).length
  return { plan: result.plan, planning, working: provider.requests.length - planning }
}

for (const task of [
  'Summarise README.md',
  'What do we sell?',
  'Who wrote Dracula, and when?',
  'Fix the failing tests',
]) {
  test(`a plain request costs its agent's call alone: ${task}`, async () => {
    const { planning, working, plan } = await run(task)
    assert.equal([planning, working, plan?.topology], [0, 1, 'SINGLE'])
  })
}

test('a hard task costs one call for its plan where the topology is left to svc', async () => {
  const auto = await run(HARD)
  assert.equal([auto.planning, auto.plan?.source, auto.plan?.steps.length], [1, 'llm', 3])
  assert.is((await run(HARD, { topology: 'AUTO' })).planning, 1)
})

test('a hard task costs no call for its plan where the topology is given, the option is off or the model deterministic', async () => {
  const single = await run(HARD, { topology: 'SINGLE' })
  assert.equal([single.planning, single.working, single.plan?.steps.length], [0, 1, 1])
  assert.is((await run(HARD, { topology: 'PARALLEL' })).planning, 0)
  assert.is((await run(HARD, {}, { llm: false })).planning, 0)
  assert.is((await run(HARD, {}, { deterministic: true })).planning, 0)
  assert.is((await run(HARD, { budget: { maxSteps: 2 } })).planning, 0)
})

test('a part that the model left out of its steps is still before every agent', async () => {
  const { plan } = await run(HARD)
  for (const { objective } of plan?.steps ?? []) assert.ok(objective.includes(HARD), objective)
})

test('a run with a small budget keeps it for its work', async () => {
  for (const options of [{ tokenBudget: 8_000 }, { budget: { maxTokens: 8_000 } }]) {
    const { planning, working } = await run(HARD, options)
    assert.equal([planning, working], [0, 1])
  }
})

test('a team that may not make a call for each part does them as one', async () => {
  const { plan, working } = await run('Write unit tests for cart.ts, checkout.ts and invoice.ts', {
    topology: 'PARALLEL',
    budget: { maxSteps: 3 },
  })
  assert.equal([plan?.topology, plan?.steps.length, working], ['PARALLEL', 3, 3])
  assert.match(plan?.warnings?.[0] ?? '', 'may make 3 model calls and its parts need 4')
})

test('what one part finds and another judges is never done side by side', async () => {
  for (const task of [
    'Research three competitors and recommend one',
    'Compare README.md and LICENSE and write a summary',
  ]) {
    const { plan } = await run(task, { topology: 'PARALLEL' })
    const free = plan?.steps.filter(({ dependsOn }) => dependsOn.length === 0).map(({ objective }) => objective)
    assert.not.ok(
      free?.some((objective) => /^(?:Recommend|Write)/.test(objective)),
      free?.join(' | '),
    )
    assert.is(plan?.steps.filter(({ dependsOn }) => dependsOn.length > 0).length, 1)
  }
})

test.run()
