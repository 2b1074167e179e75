import {
  definePlugin,
  type EventData,
  type EventType,
  type ExecutionResult,
  InspectorAgent,
  type ModelRequest,
  type Plugin,
  ProviderError,
  ReflectionEngine,
  type RunEvent,
  type RunOptions,
  SvcError,
  startRuntime,
  type Tool,
  toText,
} from '@svc/core'
import { type Script, scriptedProvider, sequentialPlan } from '@svc/core/testing'
import { allocate, analyze, attribution, inspect, orchestrate, reflect } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Ran, runTask } from './fixtures/run-task.ts'

const test = suite('the reflect and inspect plugins in a runtime')

const calculate: Tool = {
  id: 'calculate',
  description: 'works out an expression',
  parameters: { type: 'object', required: ['expression'], properties: { expression: { type: 'string' } } },
  risk: 'read',
  run: async () => '391',
}
const flaky: Tool = {
  id: 'flaky',
  description: 'fails',
  parameters: { type: 'object', properties: { n: { type: 'number' } } },
  risk: 'read',
  run: async (args) => {
    throw new TypeError(`upstream said 503 to ${JSON.stringify(args)}`)
  },
}

const textOf = (request: ModelRequest) => request.messages.map(({ content }) => toText(content)).join('\n')
const lastRole = (request: ModelRequest) => request.messages.at(-1)?.role

const run = (script: Script, task: string, plugins: Plugin[], options: RunOptions = {}): Promise<Ran> =>
  runTask(
    script,
    { task, topology: 'SINGLE', ...options },
    { plugins: [...plugins, analyze(), allocate(), orchestrate()], tools: [calculate, flaky] },
  )

const dataOf = <T extends EventType>(events: readonly RunEvent[], type: T): EventData[T][] =>
  events.flatMap((event) => (event.type === type ? [event.data as EventData[T]] : []))

const call = (tool: string, args: object) => ({ toolCalls: [{ tool, args }] })

/** Calls the calculator once an attempt, then says 401, and 391 only after the retry's evidence. */
const wrongThenRight: Script = (request) => {
  if (lastRole(request) !== 'tool') return call('calculate', { expression: '17*23' })
  return textOf(request).includes('401') ? 'The result is 391.' : 'The result is 401.'
}

test('a scripted wrong answer gets revise and a changed second attempt', async () => {
  const { result, events } = await run(wrongThenRight, 'What is 17*23? Use the calculator.', [reflect()])
  const verdicts = dataOf(events, 'reflection.completed').map(({ verdict }) => verdict)
  assert.equal(verdicts, ['revise', 'pass'])
  assert.is(result.summary, 'The result is 391.')
  assert.is(result.reflection?.verdict, 'pass')
  assert.is(result.status, 'completed')
})

test('work that no tool did is found in the answer and brought back as a claim', async () => {
  const said = 'I have created the file hello.txt and run all 12 tests; they pass.'
  const { result } = await run(() => said, 'Create hello.txt and run the tests.', [reflect()])
  assert.ok(result.reflection?.checks.some((check) => check.critical && check.result === 'fail'))
  const verdicts = result.reflection?.claims?.map(({ kind, verdict }) => `${kind} ${verdict}`) ?? []
  assert.equal(verdicts, ['test contradicted'])
})

test('a run that does not want it is not reflected upon', async () => {
  const { result } = await run(wrongThenRight, 'What is 17*23?', [reflect()], { reflect: false })
  assert.is(result.reflection, undefined)
  assert.is(result.summary, 'The result is 401.')
})

test('an earlier answer to reflect and inspect stands, and an engine can be handed in', async () => {
  const engine = new ReflectionEngine({ checks: [{ id: 'mine', critical: false, look: () => ({ result: 'pass' }) }] })
  const own = await run(() => 'Paris.', 'What is the capital of France?', [reflect({ engine })])
  assert.equal(
    own.result.reflection?.checks.map(({ id }) => id),
    ['mine'],
  )
  const earlier = definePlugin('earlier', ({ hooks }) => {
    hooks.inspect.tap('earlier', () => ({ grade: 'degraded', score: 0.8, issues: [], signals: {} }))
  })()
  const { result } = await run(() => 'Paris.', 'What is the capital of France?', [earlier, inspect()])
  assert.is(result.inspection?.score, 0.8)
})

