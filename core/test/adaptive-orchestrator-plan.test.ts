import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheduleDag, validatePlan } from '../src/components.ts'
import { AdaptiveOrchestrator, type PlanStep, SvcError, TOPOLOGIES, type Topology } from '../src/index.ts'
import type { Plan } from '../src/schema.ts'
import { flawsOf } from './fixtures/fuzzed-plans.ts'
import { allocation, complexity, planOf, step } from './fixtures/plans.ts'
import { profile } from './fixtures/scripted-run.ts'

const test = suite('planning of the adaptive orchestrator')

const planFor = (description: string, topology: Topology, agents = 3, context = {}): Promise<Plan> =>
  new AdaptiveOrchestrator().planAsync(
    { id: 'task-1', description },
    complexity(topology, agents),
    allocation(topology, agents),
    undefined,
    context,
  )
/** The parts of a text: what a team whose topology was not asked for would work on. */
const partsOf = async (text: string): Promise<PlanStep[]> =>
  (await planFor(text, 'PARALLEL')).steps.filter(({ role }) => role === 'worker')
const objectives = async (text: string): Promise<string[]> => (await partsOf(text)).map(({ objective }) => objective)
const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work()
    return 'nothing thrown'
  } catch (thrown) {
    return SvcError.isInstance(thrown) ? thrown.code : `not an SvcError: ${thrown}`
  }
}

test('a text without parts is one part, word for word', async () => {
  for (const text of [
    'Explain the architecture of this repository',
    'List the test and build scripts',
    ' What does e.g. index.ts do? It is large.\n',
    'Natalia sold clips to 48 friends in April, and then she sold half as many in May. How many did she sell?',
    'Write a poem about love, loss and hope',
    'Build a web shop with login, payment and an admin page',
    'Merge a.pdf, b.pdf and c.pdf into one file',
    'What is the difference between TCP, UDP and QUIC?',
    'Rewrite this email so that it is friendlier:\n\nPlease update the sheet. Then check the totals.',
    'Explain section 1. It names 2. of them',
    'What changed between versions 1.2 and 2.0?',
    'Compare the orders in a.csv and the orders in b.csv',
    'Read and summarise notes.md',
  ])
    assert.equal(await objectives(text), [text])
})

test('things named under one instruction become one part each, in the words of the task', async () => {
  assert.equal(await objectives('Find all exported functions in a.ts, b.ts and c.ts'), [
    'Find all exported functions in a.ts',
    'Find all exported functions in b.ts',
    'Find all exported functions in c.ts',
  ])
  assert.equal(await objectives('Compare the licences of uvu and tapable.'), [
    'Describe the licences of uvu.',
    'Describe the licences of tapable.',
  ])
  assert.equal(await objectives('Summarise each of these three files: a.md, b.md, c.md'), [
    'Summarise each of these three files: a.md',
    'Summarise each of these three files: b.md',
    'Summarise each of these three files: c.md',
  ])
})

test('more than four things are done in four batches that lose none', async () => {
  const things = ['red', 'blue', 'green', 'white', 'black', 'brown', 'pink']
  const parts = await objectives(`Describe the colours:\n${things.map((thing) => `- ${thing}`).join('\n')}`)
  assert.is(parts.length, 4)
  for (const thing of things) assert.is(parts.filter((part) => part.includes(thing)).length, 1)
})

test('more than twelve instructions become twelve parts that lose none', async () => {
  const names = Array.from({ length: 15 }, (_, index) => `file${index}.ts`)
  for (const text of [
    names.map((name) => `- Explain ${name}`).join('\n'),
    names.map((name) => `Explain ${name}.`).join(' '),
  ]) {
    const parts = await objectives(text)
    assert.is(parts.length, 12)
    for (const name of names) assert.is(parts.filter((part) => part.includes(name)).length, 1, name)
  }
})

test('parts read as a person would write them', async () => {
  assert.equal(await objectives('Research Redis, Kafka and NATS and recommend one.'), [
    'Research Redis',
    'Research Kafka',
    'Research NATS',
    'Recommend one.\nThis is part of: Research Redis, Kafka and NATS and recommend one.',
  ])
  assert.equal(await objectives('Translate "one, two and three" into Thai. What is the time in "Paris, Texas"?'), [
    'Translate "one, two and three" into Thai.',
    'What is the time in "Paris, Texas"?',
  ])
})

test('an introduction and a bound go along with every item of a list', async () => {
  const parts = await objectives('In core/:\n1. List the exports\n2. Explain the build\n\nUse at most 100 words.')
  assert.is(parts.length, 2)
  for (const part of parts) assert.match(part, /^In core\/: .*\nUse at most 100 words\.$/)
})

