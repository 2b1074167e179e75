import {
  definePlugin,
  type ModelRequest,
  type Plan,
  type PlanStep,
  type Plugin,
  ProviderError,
  type RunCreate,
  type RunOptions,
  type Tool,
  toText,
} from '@svc/core'
import { type Script, scriptedProvider, sequentialPlan } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate } from '../src/defaults/allocate.ts'
import { analyze } from '../src/defaults/analyze.ts'
import { orchestrate } from '../src/defaults/orchestrate.ts'
import { reflect } from '../src/defaults/reflect.ts'
import { assertCostIdentity } from './fixtures/cost-identity.ts'
import { type Ran, runTask } from './fixtures/run-task.ts'
import { settled, until } from './fixtures/until.ts'

const test = suite('the orchestrate plugin in a runtime')

async function run(
  script: Script,
  task: string,
  options: RunOptions & { plan?: Plan } = {},
  more: Plugin[] = [],
): Promise<Ran> {
  const plugins = [...more, analyze(), allocate(), orchestrate()]
  const ran = await runTask(script, { task, ...options }, { plugins })
  assertCostIdentity(ran.result, ran.events)
  return ran
}

const userText = ({ messages }: ModelRequest): string =>
  toText(messages.find(({ role }) => role === 'user')?.content ?? [])
const step = (number: number, objective: string, dependsOn: string[] = [], tools: string[] = []): PlanStep => ({
  id: `step-${number}`,
  objective,
  agentId: `agent-${number}`,
  role: 'worker',
  dependsOn,
  inputs: [],
  acceptance: ['the answer is there'],
  tools,
  estimatedTokens: 500,
  risk: 'read',
  maxTries: 2,
})
const planOf = (steps: PlanStep[], topology: Plan['topology']): Plan => ({
  id: 'plan-1',
  topology,
  agents: steps.map(({ agentId }) => ({ agentId, name: agentId, role: 'worker' })),
  steps,
  source: 'user',
  criticalPath: [],
  warnings: [],
})

test('a plan with a circle fails the run with plan_invalid', async () => {
  const { result } = await run(() => 'x', 'go', {
    plan: planOf([step(1, 'a', ['step-2']), step(2, 'b', ['step-1'])], 'SEQUENTIAL'),
  })
  assert.equal([result.status, result.error?.code], ['failed', 'plan_invalid'])
})

test('a provider that takes two calls at once gets two, however many steps may start', async () => {
  let running = 0
  let most = 0
  const narrow = scriptedProvider(
    'narrow',
    async () => {
      most = Math.max(most, ++running)
      await until(() => most === 2)
      await settled()
      running--
      return 'done'
    },
    { maxConcurrency: 2 },
  )
  const host = definePlugin('narrow', ({ providers }) => providers.add('narrow', narrow))()
  const workers = Array.from({ length: 8 }, (_, index) => step(index + 1, `do part ${index + 1}`))
  const plan = planOf(workers, 'PARALLEL')
  const { result } = await run(() => 'never asked', 'Do eight parts', { plan, model: 'narrow/scripted' }, [host])
  assert.is(result.status, 'completed')
  assert.is(narrow.requests.length, 9)
  assert.is(most, 2)
})

test('a run that gets stuck is planned again twice, keeps what was finished, and ends with its reason', async () => {
  const bad = ['part 2', 'part 3', 'part 4']
  const steps = [
    step(1, 'do part 1'),
    ...[2, 3, 4].map((number) => ({ ...step(number, `do part ${number}`, ['step-1']), maxTries: 1 })),
    step(5, 'do part 5', ['step-2', 'step-3', 'step-4']),
  ]
  const { result, events, provider } = await run(
    (request) =>
      bad.some((part) => userText(request).startsWith(`do ${part}`))
        ? { error: new ProviderError('provider_bad_response', 'rubbish', { provider: 'scripted', retryable: false }) }
        : 'done',
    'Do five parts',
    { plan: planOf(steps, 'CENTRALIZED') },
  )
  assert.is(events.filter(({ type }) => type === 'plan.revised').length, 2)
  assert.is(provider.requests.filter((request) => userText(request).startsWith('do part 1')).length, 1)
  assert.is(provider.requests.filter((request) => userText(request).startsWith('do part 5')).length, 0)
  assert.equal([result.status, result.incomplete?.reason], ['incomplete', 'plan_failed'])
  assert.match(result.summary, 'done')
})

/** A person denies whatever is asked. */
const denying = (script: Script, create: RunCreate, tools: readonly Tool[] = []): Promise<Ran> =>
  runTask(script, create, {
    plugins: [analyze(), allocate(), orchestrate(), reflect()],
    tools,
    onEvent({ type, approvalId }, runtime) {
      if (type !== 'approval.requested' || approvalId === undefined) return
      setImmediate(() => void runtime.approvals.resolve(approvalId, { decision: 'deny' }).catch(assert.unreachable))
    },
  })

test('a person is asked once about one call, however often the step is done again', async () => {
  const save: Tool = {
    id: 'save',
    description: 'saves a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    risk: 'write',
    run: async () => assert.unreachable(),
  }
  const { events, provider } = await denying(
    ({ messages, tools }) =>
      tools === undefined || messages.some(({ role }) => role === 'tool')
        ? 'Done: I have written out/hello.txt.'
        : { toolCalls: [{ tool: 'save', args: { path: 'out/hello.txt' } }] },
    { task: 'Write hello to out/hello.txt', topology: 'SINGLE', approval: 'wait' },
    [save],
  )
  assert.is(events.filter(({ type }) => type === 'approval.requested').length, 1)
  assert.ok(events.some(({ type }) => type === 'tool.denied'))
  const advice = provider.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
  assert.match(toText(advice[0]?.content ?? []), 'Do not make this call again')
})

test('what reads on in a long result passes the tool gateway, within its size', async () => {
  const long = '長'.repeat(90_000)
  const { result, events } = await denying(
    ({ messages, tools }) => {
      if (tools === undefined) return long
      const last = messages.at(-1)
      if (last?.role === 'tool') return toText(last.content).slice(-40)
      return { toolCalls: [{ tool: 'read_result', args: { step: 'step-1', from: 64_000 } }] }
    },
    {
      task: 'go',
      plan: sequentialPlan(['write', 'read']),
      budget: { maxTokens: 5_000_000 },
      tokenBudget: 4_000_000,
    },
  )
  assert.match(result.summary, /\[characters 64000 to 80000 of 90000\]$/)
  const requested = events.find((event) => event.type === 'tool.requested')
  assert.equal(requested?.type === 'tool.requested' && [requested.data.tool, requested.data.risk], [
    'read_result',
    'read',
  ])
  const completed = events.find((event) => event.type === 'tool.completed')
  assert.is(completed?.type === 'tool.completed' && completed.data.truncated, false)
  assert.is(result.toolCalls.total, 1)
})

test.run()