test('a looping model is nudged before its next call and then halted with loop_detected', async () => {
  const loop: Script = () => call('calculate', { expression: '17*23' })
  const { result, events, provider } = await run(loop, 'What is 17*23? Use the calculator.', [inspect()])
  const issues = dataOf(events, 'inspect.issue').map(({ severity, action }) => `${severity} ${action}`)
  assert.equal(issues.slice(0, 2), ['warn nudge', 'critical halt'])
  assert.is(provider.requests.length, 4)
  assert.ok(textOf(provider.requests[3] as ModelRequest).includes('3 times with the same arguments'))
  assert.ok(JSON.stringify(result).includes('loop_detected'))
  assert.is.not(result.status, 'completed')
  assert.is(result.inspection?.grade, 'unhealthy')
})

test('a policy of none only reports', async () => {
  const script: Script = (_request, index) =>
    index < 6 ? call('calculate', { expression: '17*23' }) : 'The result is 391.'
  const { result, events } = await run(script, 'What is 17*23?', [inspect({ policy: { 'step-repetition': 'none' } })])
  assert.is(result.status, 'completed')
  assert.ok(events.some(({ type }) => type === 'inspect.issue'))
})

test('the circuit of a tool that keeps failing is opened', async () => {
  const script: Script = (_request, index) =>
    index < 8 ? call('flaky', { n: index }) : 'The service is down: it could not be reached.'
  const { result, events } = await run(script, 'Ask the flaky service.', [inspect()])
  assert.is(result.status, 'completed')
  assert.ok(dataOf(events, 'inspect.issue').some(({ action, tool }) => action === 'circuit' && tool === 'flaky'))
  assert.is(events.filter(({ type }) => type === 'tool.denied').length, 2)
})

test('a run with a given plan is watched as well', async () => {
  const loop: Script = () => call('calculate', { expression: '17*23' })
  const plan = { ...sequentialPlan(['Work out 17*23']), topology: 'SINGLE' as const }
  const { result } = await run(loop, 'What is 17*23?', [inspect()], { plan } as RunOptions)
  assert.ok(JSON.stringify(result).includes('loop_detected'))
})

test('an inspector can be shared, and a bad policy is refused with a code', async () => {
  const inspector = new InspectorAgent()
  await run(() => 'Paris.', 'What is the capital of France?', [inspect({ inspector })])
  assert.is(inspector.report().signals.runs, 1)
  try {
    await run(() => 'x', 'y', [inspect({ policy: { stall: 'shout' as never } })])
    assert.unreachable()
  } catch (thrown) {
    assert.ok(SvcError.isInstance(thrown))
    assert.is(thrown.code, 'config_invalid')
    assert.match(thrown.message, 'policy.stall')
  }
})

/** Answers the task as `work` says, and what the reader and the attribution ask as told. */
const withReader =
  (work: Script, reader: (request: ModelRequest) => unknown): Script =>
  (request, index) => {
    const text = textOf(request)
    if (!text.includes('readings') && !text.includes('findings')) return work(request, index)
    const said = reader(request)
    return said instanceof Error ? { error: said } : JSON.stringify(said)
  }

/** Tells rightly what words a piece has, and says the same of everything else. */
function readingsOf(request: ModelRequest, other: object): object {
  const text = textOf(request)
  const statements = text
    .slice(text.lastIndexOf('<statements>\n') + 13, text.lastIndexOf('\n</statements>'))
    .split('\n')
  return {
    readings: statements.map((line, index) => {
      const [, number, words = ''] = /^\d+\. \[(\d+)\] has the words: (.*)$/.exec(line) ?? []
      if (number === undefined) return { statement: index + 1, ...other }
      const isThere = text.slice(0, text.lastIndexOf('<statements>')).includes(words)
      return {
        statement: index + 1,
        verdict: isThere ? 'held' : 'refuted',
        quotes: [{ evidence: Number(number), words }],
      }
    }),
  }
}

const costOf = (events: readonly RunEvent[], agentId: string) =>
  dataOf(
    events.filter((event) => event.agentId === agentId),
    'model.completed',
  ).reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0)

const sumOf = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
  inputTokens + outputTokens

const HELD = { verdict: 'held', quotes: [{ evidence: 2, words: '391' }] }
const works: Script = (request) =>
  lastRole(request) === 'tool' ? 'The product comes out at 391.' : call('calculate', { expression: '17*23' })
