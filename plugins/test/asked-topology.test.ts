/** A topology that a run asks for is obeyed, or refused before a model is asked. */
import {
  definePlugin,
  type ModelRequest,
  type Plan,
  type PlanStep,
  type RunOptions,
  TOPOLOGIES,
  type Tool,
  type Topology,
  toText,
} from '@svc/core'
import { scriptedProvider, sequentialPlan } from '@svc/core/testing'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate } from '../src/defaults/allocate.ts'
import { analyze } from '../src/defaults/analyze.ts'
import { orchestrate } from '../src/defaults/orchestrate.ts'
import { createRuntime } from '../src/index.ts'
import { type Ran, runTask } from './fixtures/run-task.ts'

const test = suite('an asked topology')

const tool = (id: string, risk: Tool['risk']): Tool => ({
  id,
  description: `does ${id}`,
  parameters: { type: 'object', properties: {} },
  risk,
  run: async () => 'done',
})

/** Each answer is a word of its own, so that one can see who was handed which. */
const run = (task: string, options: RunOptions): Promise<Ran> =>
  runTask(
    (_request, index) => `Answer-${index}-end.`,
    { task, ...options },
    {
      plugins: [analyze(), allocate(), orchestrate()],
      tools: [tool('look_up', 'read'), tool('change_it', 'write')],
    },
  )

const ofRole = (plan: Plan, role: string): PlanStep[] => plan.steps.filter((step) => step.role === role)
const agentsOf = (steps: readonly PlanStep[]): number => new Set(steps.map(({ agentId }) => agentId)).size

/** What makes a plan the team that its topology promises. */
const SHAPES: Readonly<Record<Topology, (plan: Plan) => void>> = {
  SINGLE({ steps }) {
    assert.is(agentsOf(steps), 1)
  },
  SEQUENTIAL({ steps }) {
    assert.ok(steps.length >= 2)
    assert.ok(agentsOf(steps) >= 2)
    for (const [index, { dependsOn }] of steps.entries())
      assert.ok(index === 0 ? dependsOn.length === 0 : dependsOn.includes(steps[index - 1]?.id ?? ''))
  },
  PARALLEL(plan) {
    const apart = ofRole(plan, 'worker').filter(({ dependsOn }) => dependsOn.length === 0)
    assert.ok(apart.length >= 2)
    assert.ok(agentsOf(apart) >= 2)
    assert.ok(plan.steps.at(-1)?.dependsOn.length === plan.steps.length - 1)
  },
  CENTRALIZED(plan) {
    isLed(plan)
  },
  DECENTRALIZED(plan) {
    const drafts = ofRole(plan, 'worker')
    assert.ok(drafts.length >= 2 && drafts.every(({ dependsOn }) => dependsOn.length === 0))
    assert.is(agentsOf(drafts), drafts.length)
    assert.is(plan.steps.at(-1)?.role, 'vote')
    assert.equal(
      plan.steps.at(-1)?.dependsOn,
      drafts.map(({ id }) => id),
    )
  },
  HYBRID(plan) {
    isLed(plan)
    const reviews = ofRole(plan, 'critic')
    const works = ofRole(plan, 'worker')
    assert.is(reviews.length, works.length)
    for (const { agentId, dependsOn } of reviews)
      assert.is.not(works.find(({ id }) => dependsOn.includes(id))?.agentId, agentId, 'nobody reviews its own')
  },
}

function isLed(plan: Plan): void {
  const [lead] = plan.steps
  const last = plan.steps.at(-1)
  const works = ofRole(plan, 'worker')
  assert.equal([lead?.role, last?.role, lead?.agentId], ['lead', 'synthesizer', last?.agentId])
  assert.ok(works.length >= 1)
  for (const { id, agentId, dependsOn } of works) {
    assert.is.not(agentId, lead?.agentId)
    assert.ok(dependsOn.includes(lead?.id ?? '') && last?.dependsOn.includes(id))
  }
}

