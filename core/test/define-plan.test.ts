/** Plans as programs write them: what is left out is filled in, and everything that is wrong is said at once. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { validatePlan } from '../src/components.ts'
import {
  definePlan,
  type FieldError,
  fits,
  type PlanInput,
  type StepInput,
  SvcError,
  TOPOLOGIES,
} from '../src/index.ts'
import { Plan } from '../src/schema.ts'

const test = suite('definePlan')

/** What is wrong with a plan; empty where nothing is. */
function faultsOf(input: unknown): FieldError[] {
  try {
    definePlan(input as PlanInput)
    return []
  } catch (thrown) {
    assert.ok(SvcError.isInstance(thrown) && thrown.code === 'plan_invalid', String(thrown))
    return [...(thrown.errors ?? [])]
  }
}

test('a plan needs the objectives of its steps alone', () => {
  const plan = definePlan({ steps: [{ objective: 'Count the shops.' }] })
  assert.ok(fits(Plan, plan))
  assert.equal(plan, {
    id: 'plan-1',
    topology: 'SINGLE',
    agents: [{ agentId: 'agent-1', name: 'Agent 1', role: 'worker' }],
    steps: [
      {
        id: 'step-1',
        objective: 'Count the shops.',
        agentId: 'agent-1',
        role: 'worker',
        dependsOn: [],
        inputs: [],
        acceptance: ['answers: Count the shops.'],
        tools: ['*'],
        estimatedTokens: 2000,
        risk: 'read',
        maxTries: 2,
      },
    ],
    source: 'user',
    criticalPath: ['step-1'],
    warnings: [],
  })
})

test('steps of a SEQUENTIAL plan wait for the one before, all others for what they name', () => {
  const steps = (): StepInput[] => [{ objective: 'a' }, { objective: 'b' }, { objective: 'c', dependsOn: ['step-1'] }]
  const waits = (input: PlanInput) => definePlan(input).steps.map(({ dependsOn }) => dependsOn.join(' '))
  assert.equal(waits({ topology: 'SEQUENTIAL', steps: steps() }).slice(0, 3), ['', 'step-1', 'step-1'])
  assert.equal(waits({ topology: 'PARALLEL', steps: steps().slice(0, 2) }), ['', '', 'step-1 step-2'])
  assert.equal(waits({ steps: [{ objective: 'a' }, { objective: 'Improve {{step-1}}.' }] }), ['', 'step-1'])
})

test('ids keep clear of those that are given, and a step goes to the agent of its role', () => {
  const { steps, agents } = definePlan({
    agents: [{ name: 'Ann' }, { role: 'judge', profileId: 'strict-judge' }],
    steps: [{ objective: 'Draft.' }, { id: 'step-1', objective: 'Judge {{step-2}}.', role: 'judge' }],
  })
  assert.equal(
    steps.map(({ id, agentId, dependsOn }) => [id, agentId, ...dependsOn]),
    [
      ['step-2', 'agent-1'],
      ['step-1', 'agent-2', 'step-2'],
    ],
  )
  assert.equal(
    agents.map(({ name, profileId }) => [name, profileId]),
    [
      ['Ann', undefined],
      ['strict-judge', 'strict-judge'],
    ],
  )
})

test('the loose ends of a topology of a plugin stay loose', () => {
  const steps = [{ objective: 'a' }, { objective: 'b' }]
  assert.is(definePlan({ topology: 'TOURNAMENT', steps }).steps.length, 2)
  assert.is(definePlan({ topology: 'PARALLEL', steps }).steps.length, 3)
})

test('one error lists all that is wrong, with its place and what would be right', () => {
  const input = {
    topology: 'AUTO',
    steps: [
      { objektive: 'x', dependsOn: ['nowhere'] },
      { id: 'a', objective: 'x', dependsOn: ['b'], risk: 'reckless' },
      { id: 'b', objective: 'x', dependsOn: ['a'], maxTries: 0 },
      { id: 'c', objective: 'x', dependsOn: ['d'] },
      { id: 'd', objective: 'x', dependsOn: ['c'] },
      7,
    ],
    budget: 3,
  }
  const faults = faultsOf(input)
  assert.equal(
    new Set(faults.map(({ path }) => path)),
    new Set([
      '/topology',
      '/steps/0/objective',
      '/steps/0/objektive',
      '/steps/0/dependsOn',
      '/steps/1/risk',
      '/steps/2/maxTries',
      '/steps',
      '/steps/5',
      '/steps/5/objective',
      '/budget',
    ]),
  )
  assert.is(faults.filter(({ message }) => message.startsWith('must not wait for each other in a circle')).length, 2)
  assert.match(faults.find(({ path }) => path === '/steps/0/objektive')?.message ?? '', /did you mean objective\?/)
  assert.throws(
    () => definePlan(input as never),
    (error: Error) =>
      /^the plan cannot be executed: \/steps\/0\/objective must be a text .*; \/topology must be /.test(error.message),
  )
})