const readerCalls = (events: readonly RunEvent[]): number =>
  events.filter(({ type, agentId }) => type === 'model.completed' && agentId === 'reflection').length

test('a strict run asks the reader once, pays it from usage and budget, and replays without it', async () => {
  const provider = scriptedProvider(
    'scripted',
    withReader(works, (request) => readingsOf(request, HELD)),
  )
  const host = definePlugin('host', ({ providers, tools }) => {
    providers.add('scripted', provider)
    tools.add('calculate', calculate)
  })()
  const plugins = [host, reflect(), analyze(), allocate(), orchestrate()]
  const runtime = await startRuntime({ plugins: plugins.map((plugin) => ({ plugin })), defaultModel: 'scripted' })
  const events: RunEvent[] = []
  const ended = new Promise<void>((resolve) => {
    runtime.onEvent((event) => {
      events.push(event)
      if (/^run\.(?:completed|incomplete|failed)$/.test(event.type)) resolve()
    })
  })
  const { id } = await runtime.runs.create({ task: 'What is 17*23?', topology: 'SINGLE', strict: true })
  await ended
  const result = (await runtime.runs.result(id)) as ExecutionResult
  assert.equal([result.status, result.verdict, readerCalls(events)], ['completed', 'pass', 1])
  assert.is(costOf(events, 'reflection') + costOf(events, 'agent-1'), sumOf(result.usage))
  assert.ok(costOf(events, 'reflection') > 0)
  const asked = provider.requests.length
  assert.equal(await runtime.runs.replay(id), { identical: true })
  assert.is(provider.requests.length, asked)
  await runtime.close()
})

test('a plain run asks no reader; one of high risk does, and so does every one with `llm: true`', async () => {
  const script = withReader(works, (request) => readingsOf(request, HELD))
  const count = async (options: RunOptions, plugin = reflect()): Promise<number> =>
    readerCalls((await run(script, 'What is 17*23?', [plugin], options)).events)
  assert.is(await count({}), 0)
  assert.is(await count({ riskLevel: 'high' }), 1)
  assert.is(await count({}, reflect({ llm: true })), 1)
  assert.is(await count({ strict: true }, reflect({ llm: false })), 0)
})

test('a reader asks for another try with its quotation, and what it took is the usage of the reflection', async () => {
  const work: Script = (request) =>
    lastRole(request) === 'tool'
      ? textOf(request).includes('the run shows')
        ? 'The product comes out at 391.'
        : 'The product comes out odd and small.'
      : call('calculate', { expression: '17*23' })
  const script = withReader(work, (request) =>
    readingsOf(request, textOf(request).includes('odd and small') ? { ...HELD, verdict: 'refuted' } : HELD),
  )
  const { result, events } = await run(script, 'What is 17*23?', [reflect({ llm: true })])
  assert.is(result.summary, 'The product comes out at 391.')
  const reflections = dataOf(events, 'reflection.completed')
  assert.equal(
    reflections.map(({ verdict }) => verdict),
    ['revise', 'pass'],
  )
  const accounted = reflections.reduce((sum, { usage }) => sum + sumOf(usage), 0)
  assert.ok(accounted > 0)
  assert.is(accounted, costOf(events, 'reflection'))
  assert.is(costOf(events, 'reflection') + costOf(events, 'agent-1'), sumOf(result.usage))
})

test('a reader that is down leaves the rules and a warning', async () => {
  const gone = new ProviderError('provider_auth', 'no such model', { provider: 'scripted' })
  const script = withReader(works, () => gone)
  const { result } = await run(script, 'What is 17*23?', [reflect({ llm: true })])
  assert.is(result.status, 'completed')
  assert.is(result.verdict, 'unverified')
  assert.ok(result.warnings.some(({ code }) => code === 'reader_unavailable'))
})

const repeating: Script = (_request, index) =>
  index < 4 ? call('calculate', { expression: '17*23' }) : 'The result is 391.'
const nudgeOnly = { 'step-repetition': 'nudge' } as const