/** Every step ran once, after those it waits for, and what the last one was given holds every part's result. */
function ranAsPlanned({ result, events, provider }: Ran, parts: readonly string[]): void {
  const { plan } = result
  assert.ok(plan)
  const orderOf = (type: string, id: string): number =>
    events.findIndex((event) => event.type === type && event.stepId === id)
  for (const { id, dependsOn } of plan.steps) {
    assert.ok(orderOf('step.completed', id) >= 0, `${id} was done`)
    for (const other of dependsOn) assert.ok(orderOf('step.completed', other) < orderOf('step.started', id))
  }
  const works = ofRole(plan, 'worker')
  for (const part of parts)
    assert.ok(
      works.some(({ objective }) => objective.includes(part)),
      part,
    )
  if (plan.steps.length === 1) return
  const last = textOf(provider.requests.at(-1))
  const outputs = events.flatMap((event) =>
    event.type === 'step.completed' &&
    event.stepId !== plan.steps.at(-1)?.id &&
    works.some(({ id }) => id === event.stepId)
      ? [JSON.stringify(event.data)]
      : [],
  )
  assert.ok(outputs.length > 0)
  const said = outputs.flatMap((data) => /Answer-\d+-end/.exec(data)?.[0] ?? [])
  for (const answer of said) assert.ok(last.includes(answer), `${answer} reached the last step`)
}

const textOf = (request: ModelRequest | undefined): string =>
  (request?.messages ?? []).map(({ content }) => toText(content)).join('\n')

const THINGS = ['a.csv', 'app.yml', 'Oslo', 'die Liste', '価格表', 'los puertos', 'النص', 'notes.md']
const WRAPS: readonly ((things: readonly string[]) => string)[] = [
  (things) => things.map((thing) => `Report what ${thing} says`).join('; '),
  (things) => things.map((thing, index) => `${index + 1}. Describe ${thing}`).join('\n'),
  (things) => things.map((thing) => `What is in ${thing}?`).join(' '),
  (things) => `Compare ${things.join(', ')} and recommend one`,
  (things) => things.map((thing) => `Write about ${thing}.`).join(' Then use it. '),
  (things) => `Fasse ${things.join(' und ')} zusammen.`,
  (things) => `比较 ${things.join('和')}。`,
  (things) => `¿Qué dicen ${things.join(' y ')}?`,
]

const samples = fc.record({
  things: fc.uniqueArray(fc.constantFrom(...THINGS), { minLength: 1, maxLength: 4 }),
  wrap: fc.nat(WRAPS.length - 1),
  topology: fc.constantFrom(...TOPOLOGIES),
  tokenBudget: fc.constantFrom(undefined, 1_100, 1_800, 2_600, 4_000, 9_000, 64_000),
  maxTokens: fc.constantFrom(undefined, undefined, 3_000, 9_000),
  maxSteps: fc.constantFrom(undefined, undefined, 1, 2, 3, 4, 8),
})

test('for any task, topology and budget the plan is that team and every step of it runs, or no model is asked', async () => {
  let obeyed = 0
  let refused = 0
  await fc.assert(
    fc.asyncProperty(samples, async ({ things, wrap, topology, tokenBudget, maxTokens, maxSteps }) => {
      const task = WRAPS[wrap]?.(things) ?? ''
      const budget = { ...(maxTokens && { maxTokens }), ...(maxSteps && { maxSteps }) }
      const ran = await run(task, { topology, ...(tokenBudget && { tokenBudget }), budget })
      const { result, provider } = ran
      if (result.error?.code === 'budget_too_small') {
        refused++
        assert.is(result.status, 'failed')
        assert.is(provider.requests.length, 0)
        assert.match(result.error.message, /at least \d+ .*\d+/)
        return
      }
      obeyed++
      assert.ok(result.plan, JSON.stringify(result.error))
      assert.equal([result.plan.topology, ran.run.topology], [topology, topology])
      for (const event of ran.events) if (event.type === 'plan.created') assert.is(event.data.topology, topology)
      SHAPES[topology](result.plan)
      // A budget of tokens may still end a run whose calls are longer than anybody can know before.
      if (result.incomplete?.reason === 'budget_exhausted') return
      assert.is(result.status, 'completed', JSON.stringify([result.error, result.incomplete, result.plan]))
      ranAsPlanned(ran, things)
    }),
    { numRuns: 100 },
  )
  assert.ok(obeyed > 15 && refused > 5, `${obeyed} obeyed, ${refused} refused`)
})