test('a numbered list on one line is cut like one on many', async () => {
  assert.equal(await objectives('1. List the exports. 2. Count the tests. 3. What is the licence?'), [
    'List the exports.',
    'Count the tests.',
    'What is the licence?',
  ])
  assert.equal(await objectives('In core/: 1) list the exports 2) explain the build'), [
    'In core/: list the exports',
    'In core/: explain the build',
  ])
})

/** Requests, and which of their parts wait for which: for each part the numbers of those that it needs, "-" for none. */
const WAITING: readonly (readonly [request: string, expected: string])[] = [
  ['Extract the text, then translate it, then summarise the result', '- 1 1,2'],
  ['Compare Postgres, MySQL and SQLite and write a report for the board', '- - - 1,2,3'],
  ['Summarize the README. List the tools. Then write a report based on both.', '- - 1,2'],
  ['Write a haiku about rain. Count the files. Translate the haiku.', '- - 1'],
  ['Check the three suppliers and choose the cheapest', '- 1'],
  ['Read the README and count the words of LICENSE', '- -'],
  ['1. Collect the logs\n2. Find the slowest query in the logs\n3. Recommend an index', '- - 1,2'],
  ['In parallel: count the files; what is the licence; then list the scripts.', '- - -'],
]

test('a part waits for those whose results it needs, and for no other', async () => {
  for (const [request, expected] of WAITING) {
    const parts = await partsOf(request)
    const numbers = new Map(parts.map(({ id }, index) => [id, index + 1]))
    const shape = parts.map(({ dependsOn }) => dependsOn.map((id) => numbers.get(id)).join(',') || '-').join(' ')
    assert.is(shape, expected, request)
  }
})

test('planning never throws, and comes to an end, whatever the text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1, maxLength: 500, unit: 'binary' }), async (text) => {
      if (text.trim() !== '') assertRules(await planFor(text, 'PARALLEL'))
    }),
  )
  for (const unit of ['a, ', 'and ', '- x\n', '- write the a\n', 'find the x then ', '? ', 'if write the x, ', '. ']) {
    for (const length of [19_000, 500_000])
      assert.ok((await partsOf(`Compare ${unit.repeat(length / unit.length)}`)).length >= 1)
  }
})

test('SEQUENTIAL is a chain, with a synthesis only where the last phase would lose results', async () => {
  const chain = await planFor('Write a haiku about rain, then translate it into German', 'SEQUENTIAL', 2)
  assert.equal(
    chain.steps.map(({ dependsOn }) => dependsOn),
    [[], ['step-1']],
  )
  const loose = await planFor('Summarize the README. Count the files in src.', 'SEQUENTIAL', 2)
  assert.equal(
    loose.steps.map(({ role, dependsOn }) => [role, dependsOn.join()]),
    [
      ['worker', ''],
      ['worker', 'step-1'],
      ['synthesizer', 'step-1,step-2'],
    ],
  )
})

test('agents that were named become members in order, others only where they suit', async () => {
  const agents = [profile('ann'), profile('bob')]
  const named = await planFor('Describe a.ts, b.ts and c.ts', 'PARALLEL', 3, {
    agents,
    options: { agents: ['ann', 'bob'] },
  })
  assert.equal(
    named.agents.map(({ profileId }) => profileId),
    ['ann', 'bob'],
  )
  const alone = await planFor('What is 6 times 7?', 'DECENTRALIZED', 3, {
    agents: agents.slice(0, 1),
    options: { agents: ['ann'] },
  })
  assert.equal(
    alone.agents.map(({ profileId }) => profileId),
    ['ann', 'ann', 'ann'],
  )
  const skilled = [profile('cook'), profile('lawyer', { capabilities: ['licences'] })]
  const suited = await planFor('Describe the licences of uvu', 'SINGLE', 1, { agents: skilled })
  assert.is(suited.agents[0]?.profileId, 'lawyer')
  const none = await planFor('Count the files', 'SINGLE', 1, { agents: skilled })
  assert.is(none.agents[0]?.profileId, undefined)
})

test('a step may call the tools of its agent that the run allows, and synthesis calls none', async () => {
  const tools = ['read_file', 'write_file'].map((id) => ({
    id,
    description: '',
    parameters: {},
    risk: id === 'read_file' ? ('read' as const) : ('write' as const),
  }))
  const plan = await planFor('Describe a.ts, b.ts and c.ts', 'PARALLEL', 3, {
    tools,
    agents: [profile('ann', { tools: ['read_file', 'rm'] }), profile('bob')],
    options: { agents: ['ann', 'bob'] },
  })
  assert.equal(
    plan.steps.map((one) => one.tools),
    [['read_file'], ['read_file', 'write_file'], ['read_file'], []],
  )
})

