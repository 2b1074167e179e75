import {
  definePlugin,
  type ModelRequest,
  type Plan,
  type PlanStep,
  type Plugin,
  ProviderError,
  type RunOptions,
  TOPOLOGIES,
  type Tool,
  toText,
} from '@svc/core'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate } from '../src/defaults/allocate.ts'
import { analyze } from '../src/defaults/analyze.ts'
import { orchestrate } from '../src/defaults/orchestrate.ts'
import { assertCostIdentity } from './fixtures/cost-identity.ts'
import { type Ran, runTask } from './fixtures/run-task.ts'
import { settled, until } from './fixtures/until.ts'

const test = suite('the orchestrate plugin in a runtime')

const lookup: Tool = {
  id: 'lookup',
  description: 'looks a key up',
  parameters: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } },
  risk: 'read',
  run: async (args) => `value of ${(args as { key: string }).key}`,
}

async function run(
  script: Script,
  task: string,
  options: RunOptions & { plan?: Plan } = {},
  more: Plugin[] = [],
): Promise<Ran> {
  const plugins = [...more, analyze(), allocate(), orchestrate()]
  const ran = await runTask(script, { task, ...options }, { plugins, tools: [lookup] })
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

for (const topology of TOPOLOGIES) {
  test(`${topology} runs to its end through both gateways`, async () => {
    const { result, events } = await run(
      (request) =>
        request.messages.some(({ role }) => role === 'tool') || request.tools === undefined
          ? `answer to ${userText(request).slice(0, 40)}`
          : { toolCalls: [{ tool: 'lookup', args: { key: 'x' } }] },
      'Describe the licence of uvu, tapable and stemmer',
      { topology },
    )
    assert.is(result.status, 'completed')
    assert.is(result.plan?.topology, topology)
    assert.ok(result.summary.length > 0)
    assert.ok(result.toolCalls.total > 0 && result.toolCalls.failed === 0)
    const used = result.steps.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0)
    assert.is(used, result.usage.inputTokens + result.usage.outputTokens)
    assert.is(
      result.agents.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0),
      used,
    )
    assert.ok(events.some(({ type }) => type === 'topology.updated'))
  })
}

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

test.run()
