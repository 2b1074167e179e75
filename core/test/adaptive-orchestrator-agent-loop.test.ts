import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AdaptiveOrchestrator, type Execution, LimitError, ProviderError, toText } from '../src/index.ts'
import { planOf, step } from './fixtures/plans.ts'
import { until } from './fixtures/runtimes.ts'
import {
  call,
  profile,
  type Script,
  type ScriptedRequest,
  type ScriptedRun,
  scriptRun,
} from './fixtures/scripted-run.ts'

const test = suite('the agent loop')

const parameters = { type: 'object', required: ['path'], properties: { path: { type: 'string' } } }

/** One step with all tools of the script. */
const runStep = async (
  script: Script,
  more: Parameters<typeof step>[2] = {},
): Promise<{ run: ScriptedRun; execution: Execution }> => {
  const run = scriptRun(script)
  const tools = run.tools.map(({ id }) => id)
  const execution = await new AdaptiveOrchestrator().execute(planOf([step('a', [], { tools, ...more })], 'SINGLE'), run)
  return { run, execution }
}
/** The text of the last message that a request carries. */
const last = (request: ScriptedRequest | undefined): string => toText(request?.messages.at(-1)?.content ?? [])

test('tool results go back as messages that pair with their calls', async () => {
  const { run, execution } = await runStep({
    model: ({ turn }) =>
      turn === 0 ? { text: 'let me look', toolCalls: [call('read', { path: 'x' }, 'c1')] } : 'it says 7',
    tools: { read: { parameters, run: (args) => `read ${JSON.stringify(args)}` } },
  })
  assert.is(execution.output, 'it says 7')
  const [, , assistant, tool] = run.requests[1]?.messages ?? []
  assert.equal(assistant?.toolCalls?.[0]?.callId, 'c1')
  assert.equal([tool?.role, tool?.toolCallId, toText(tool?.content ?? [])], ['tool', 'c1', 'read {"path":"x"}'])
})

test('calls that read run at once; a call that writes waits for them and holds up the next', async () => {
  const log: string[] = []
  const tool = (name: string, last?: string) => async () => {
    log.push(`+${name}`)
    if (last !== undefined) await until(() => log.includes(last))
    log.push(`-${name}`)
    return name
  }
  const { run } = await runStep({
    model: ({ turn }) => (turn === 0 ? { toolCalls: ['r1', 'r2', 'w', 'r3'].map((id) => call(id)) } : 'done'),
    tools: {
      r1: { run: tool('r1', '-r2') },
      r2: { run: tool('r2', '+r1') },
      w: { risk: 'write', run: tool('w') },
      r3: { run: tool('r3') },
    },
  })
  assert.equal(log, ['+r1', '+r2', '-r2', '-r1', '+w', '-w', '+r3', '-r3'])
  assert.equal(
    run.requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ toolCallId }) => toolCallId),
    ['call-r1', 'call-r2', 'call-w', 'call-r3'],
  )
})