test("runtime.inspect() is answered by the plugin's own inspector", async () => {
  const inspector = new InspectorAgent()
  const runtime = await startRuntime({ plugins: [{ plugin: inspect({ inspector }) }], defaultModel: 'scripted' })
  const watcher = inspector.watch('run_elsewhere')
  for (let index = 1; index <= 2; index++) {
    const error = { code: 'tool_failed' as const, message: 'down', retryable: false }
    const place = { runId: 'run_elsewhere', agentId: 'agent-1', callId: `call-${index}` }
    const time = new Date(index).toISOString()
    watcher.observe({ v: 1, seq: index, time, ...place, type: 'tool.failed', data: { tool: 'flaky', error } })
  }
  const { score, issues } = await runtime.inspect()
  assert.equal([score, issues.map(({ code }) => code)], [0.9, ['errors-in-a-row']])
  await runtime.close()
})

test('with llm the attribution asks a model about a run that went badly, and takes what is quoted as information', async () => {
  const script = withReader(repeating, () => ({
    findings: [
      { mode: '1.5', message: 0, quote: 'I called calculate', why: 'It had the result.' },
      { mode: '2.1', message: 0, quote: 'nobody has said this', why: 'It is made up.' },
    ],
  }))
  const plugins = [inspect({ policy: nudgeOnly }), attribution({ llm: true })]
  const { result, events } = await run(script, 'What is 17*23?', plugins)
  assert.is(result.status, 'completed')
  const found = result.inspection?.issues.filter(({ code }) => code === 'model-checklist') ?? []
  assert.equal(
    found.map(({ mast, severity }) => [mast, severity]),
    [['1.5', 'info']],
  )
  assert.ok(costOf(events, 'attribution') > 0)
  assert.is(costOf(events, 'attribution') + costOf(events, 'agent-1'), sumOf(result.usage))
})

test('a run that went well is not asked about', async () => {
  const script = withReader(
    () => 'Paris.',
    () => new TypeError('must not be asked'),
  )
  const plugins = [inspect(), attribution({ llm: true })]
  const { result, provider } = await run(script, 'What is the capital of France?', plugins)
  assert.equal([provider.requests.length, result.inspection?.issues.length], [1, 0])
})

test('of a failed run the attribution names three messages to read first, without a call and without changing the health', async () => {
  const loop: Script = () => call('calculate', { expression: '17*23' })
  const plain = await run(loop, 'What is 17*23?', [inspect()])
  const { result, provider } = await run(loop, 'What is 17*23?', [inspect(), attribution()])
  const suspects = result.inspection?.issues.filter(({ code }) => code === 'suspect') ?? []
  assert.is(suspects.length, 3)
  for (const { evidence, severity } of suspects) assert.equal([evidence.length, severity], [1, 'info'])
  assert.is(result.inspection?.score, plain.result.inspection?.score)
  assert.is(provider.requests.length, plain.provider.requests.length)
  assert.not.ok(plain.result.inspection?.issues.some(({ code }) => code === 'suspect'))
})

test('an attribution model that is down, or that a limit forbids, leaves the report of the rules and a warning', async () => {
  const gone = new ProviderError('provider_auth', 'gone', { provider: 'scripted' })
  const script = withReader(repeating, () => gone)
  const plugins = () => [inspect({ policy: nudgeOnly }), attribution({ llm: true })]
  const down = await run(script, 'What is 17*23?', plugins())
  const limited = await run(script, 'What is 17*23?', plugins(), { budget: { maxSteps: 4 } })
  assert.equal([down.result.status, limited.result.status], ['completed', 'incomplete'])
  for (const { result } of [down, limited]) {
    assert.ok(result.warnings.some(({ code }) => code === 'attribution_unavailable'))
    assert.ok(result.inspection?.issues.some(({ code }) => code === 'step-repetition'))
  }
})

test('advice for people becomes a warning of the result', async () => {
  const script: Script = (_request, index) =>
    index < 4 ? call('calculate', { expression: '17*23' }) : 'The result is 391.'
  const { result } = await run(script, 'What is 17*23?', [inspect({ policy: { 'step-repetition': 'escalate' } })])
  assert.ok(result.warnings.some(({ code, message }) => code === 'person_advised' && message.includes('calculate')))
  const other = await run(script, 'What is 17*23?', [inspect({ policy: { 'step-repetition': 'replan' } })])
  assert.ok(other.result.warnings.some(({ code }) => code === 'replan_advised'))
  assert.ok(other.provider.requests.some((request) => textOf(request).includes('Change the plan of your step')))
})

test.run()
