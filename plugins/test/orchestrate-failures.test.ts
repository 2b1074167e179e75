import { ERROR_CODES, type PlanStep, ProviderError, type RunCreate, TOPOLOGIES, type Tool, toText } from '@svc/core'
import type { Script } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate } from '../src/defaults/allocate.ts'
import { analyze } from '../src/defaults/analyze.ts'
import { orchestrate } from '../src/defaults/orchestrate.ts'
import { reflect } from '../src/defaults/reflect.ts'
import { type Ran, runTask } from './fixtures/run-task.ts'

const test = suite('failures of a run, through the gateways')

/** Runs a task with the default plugins that matter here; a person denies whatever is asked. */
const run = (script: Script, create: RunCreate, tools: readonly Tool[] = []): Promise<Ran> =>
  runTask(script, create, {
    plugins: [analyze(), allocate(), orchestrate(), reflect()],
    tools,
    onEvent({ type, approvalId }, runtime) {
      if (type !== 'approval.requested' || approvalId === undefined) return
      setImmediate(() => void runtime.approvals.resolve(approvalId, { decision: 'deny' }).catch(assert.unreachable))
    },
  })

const step = (number: number, objective: string, dependsOn: string[]): PlanStep => ({
  id: `step-${number}`,
  objective,
  agentId: `agent-${number}`,
  role: 'worker',
  dependsOn,
  inputs: [],
  acceptance: [],
  tools: [],
  estimatedTokens: 500,
  risk: 'read',
  maxTries: 1,
})

for (const code of ['provider_auth', 'provider_unavailable', 'provider_bad_response'] as const) {
  test(`a provider that only fails with ${code} ends a run of any topology with that error, and is not planned around`, async () => {
    for (const topology of TOPOLOGIES) {
      const error = new ProviderError(code, 'refused', { provider: 'scripted', retryable: false })
      const task = 'Describe the licence of uvu, tapable and stemmer'
      const { result, events, provider } = await run(() => ({ error }), { task, topology })
      assert.equal([result.status, result.error?.code, result.error?.message], ['failed', code, 'refused'], topology)
      assert.is(ERROR_CODES[code].exitCode, 5)
      assert.ok(provider.requests.length <= 4, `${topology}: ${provider.requests.length} calls`)
      assert.not(events.some(({ type }) => type === 'plan.revised'))
    }
  })
}

test('a person is asked once about one call, however often the step is done again', async () => {
  const save: Tool = {
    id: 'save',
    description: 'saves a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    risk: 'write',
    run: async () => assert.unreachable(),
  }
  const { events, provider } = await run(
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
  const agents = ['agent-1', 'agent-2'].map((agentId) => ({ agentId, name: agentId, role: 'worker' }))
  const { result, events } = await run(
    ({ messages, tools }) => {
      if (tools === undefined) return long
      const last = messages.at(-1)
      if (last?.role === 'tool') return toText(last.content).slice(-40)
      return { toolCalls: [{ tool: 'read_result', args: { step: 'step-1', from: 64_000 } }] }
    },
    {
      task: 'go',
      plan: {
        id: 'plan-1',
        topology: 'SEQUENTIAL',
        agents,
        steps: [step(1, 'write', []), step(2, 'read', ['step-1'])],
        source: 'user',
        criticalPath: [],
        warnings: [],
      },
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