test('how many steps a plan may have is said by a rule, the one that puts them together among them', () => {
  const plan = (count: number): PlanInput => ({
    steps: Array.from({ length: count }, (_, n) => ({ objective: `Part ${n}.` })),
  })
  assert.is(definePlan(plan(999)).steps.length, 1_000)
  const of = (count: number, rules = {}) => validatePlan(definePlan(plan(count)), rules).errors
  const message = 'must have at most 256 steps, not 257: maxPlanSteps of the config says how many'
  assert.equal([of(255), of(256)], [[], [{ path: '/steps', message }]])
  assert.equal(of(256, { maxSteps: 257 }), [])
  assert.is(of(5_000)[0]?.path, '/steps')
})

/** What one step is broken by, and the field that the list has to name; no field: the step as a whole. */
const FAULTS: readonly (readonly [field: string, value: unknown])[] = [
  ['objective', undefined],
  ['objective', ' '],
  ['risk', 'reckless'],
  ['maxTries', 11],
  ['estimatedTokens', -1],
  ['agentId', 7],
  ['tools', 'read_file'],
  ['dependsOn', ['nobody']],
  ['dependOn', []],
  ['id', 'first'],
  ['', null],
]

/** A partial plan without a fault: ids of all steps, and of the rest what chance leaves there. */
const partial = fc
  .record({
    topology: fc.option(fc.constantFrom(...TOPOLOGIES, 'RING'), { nil: undefined }),
    steps: fc.array(
      fc.record(
        {
          objective: fc.constantFrom('Count.', 'Compare {{first}} with it.', 'Write it down.'),
          role: fc.constantFrom('worker', 'judge'),
          risk: fc.constantFrom('read', 'write'),
          tools: fc.constantFrom([], ['*']),
          maxTries: fc.integer({ min: 1, max: 10 }),
          waits: fc.nat(),
        },
        { requiredKeys: ['objective', 'waits'] },
      ),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ topology, steps }) => ({
    ...(topology && { topology }),
    steps: steps.map(({ waits, ...step }, n) => ({
      ...step,
      id: n === 0 ? 'first' : `s${n}`,
      ...(waits % 3 === 0 && { dependsOn: n === 0 ? [] : [waits % n === 0 ? 'first' : `s${waits % n}`] }),
    })) as Record<string, unknown>[],
  }))

test('a partial plan becomes a valid plan, or one error that names each planted fault', () => {
  const faults = fc.array(fc.tuple(fc.constantFrom(...FAULTS), fc.nat(7)), { maxLength: 6 })
  const seen = { valid: 0, planted: 0 }
  fc.assert(
    fc.property(partial, faults, fc.boolean(), (input, planted, isInCircle) => {
      const { steps } = input
      const [first] = steps
      if (first !== undefined) delete first.dependsOn
      if (first?.objective === 'Compare {{first}} with it.') first.objective = 'Count.'
      const places = new Map(planted.filter(([, n]) => n > 0 && n < steps.length).map(([fault, n]) => [n, fault]))
      const wanted = [...places].map(([n, [field, value]]) => {
        steps[n] = field === '' ? (value as never) : { ...steps[n], [field]: value }
        return field === '' ? `/steps/${n}` : `/steps/${n}/${field}`
      })
      if (isInCircle) {
        steps.push(
          { id: 'left', objective: 'x', dependsOn: ['right'] },
          { id: 'right', objective: 'x', dependsOn: ['left'] },
        )
        wanted.push('/steps')
      }
      const found = faultsOf(input)
      if (wanted.length === 0) {
        assert.equal(found, [])
        const plan = definePlan(input as never)
        assert.ok(fits(Plan, plan))
        assert.equal(definePlan(plan), plan, 'a plan is left as it is')
        const { plan: run } = validatePlan(plan, { mend: false })
        assert.equal(run?.steps.slice(0, plan.steps.length), plan.steps)
        seen.valid++
        return
      }
      const paths = new Set(found.map(({ path }) => path))
      for (const path of wanted) assert.ok(paths.has(path), `${path} is not in ${[...paths].join(', ')}`)
      seen.planted += wanted.length
    }),
    { numRuns: process.env.SVC_NIGHTLY ? 5_000 : 1_000 },
  )
  assert.ok(seen.valid > 50 && seen.planted > 500, JSON.stringify(seen))
})

test.run()
