import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { InspectorAgent, ServiceLevel } from '../src/components/inspector-agent/index.ts'
import type { Issue, RunEvent } from '../src/contracts/index.ts'
import { SvcError } from '../src/errors.ts'
import { begin, endStep, startStep, step } from './fixtures/clean-runs.ts'
import { EventScript } from './fixtures/events.ts'

const test = suite('further failure modes that the inspector sees')

const watch = (events: readonly RunEvent[], inspector = new InspectorAgent()): Issue[] =>
  events.flatMap((event) => inspector.observe(event))
const codes = (events: readonly RunEvent[]) => [...new Set(watch(events).map(({ code }) => code))]
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
  assert.not.ok(codes(script.events).includes('lost-history'), 'nobody has answered yet')
  script.model('It is Postgres, version sixteen.', { agentId: 'agent-2' })
  ask(script)
  assert.ok(codes(script.events).includes('lost-history'))
})

test('a finished step that is begun again is lost history, a retry or a new walk is not', () => {
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

test('an ambiguous task that failed without a question to anybody is noticed', () => {
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
    script.add('model.completed', { toolCalls: tools.map((tool) => ({ callId: tool, tool, args: {} })), usage: {} }, at)
    script.add('message.completed', { role: 'assistant', content: [{ type: 'text', text }] }, at)
    return watch(script.events).map(({ code, severity, action }) => `${code} ${severity} ${action}`)
  }
  assert.equal(say("I'll use read_file to look at it.", ['search_files']), ['announced-otherwise info none'])
  assert.equal(say('Let me call search_files now.', []), ['announced-otherwise warn nudge'])
  assert.equal(say("I'll use read_file to look at it.", ['read_file']), [])
  assert.equal(say('The result of read_file says 12.', []), [])
})

test('a verifier that passes without looking, or against the rules, is noticed', () => {
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

const MINUTE = 60_000

test('burn rates alarm when the long and the short window both burn, and stop when the short one is over', () => {
  const level = new ServiceLevel(0.99)
  const burning = () =>
    level
      .burns()
      .filter(({ isBurning }) => isBurning)
      .map(({ name }) => name)
  for (let minute = 0; minute < 60; minute++) for (let call = 0; call < 10; call++) level.count(minute * MINUTE, false)
  assert.equal(burning(), [])
  for (let minute = 60; minute < 80; minute++)
    for (let call = 0; call < 10; call++) level.count(minute * MINUTE, call < 6)
  assert.ok(burning().includes('fast'))
  for (let minute = 80; minute < 86; minute++) level.count(minute * MINUTE, false)
  assert.not.ok(burning().includes('fast'))
  for (const { rate } of level.burns()) assert.ok(rate > 1)
  level.count(10 * 24 * 60 * MINUTE, false)
  assert.ok(
    level.burns().every(({ rate }) => rate === 0),
    'ten days later all is forgotten',
  )
  level.count(0, true)
  assert.ok(
    level.burns().every(({ rate }) => rate === 0),
    'and what comes far too late is left out',
  )
})

test('the report over all runs says when model calls fail too often, the report of one run does not', () => {
  const inspector = new InspectorAgent()
  const script = new EventScript()
  for (let call = 0; call < 40; call++)
    script.add(
      call % 2 === 0 ? 'model.failed' : 'model.completed',
      { error: { code: 'x' } },
      { agentId: 'a', callId: `${call}` },
    )
  watch(script.events, inspector)
  const all = inspector.report()
  assert.ok(all.issues.some(({ code, severity }) => code === 'service-level' && severity === 'critical'))
  assert.is(all.signals.burnFast, 50)
  assert.is(all.grade, 'unhealthy')
  assert.not.ok(inspector.report(script.runId).issues.some(({ code }) => code === 'service-level'))
  try {
    new InspectorAgent({ objective: 1 })
    assert.unreachable()
  } catch (thrown) {
    assert.ok(SvcError.isInstance(thrown) && thrown.code === 'validation_failed')
  }
})

test.run()