test('of two agents with the same task one alone is given tools that change things', async () => {
  for (const topology of ['PARALLEL', 'SEQUENTIAL'] as const) {
    const { result } = await run('Describe the harbour', { topology })
    const tools = (result.plan?.steps ?? []).filter(({ role }) => role === 'worker').map((step) => step.tools)
    assert.equal(tools, [['look_up', 'change_it'], ['look_up']])
  }
})

test('a refusal names the tokens that are needed, and these are enough', async () => {
  for (const topology of TOPOLOGIES.filter((each) => each !== 'SINGLE')) {
    const { result } = await run('Describe the harbour', { topology, tokenBudget: 1_100 })
    const [, needed = '', given = ''] =
      /at least (\d+) tokens .* and (\d+) are given/.exec(result.error?.message ?? '') ?? []
    assert.is(given, '1100')
    const again = await run('Describe the harbour', { topology, tokenBudget: Number(needed) })
    assert.is(again.result.plan?.topology, topology)
    const less = await run('Describe the harbour', { topology, tokenBudget: Number(needed) - 1 })
    assert.equal([less.result.error?.code, less.provider.requests.length], ['budget_too_small', 0])
  }
})

test('a limit of model calls that the config sets refuses a team as one of the run does', async () => {
  const provider = scriptedProvider('scripted', () => 'done')
  const own = definePlugin('own', ({ providers }) => {
    providers.add('scripted', provider)
  })()
  const config = { plugins: [own], model: 'scripted/scripted', budget: { maxSteps: 2 } }
  const runtime = await createRuntime(config, { env: {}, persist: false })
  try {
    const { id } = await runtime.runs.create({ task: 'Describe the harbour', topology: 'HYBRID' })
    const { error } = await runtime.runs.wait(id)
    assert.equal([error?.code, provider.requests.length], ['budget_too_small', 0])
    assert.match(error?.message ?? '', /at least 4 model calls, and budget\.maxSteps allows 2/)
  } finally {
    await runtime.close()
  }
})

test('a plugin that plans another topology, and a given plan of another one, are refused by name', async () => {
  const plan: Plan = { ...sequentialPlan(['Describe it']), topology: 'SINGLE' }
  const provider = scriptedProvider('scripted', () => 'done')
  const runtime = await createRuntime(
    {
      plugins: [
        definePlugin('own-plan', ({ hooks, providers }) => {
          providers.add('scripted', provider)
          hooks.plan.tap('own-plan', () => plan)
        })(),
      ],
      model: 'scripted/scripted',
    },
    { env: {}, persist: false },
  )
  try {
    const { id } = await runtime.runs.create({ task: 'Describe it', topology: 'PARALLEL' })
    const { status, error } = await runtime.runs.wait(id)
    assert.equal([status, error?.code, provider.requests.length], ['failed', 'plan_invalid', 0])
    assert.match(error?.message ?? '', /asks for PARALLEL, and its plan is SINGLE/)
    const thrown = await runtime.runs.create({ task: 'Describe it', topology: 'PARALLEL', plan }).then(
      () => undefined,
      (refused: { code: string; message: string }) => refused,
    )
    assert.is(thrown?.code, 'validation_failed')
    assert.match(thrown?.message ?? '', /\/topology is PARALLEL, and the plan is SINGLE/)
  } finally {
    await runtime.close()
  }
})

test.run()