test('a call that cannot be made, fails or returns much goes back with what the model needs to do better', async () => {
  const tools: Script['tools'] = {
    read: { parameters, run: () => 'text' },
    long: { run: () => 'x'.repeat(300) },
    broken: {
      run: () => {
        throw new Error('disk on fire')
      },
    },
    write: { risk: 'write', run: () => assert.unreachable('the step may not call it') },
  }
  for (const [asked, says] of [
    [call('read', { path: 7 }), /tool_bad_args[\s\S]*"required":\["path"\]/],
    [call('read', '{"path": '), /tool_bad_args[\s\S]*not valid JSON[\s\S]*"required":\["path"\]/],
    [call('fly'), /tool_not_found[\s\S]*no tool "fly"[\s\S]*read/],
    [call('broken'), /tool_failed: Error: disk on fire/],
    [call('long'), /x\n\[truncated: the whole result has 300 bytes/],
    [call('write'), /policy_denied/],
  ] as const) {
    const { run, execution } = await runStep(
      { model: ({ turn }) => (turn === 0 ? { toolCalls: [asked] } : 'ok'), tools, maxToolCharacters: 100 },
      { tools: ['read', 'long', 'broken'] },
    )
    assert.equal([execution.status, execution.output], ['completed', 'ok'])
    assert.match(last(run.requests[1]), says)
    assert.is(run.requests[0]?.tools?.length, 3, 'the model is offered the tools of the step')
    assert.is(run.of('tool.denied').length, asked.tool === 'write' ? 1 : 0)
  }
})

test('an empty answer is asked for once more; two fail the step with a clear code, and in words', async () => {
  let asked = 0
  const { run, execution } = await runStep({ model: () => (asked++ === 0 ? '  ' : 'now') })
  assert.equal([run.requests.length, execution.output], [2, 'now'])
  assert.match(last(run.requests[1]), /was empty/)
  const empty = await runStep({ model: () => '' })
  assert.equal([empty.execution.status, empty.execution.error?.code], ['failed', 'provider_bad_response'])
  assert.match(empty.execution.output, /answered nothing/)
  const cut = await runStep({ model: () => ({ text: '', finishReason: 'length' }) })
  assert.match(last(cut.run.requests[1]), /reached the output limit before you answered/)
  assert.match(cut.execution.error?.message ?? '', /used up its output limit before it answered, twice$/)
})

test('an answer of a megabyte is kept whole, and handed on cut', async () => {
  const text = 'word '.repeat(200_000)
  const run = scriptRun({ model: ({ stepId, user }) => (stepId === 'a' ? text : `${user.length}`) })
  const execution = await new AdaptiveOrchestrator().execute(planOf([step('a'), step('b', ['a'])]), run)
  assert.is(execution.steps[0]?.output.length, 1_000_000)
  assert.ok(Number(execution.output) < 70_000)
  assert.match(run.requests[1]?.user ?? '', /\[… 936000 characters left out\]/)
})

test('a model that calls tools for ever is stopped at its turns, and has to answer in the last', async () => {
  const agents = [profile('ann', { budget: { maxSteps: 3 } })]
  const script: Script = {
    agents,
    model: ({ turn }) => ({ text: `thinking ${turn}`, toolCalls: [call('read', {}, `c${turn}`)] }),
    tools: { read: { run: () => 'text' } },
  }
  const run = scriptRun(script)
  const plan = planOf([step('a', [], { tools: ['read'] })], 'SINGLE')
  plan.agents = [{ agentId: 'agent-a', name: 'Ann', role: 'worker', profileId: 'ann' }]
  const execution = await new AdaptiveOrchestrator().execute(plan, run)
  assert.equal(
    run.requests.map(({ toolChoice }) => toolChoice),
    [undefined, undefined, 'none'],
  )
  assert.equal([execution.status, execution.reason, execution.output], ['incomplete', 'max_steps', 'thinking 0'])

  const polite = scriptRun({
    ...script,
    model: (request) => (request.toolChoice === 'none' ? 'answer' : script.model(request)),
  })
  const second = await new AdaptiveOrchestrator().execute(plan, polite)
  assert.equal([second.status, second.output], ['completed', 'answer'])
})

test('an answer cut off at the output limit is continued, once', async () => {
  const { run, execution } = await runStep({
    model: ({ turn }) => (turn < 1 ? { text: `part${turn} `, finishReason: 'length' } : 'end'),
  })
  assert.equal([execution.output, run.requests.length], ['part0 end', 2])
  const endless = await runStep({ model: ({ turn }) => ({ text: `part${turn} `, finishReason: 'length' }) })
  assert.is(endless.execution.output, 'part0 part1 ')
  assert.equal(
    endless.run.warnings.map(({ code }) => code),
    ['output_truncated'],
  )
})

test('a call that was cut at the output limit is not made, and the model learns why', async () => {
  let written = 0
  const script = (times: number): Script => ({
    model: ({ turn }) => {
      if (turn < times)
        return { toolCalls: [call('save', '{"path": "a.md", "content": "long', `c${turn}`)], finishReason: 'length' }
      return turn === times ? { toolCalls: [call('save', { path: 'a.md', content: 'short' }, 'whole')] } : 'saved'
    },
    tools: { save: { risk: 'write', parameters: {}, run: () => ++written } },
  })
  const once = await runStep(script(1))
  assert.equal([once.execution.status, once.execution.output, written], ['completed', 'saved', 1])
  assert.match(last(once.run.requests[1]), /output limit within the arguments of save, after 33 characters/)
  assert.match(last(once.run.requests[1]), /one part at a time/)
  assert.equal(
    once.run.of('tool.failed').map(({ callId, data }) => [callId, data.error.code]),
    [['c0', 'tool_bad_args']],
  )

  const twice = await runStep(script(2))
  assert.is(twice.run.requests.length, 2)
  assert.equal([twice.execution.status, twice.execution.error?.code], ['failed', 'tool_bad_args'])
  assert.match(twice.execution.output, /twice in a row/)
})

test('an answer that the provider withholds fails the step', async () => {
  const { execution } = await runStep({ model: () => ({ finishReason: 'contentFilter' }) })
  assert.equal([execution.status, execution.error?.code], ['failed', 'content_filtered'])
})

const outputSchema = { type: 'object', required: ['sum'], properties: { sum: { type: 'number' } } }

test('an output schema is asked of the last step alone, and its data is in the result', async () => {
  const run = scriptRun({
    options: { outputSchema },
    model: ({ stepId }) => (stepId === 'b' ? '```json\n{"sum": 4}\n```' : 'text'),
  })
  const execution = await new AdaptiveOrchestrator().execute(planOf([step('a'), step('b', ['a'])]), run)
  assert.equal([run.requests[0]?.outputSchema, run.requests[1]?.outputSchema], [undefined, outputSchema])
  assert.equal([execution.status, execution.data], ['completed', { sum: 4 }])
})

test('an answer that breaks the schema is repaired once, then the run is incomplete', async () => {
  const repaired = await runStep({
    options: { outputSchema },
    model: ({ turn }) => (turn === 0 ? '{"sum": "four"}' : '{"sum": 4}'),
  })
  assert.equal([repaired.execution.data, repaired.run.requests.length], [{ sum: 4 }, 2])
  assert.match(last(repaired.run.requests[1]), /\/sum must be number/)
  const broken = await runStep({ options: { outputSchema }, model: () => 'four' })
  assert.equal([broken.execution.status, broken.execution.reason], ['incomplete', 'output_schema_mismatch'])
  assert.equal([broken.execution.output, broken.run.requests.length], ['four', 2])
})

test('a context that is too long is made shorter by masking old tool output, and asked again', async () => {
  let refused = 0
  const { run, execution } = await runStep({
    model: ({ turn, messages }) => {
      if (turn < 4) return { toolCalls: [call('read', { turn }, `c${turn}`)] }
      if (messages.some(({ content }) => toText(content).includes('result 0'))) {
        refused++
        throw new ProviderError('context_overflow', 'too long', { provider: 'scripted' })
      }
      return 'short enough'
    },
    tools: { read: { run: (args) => `result ${(args as { turn: number }).turn} ${'data '.repeat(500)}` } },
  })
  assert.equal([execution.output, refused], ['short enough', 1])
  assert.match(toText(run.requests.at(-1)?.messages[3]?.content ?? []), /output omitted/)
})

test('material and memories stand before the objective, in parts of their own, marked as what they are', async () => {
  const run = scriptRun({ model: () => 'ok', options: { context: 'the file says 7' } })
  await new AdaptiveOrchestrator().execute(planOf([step('a')], 'SINGLE'), run)
  assert.match(
    run.requests[0]?.user ?? '',
    /^Material that came with the task:\n<material>\nthe file says 7\n<\/material>\n\ndo a$/,
  )
})

test('a limit of the whole run stops with the longest text so far', async () => {
  const { execution } = await runStep({
    model: ({ turn }) => {
      if (turn === 1) throw new LimitError('max_steps', 'the run has used all of its 1 model calls')
      return { text: 'what I know so far', toolCalls: [call('read')] }
    },
    tools: { read: { run: () => 'text' } },
  })
  assert.equal(
    [execution.status, execution.reason, execution.output],
    ['incomplete', 'max_steps', 'what I know so far'],
  )
})

test.run()
