import {
  definePlugin,
  type ExecutionResult,
  type Plugin,
  type RunCreate,
  type RunEvent,
  type Runtime,
  type SvcConfig,
} from '@svc/core'
import { type Script, type ScriptedProvider, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { assertCostIdentity } from './fixtures/cost-identity.ts'
import { resultOf } from './fixtures/runs.ts'

interface Whole {
  result: ExecutionResult
  events: RunEvent[]
  provider: ScriptedProvider
  runtime: Runtime
}

const TEAM_TASK = 'Compare Oslo, Lima and Cairo by price'

/** A whole run with all default plugins over a scripted model. */
async function whole(
  script: Script,
  options: Partial<RunCreate> = {},
  config: SvcConfig = {},
  more: Plugin[] = [],
): Promise<Whole> {
  const provider = scriptedProvider('scripted', script)
  const model = definePlugin('scripted-model', ({ providers }) => providers.add('scripted', provider))()
  const runtime = await createRuntime({ model: 'scripted/scripted', ...config }, { plugins: [model, ...more], env: {} })
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({ task: TEAM_TASK, ...options })
  const result = await resultOf(runtime, id)
  assertCostIdentity(result, events)
  return { result, events, provider, runtime }
}

const slow = (text: string, delayMs = 15): ReturnType<Script> => ({ text, delayMs })

const runs = suite('whole runs')

runs('answers a simple task with one agent and one call', async () => {
  const { result, provider } = await whole(() => 'Oslo', { task: 'Name the capital of Norway.' })
  assert.is(result.status, 'completed')
  assert.is(result.plan?.topology, 'SINGLE')
  assert.is(provider.requests.length, 1)
  assert.is(result.usage.modelCalls, 1)
  assert.is(result.inspection?.grade, 'healthy')
})

runs('carries every topology out, and the parts add up to the whole', async () => {
  for (const topology of ['SINGLE', 'SEQUENTIAL', 'PARALLEL', 'CENTRALIZED', 'DECENTRALIZED', 'HYBRID'] as const) {
    const { result, events } = await whole(
      (_request, index) => slow(`an answer about Oslo, Lima and Cairo, number ${index}`),
      { topology },
    )
    assert.is(result.status, 'completed', topology)
    assert.is(result.plan?.topology, topology)
    assert.ok(result.summary.length > 0)
    const ofAgents = result.agents.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0)
    assert.is(ofAgents, result.usage.inputTokens + result.usage.outputTokens, `${topology}: agents and run`)
    const ofSteps = result.steps.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0)
    assert.is(ofSteps, result.usage.inputTokens + result.usage.outputTokens, `${topology}: steps and run`)
    assert.equal(
      events.flatMap(({ seq }) => (seq === undefined ? [] : [seq])),
      events.flatMap(({ seq }) => (seq === undefined ? [] : [seq])).map((_, index) => index + 1),
    )
  }
})

runs('ends with the best answer so far when the hard budget is used up', async () => {
  const { result } = await whole(
    (_request, index) => ({
      text: `finding ${index}`,
      usage: { inputTokens: 1_400, outputTokens: 300, estimated: false },
    }),
    { topology: 'SEQUENTIAL', budget: { maxTokens: 4_000 } },
  )
  assert.is(result.status, 'incomplete')
  assert.is(result.incomplete?.reason, 'budget_exhausted')
  assert.match(result.summary, 'finding 0')
})

runs('does without the stages that a config switches off', async () => {
  const { result } = await whole(
    () => 'fine',
    {},
    { components: { reflect: false, consensus: false, inspect: false, memory: false } },
  )
  assert.is(result.status, 'completed')
  assert.is(result.reflection, undefined)
  assert.is(result.inspection, undefined)
})

runs('refuses to switch a stage off that a run cannot do without, and to replace a mandatory plugin', async () => {
  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'ok',
      (error) => error.code,
    )
  assert.is(await codeOf(createRuntime({ components: { analyze: false } }, { env: {} })), 'config_invalid')
  const mine = definePlugin('mine', () => {})()
  assert.is(
    await codeOf(createRuntime({ components: { inspect: mine } }, { env: {}, mandatory: ['inspect'] })),
    'config_invalid',
  )
  assert.is(
    await codeOf(createRuntime({ components: { inspect: false } }, { env: {}, mandatory: ['inspect'] })),
    'config_invalid',
  )
  const runtime = await createRuntime({}, { env: {}, mandatory: ['inspect'] })
  assert.is((await runtime.describe()).plugins.find(({ name }) => name === 'inspect')?.mandatory, true)
})

runs('puts another plugin into a default slot', async () => {
  const mine = definePlugin('my-reflection', ({ hooks }) => {
    hooks.reflect.tap('my-reflection', () => ({
      verdict: 'pass' as const,
      score: 0.5,
      confidence: 0.1,
      checks: [],
      lessons: [],
      usage: { inputTokens: 0, outputTokens: 0, estimated: false },
    }))
  })()
  const { result } = await whole(() => 'fine', {}, { components: { reflect: mine } })
  assert.is(result.reflection?.confidence, 0.1)
})

runs('replays a run in which the inspector saw the same call again and again', async () => {
  const act = definePlugin('act', ({ tools }) =>
    tools.add('write_note', {
      id: 'write_note',
      description: 'writes a note',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      risk: 'write',
      run: async () => 'written',
    }),
  )()
  let calls = 0
  const script: Script = () =>
    ++calls <= 3 ? { toolCalls: [{ tool: 'write_note', args: { text: 'a' } }] } : 'It is written.'
  const { result, events, runtime } = await whole(script, { task: 'Note it.', approval: 'allow-write' }, {}, [act])
  assert.ok(events.some(({ type }) => type === 'inspect.issue'))
  assert.equal(await runtime.runs.replay(result.runId), { identical: true })
})

runs.run()