test('createPlan makes a valid plan of every topology, and the same one twice', () => {
  const tasks = [
    { id: 'read', description: 'Read the code', complexity: 0.3 },
    { id: 'tests', description: 'Read the tests', complexity: 0.2 },
    { id: 'report', description: 'Report on {{read}}', complexity: 0.5, dependsOn: ['read', 'tests'] },
  ]
  for (const topology of TOPOLOGIES) {
    const orchestrator = new AdaptiveOrchestrator()
    const plan = orchestrator.createPlan(tasks, topology)
    assert.is(plan.topology, topology)
    assertRules(plan)
    assert.equal(orchestrator.createPlan(tasks, topology), plan)
    if (topology !== 'DECENTRALIZED')
      assert.ok(
        plan.steps.some(({ objective }) => /^Report on \{\{step-\d\}\}$/.test(objective)),
        topology,
      )
  }
  assert.is(new AdaptiveOrchestrator().createPlan(tasks, 'pipeline').topology, 'SEQUENTIAL')
})

test('createPlan says what is wrong with tasks', async () => {
  const create = (
    tasks: { id: string; description: string; complexity: number; dependsOn?: string[] }[],
    topology = 'SINGLE',
  ) => codeOf(() => new AdaptiveOrchestrator({ maxSteps: 32 }).createPlan(tasks, topology))
  const task = (id: string, dependsOn: string[] = []) => ({ id, description: 'x', complexity: 0.1, dependsOn })
  assert.is(await create([]), 'validation_failed')
  assert.is(await create([task('a'), task('a')]), 'validation_failed')
  assert.is(await create([task('a', ['b'])]), 'validation_failed')
  assert.is(await create([task('a', ['b']), task('b', ['a'])]), 'validation_failed')
  assert.is(await create([{ ...task('a'), complexity: 2 }]), 'validation_failed')
  assert.is(await create([task('a')], 'STAR'), 'validation_failed')
  assert.is(
    await create(
      Array.from({ length: 40 }, (_, index) => task(`t${index}`)),
      'PARALLEL',
    ),
    'validation_failed',
  )
})

test('work goes to the registered agent that suits it', () => {
  const orchestrator = new AdaptiveOrchestrator()
  orchestrator.registerAgent({ id: 'cook', name: 'Cook', role: 'worker', capabilities: ['recipes'] })
  orchestrator.registerAgent({ id: 'tester', name: 'Tester', role: 'worker', capabilities: ['tests'] })
  const plan = orchestrator.createPlan(
    [
      { id: 'a', description: 'Check the tests', complexity: 0.1 },
      { id: 'b', description: 'Write recipes', complexity: 0.1 },
    ],
    'PARALLEL',
  )
  const profileOf = (one: PlanStep | undefined) =>
    plan.agents.find(({ agentId }) => agentId === one?.agentId)?.profileId
  assert.equal([profileOf(plan.steps[0]), profileOf(plan.steps[1])], ['tester', 'cook'])
})

test('an agent is registered once', async () => {
  const orchestrator = new AdaptiveOrchestrator()
  const agent = { id: 'ann', name: 'Ann', role: 'worker', capabilities: [] }
  orchestrator.registerAgent(agent)
  assert.is(await codeOf(() => orchestrator.registerAgent(agent)), 'validation_failed')
  assert.is(await codeOf(() => orchestrator.registerAgent({ ...agent, id: 'Not a slug' })), 'validation_failed')
})

test("a user's plan is refused with everything that is wrong, never mended in silence", () => {
  const { plan, errors } = validatePlan(planOf([step('a', ['b']), step('b', ['a']), step('c', ['nowhere'])]))
  assert.is(plan, undefined)
  assert.equal(
    errors.map(({ path }) => path),
    ['/steps/2/dependsOn', '/steps'],
  )
  assert.is(validatePlan(planOf([step('a'), step('a')])).plan, undefined)
  assert.is(validatePlan({ steps: [{ objective: ' ' }] }).errors[0]?.path, '/steps/0/objective')
  assert.is(validatePlan(planOf([step('a')]), { profiles: [] }).errors.length, 0)
})

test("a model's plan is mended: unknown ids dropped, circles cut where no objective names the result", () => {
  const { plan, warnings } = validatePlan({
    ...planOf([
      step('a', ['c', 'nowhere'], { objective: 'List the exported functions of the core package' }),
      step('b', ['a'], { objective: 'Explain the exported functions of the core package' }),
      step('c', ['b'], { objective: 'Bake bread from {{b}}' }),
      step('d', [], { objective: 'Count all the files' }),
    ]),
    source: 'llm',
  })
  assert.ok(plan)
  assertRules(plan)
  assert.equal(plan.steps.find(({ id }) => id === 'a')?.dependsOn, [])
  assert.equal(plan.steps.find(({ id }) => id === 'c')?.dependsOn, ['b'])
  assert.ok(warnings.length >= 2)
})

