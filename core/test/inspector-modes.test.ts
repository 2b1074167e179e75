import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { InspectorAgent } from '../src/components/inspector-agent/index.ts'
import type { Issue, RunEvent } from '../src/contracts/index.ts'
import { begin, endStep, startStep, step } from './fixtures/clean-runs.ts'
import { EventScript } from './fixtures/events.ts'

const test = suite('further failure modes that the inspector sees')

const watch = (events: readonly RunEvent[], inspector = new InspectorAgent()): Issue[] =>
  events.flatMap((event) => inspector.observe(event))
const codes = (events: readonly RunEvent[]) => [...new Set(watch(events).map(({ code }) => code))]
const usage = { inputTokens: 100, outputTokens: 10, estimated: false }
const TOPICS = [
  'the harbour',
  'the old mill',
  'a copper mine',
  'the night train',
  'a library',
  'the lighthouse',
  'a vineyard',
  'the market hall',
]
const plan = (about: string) =>
  `First I look up when ${about} was built, then I compare the sources with each other, and at last I write down which of them can be trusted.`

test('messages that nearly repeat those shortly before are noticed, different ones are not', () => {
  const script = new EventScript()
  for (let turn = 0; turn < 6; turn++) script.model(`Let us see: ${plan('the harbour')} This is try number ${turn}.`)
  assert.ok(codes(script.events).includes('near-repetition'))
  const other = new EventScript()
  for (const topic of TOPICS)
    other.model(
      `About ${topic}: ${[...topic].reverse().join('')} stands since ${topic.length}00 and was moved ${topic.length} times by ${topic.slice(-4)} people.`,
    )
  assert.equal(codes(other.events), [])
})

test('an agent that says its opening again late in its work begins anew', () => {
  const script = new EventScript()
  script.model(plan('the harbour'))
  for (const topic of TOPICS.slice(1, 6))
    script.model(
      `Found ${topic} of ${topic.length * 31} years, next to ${topic.toUpperCase()} ${topic.length} miles from where ${topic} once was.`,
    )
  assert.equal(codes(script.events), [])
  script.model(plan('the harbour'))
  const [issue] = watch(script.events).filter(({ code }) => code === 'conversation-restart')
  assert.equal([issue?.mast, issue?.action], ['2.1', 'replan'])
  assert.ok(issue?.evidence.includes('run_script:2'))
})

test('a question is lost history when it is asked again after it was answered', () => {
  const question = 'Before I go on I need to know one thing. Which database does the billing service of the shop use?'
  const ask = (script: EventScript) => script.model(question, { agentId: 'agent-1' })
  const script = new EventScript()
  ask(script)
  ask(script)
  assert.not.ok(codes(script.events).includes('lost-history'), 'there is no answer yet')
  script.model('It is Postgres, version sixteen.', { agentId: 'agent-2' })
  ask(script)
  assert.ok(codes(script.events).includes('lost-history'))
})

test('a finished step that is begun again is lost history, a retry or a new execution is not', () => {
  const run = (between: (script: EventScript) => void) => {
    const script = new EventScript()
    begin(script, [step('step-1')])
    startStep(script, 'step-1')
    endStep(script, 'step-1')
    between(script)
    startStep(script, 'step-1')
    return codes(script.events)
  }
  assert.ok(run(() => undefined).includes('lost-history'))
  assert.not.ok(run((script) => script.add('stage.started', {}, { stage: 'execute' })).includes('lost-history'))
  assert.not.ok(run((script) => script.add('step.retrying', {}, { stepId: 'step-1' })).includes('lost-history'))
})

test('an ambiguous task that failed without a question is noticed', () => {
  const run = (ambiguity: number, isAsked: boolean) => {
    const script = new EventScript()
    script.add('analysis.completed', { features: { ambiguity }, openQuestions: ['Which file is meant?'] })
    if (isAsked) script.add('run.waiting', { reason: 'input' })
    script.add('run.failed', {})
    return codes(script.events)
  }
  assert.equal(run(0.7, false), ['no-clarification'])
  assert.equal(run(0.7, true), [])
  assert.equal(run(0.2, false), [])
})

test('a tool that is announced and not called is noticed, a tool that is only talked about is not', () => {
  const say = (text: string, tools: string[]) => {
    const script = new EventScript()
    begin(script, [step('step-1', { tools: ['read_file', 'search_files'] })])
    const at = { agentId: 'agent-1', stepId: 'step-1', callId: 'm', stage: 'execute' as const }
    script.add('model.completed', { toolCalls: tools.map((tool) => ({ callId: tool, tool, args: {} })), usage }, at)
    script.add('message.completed', { role: 'assistant', content: [{ type: 'text', text }] }, at)
    return watch(script.events).map(({ code, severity, action }) => `${code} ${severity} ${action}`)
  }
  assert.equal(say("I'll use read_file to look at it.", ['search_files']), ['announced-otherwise info none'])
  assert.equal(say('Let me call search_files now.', []), ['announced-otherwise warn nudge'])
  assert.equal(say("I'll use read_file to look at it.", ['read_file']), [])
  assert.equal(say('The result of read_file says 12.', []), [])
})

test('a verifier that passes without any tool call, or against the rules, is noticed', () => {
  const run = (isLooked: boolean, output = 'Everything is correct.', failedCheck = false) => {
    const script = new EventScript()
    begin(script, [step('step-1', { role: 'verifier', tools: ['read_file'] })])
    startStep(script, 'step-1')
    if (isLooked) script.tool('read_file', { path: 'a' }, { result: 'text' })
    endStep(script, 'step-1', output)
    const check = { id: 'numbers', result: 'fail', critical: true, by: 'rule', evidence: '401 is in no tool output' }
    if (failedCheck) script.add('reflection.completed', { checks: [check] })
    return watch(script.events).map(({ code, message }) => `${code}: ${message}`)
  }
  assert.match(run(false)[0] ?? '', 'wrong-verification: step-1 verified without looking')
  assert.equal(run(true), [])
  assert.equal(run(false, 'This is not correct: a line is missing.'), [])
  assert.match(run(true, 'All verified.', true)[0] ?? '', '401 is in no tool output')
})

test('a step that may use all tools has no tool that is not allowed', () => {
  const script = new EventScript()
  begin(script, [step('step-1', { tools: ['*'] })])
  script.tool('anything', {}, { result: 'x' })
  assert.equal(codes(script.events), [])
})

test.run()
