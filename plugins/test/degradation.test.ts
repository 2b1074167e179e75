import {
  definePlugin,
  type ExecutionResult,
  type ModelRequest,
  type RunEvent,
  type RunOptions,
  type Tool,
  ToolError,
  toText,
} from '@svc/core'
import { type ScriptedAnswer, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { analyze } from '../src/defaults/analyze.ts'
import { consensus } from '../src/defaults/consensus.ts'
import { inspect } from '../src/defaults/inspect.ts'
import { orchestrate } from '../src/defaults/orchestrate.ts'
import { reflect } from '../src/defaults/reflect.ts'
import { createRuntime } from '../src/index.ts'
import { assertCostIdentity } from './fixtures/cost-identity.ts'
import { resultOf } from './fixtures/runs.ts'

const test = suite('the degradation ladder')

const TASK = 'Compare Oslo, Lima and Cairo by the price of a hotel night'
const ANSWER = 'A night costs 120 in Oslo, 60 in Lima and 50 in Cairo.'

type Asker = 'analyzer' | 'planner' | 'reader' | 'voter' | 'inspector' | 'last' | 'agent'

/** Who asks, by the words of its system message. */
function askerOf({ messages }: ModelRequest): Asker {
  const system = toText(messages.find(({ role }) => role === 'system')?.content ?? [])
  const user = toText(messages.find(({ role }) => role === 'user')?.content ?? [])
  if (system.startsWith('You read a task for a planner')) return 'analyzer'
  if (system.startsWith('You cut a task into steps')) return 'planner'
  if (system.startsWith('You hold the statements')) return 'reader'
  if (system.startsWith('You are one of several')) return 'voter'
  if (user.includes('The budget is used up')) return 'last'
  return /mistakes|MAST|trace/i.test(system) ? 'inspector' : 'agent'
}

interface Told {
  result: ExecutionResult
  events: RunEvent[]
  codes: string[]
  asked: Asker[]
  spent: Record<string, number>
}

type Script = (asker: Asker, request: ModelRequest, index: number) => ScriptedAnswer

/** A run with every model-assisted mode on, over a model that follows a script and a tool that breaks. */
async function tell(script: Script, options: RunOptions & { task?: string } = {}): Promise<Told> {
  const asked: Asker[] = []
  const provider = scriptedProvider('scripted', (request) => {
    const asker = askerOf(request)
    asked.push(asker)
    return script(asker, request, asked.filter((other) => other === asker).length)
  })
  const lookup: Tool = {
    id: 'lookup',
    description: 'looks prices up',
    parameters: { type: 'object' },
    risk: 'read',
    run: async () => {
      throw new ToolError('tool_failed', 'the table is gone')
    },
  }
  const parts = definePlugin('parts', ({ providers, tools }) => {
    providers.add('scripted', { ...provider, maxRetries: 0 })
    tools.add('lookup', lookup)
  })()
  const runtime = await createRuntime(
    {
      model: 'scripted/scripted',
      components: {
        analyze: analyze({ llm: true }),
        orchestrate: orchestrate({ llm: true }),
        reflect: reflect({ llm: true }),
        consensus: consensus(),
        inspect: inspect(),
        memory: false,
      },
    },
    { plugins: [parts], env: {}, persist: false },
  )
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({ task: TASK, ...options })
  const result = await resultOf(runtime, id)
  await runtime.close()
  const codes = result.warnings.map(({ code }) => code)
  return { result, events, codes, asked, spent: assertCostIdentity(result, events) }
}

const usage = (inputTokens: number, outputTokens = 50) => ({ inputTokens, outputTokens, estimated: false })

/** An agent that asks for its tool once, and then answers from what it knows. */
const work = (request: ModelRequest, size = 500): ScriptedAnswer =>
  request.tools !== undefined && !request.messages.some(({ role }) => role === 'tool')
    ? { toolCalls: [{ tool: 'lookup', args: {} }], usage: usage(size) }
    : { text: ANSWER, usage: usage(size) }

test('a run whose analysis and plan fail, tool breaks, reader is down, voter lies and budget runs short still answers', async () => {
  const { result, codes, asked, spent } = await tell(
    (asker, request, index) => {
      if (asker === 'analyzer' || asker === 'planner' || asker === 'reader') return 'I would rather talk about the sea.'
      if (asker === 'voter') return { text: index === 1 ? ANSWER : 'Lima is free.', usage: usage(40_000) }
      return work(request)
    },
    { riskLevel: 'high', topology: 'PARALLEL' },
  )
  assert.is(result.status, 'completed')
  assert.is(result.summary, ANSWER)
  assert.is(result.plan?.source, 'deterministic')
  for (const code of [
    'analyzer_llm_unavailable',
    'plan_llm_failed',
    'tool_unavailable',
    'reader_unavailable',
    'consensus_budget',
  ]) {
    assert.ok(codes.includes(code), `${code} is not among ${codes.join(', ')}`)
  }
  assert.is.not(result.consensus?.decision, 'accept')
  assert.is(result.consensus?.stopReason, 'budget')
  assert.is(asked.filter((asker) => asker === 'planner').length, 2)
  for (const component of ['agents', 'analyzer', 'planner', 'reflection', 'consensus']) {
    assert.ok((spent[component] ?? 0) > 0, `${component} spent nothing`)
  }
})

test.run()