test('loose ends get one synthesis, marks become dependencies, an acceptance is filled in, tools are kept to the allowed', () => {
  const { plan } = validatePlan(
    planOf([step('a', [], { tools: ['x', 'y'] }), step('b'), step('c', [], { objective: 'use {{a}}' })]),
    {
      tools: [{ id: 'x' }],
    },
  )
  assert.ok(plan)
  assertRules(plan)
  assert.equal(plan.steps[0]?.tools, ['x'])
  assert.equal(plan.steps[2]?.dependsOn, ['a'])
  assert.equal(plan.steps[0]?.acceptance, ['answers: do a'])
  assert.is(plan.steps.at(-1)?.role, 'synthesizer')
})

const assertRules = (plan: Plan): void => assert.equal(flawsOf(plan), [])

const messy = fc.oneof(fc.constantFrom('step-1', 'worker', 'do {{step-2}}', 'llm', ''), fc.double(), fc.constant(null))
/** Mostly what belongs there, at times anything. */
const mostly = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 40, arbitrary }, messy)
const ids = fc.constantFrom('step-1', 'step-2', 'step-3', 'step-4')
const messyStep = fc.record(
  {
    id: mostly(fc.string({ minLength: 1, maxLength: 3 })),
    objective: mostly(fc.constantFrom('read', 'write it down', 'use {{step-2}}')),
    agentId: mostly(fc.constantFrom('agent-1', 'agent-2')),
    role: mostly(fc.constantFrom('worker', 'critic', 'vote')),
    dependsOn: mostly(fc.array(ids, { maxLength: 2 })),
    tools: mostly(fc.array(ids, { maxLength: 2 })),
    estimatedTokens: mostly(fc.integer()),
    maxTries: mostly(fc.integer()),
  },
  { requiredKeys: ['objective'] },
)
const messyPlan = mostly(
  fc.record(
    {
      topology: mostly(fc.constantFrom(...TOPOLOGIES)),
      agents: mostly(fc.array(mostly(fc.record({ agentId: ids, name: messy, profileId: messy })), { maxLength: 2 })),
      steps: mostly(fc.array(mostly(messyStep), { maxLength: 8 })),
      source: mostly(fc.constantFrom('llm', 'user', 'deterministic')),
    },
    { requiredKeys: ['steps'] },
  ),
)

test('whatever looks like a plan is either refused with reasons or obeys every rule', () => {
  const numRuns = process.env.SVC_NIGHTLY ? 2_000 : 500
  let valid = 0
  fc.assert(
    fc.property(messyPlan, fc.boolean(), (value, mend) => {
      const { plan, errors } = validatePlan(value, { mend, tools: [{ id: 'step-1' }] })
      if (plan === undefined) return assert.ok(errors.length > 0)
      valid++
      assertRules(plan)
      for (const one of plan.steps) assert.ok(one.tools.every((id) => id === 'step-1'))
      assert.equal(validatePlan(plan, { mend: false }).plan, plan, 'a valid plan is left as it is')
    }),
    { numRuns },
  )
  assert.ok(valid > numRuns / 10, `only ${valid} plans were valid`)
})

test('a schedule obeys every edge and its limit, and lasts no less than its lower bound', () => {
  const nodes = fc.array(
    fc.record({
      duration: fc.integer({ min: 1, max: 50 }),
      estimate: fc.integer({ min: 1, max: 50 }),
      on: fc.nat({ max: 20 }),
    }),
    { minLength: 1, maxLength: 20 },
  )
  fc.assert(
    fc.property(nodes, fc.integer({ min: 1, max: 4 }), (drawn, slots) => {
      const timed = drawn.map(({ on, ...rest }, index) => ({
        ...rest,
        id: `s${index}`,
        dependsOn: on < index ? [`s${on}`] : [],
      }))
      const { makespan, lowerBound, starts } = scheduleDag(timed, slots)
      const spans = new Map(
        timed.map(({ id, duration }) => [id, { start: starts.get(id) ?? -1, end: (starts.get(id) ?? -1) + duration }]),
      )
      for (const { id, dependsOn } of timed)
        for (const other of dependsOn) assert.ok((spans.get(id)?.start ?? -1) >= (spans.get(other)?.end ?? 0))
      for (const time of starts.values()) {
        const busy = [...spans.values()].filter(({ start, end }) => start <= time && end > time)
        assert.ok(busy.length <= slots)
      }
      assert.ok(makespan >= lowerBound)
    }),
  )
})

test.run()
