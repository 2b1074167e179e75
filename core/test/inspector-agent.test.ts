import { findErrors, InspectorAgent, type Issue, type RunEvent, SvcError } from '@svc/core'
import { Inspection } from '@svc/core/schema'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { begin, cleanRun, endStep, finish, startStep, step } from './fixtures/clean-runs.ts'
import { EventScript } from './fixtures/events.ts'
import { between, pick, seeded } from './fixtures/random.ts'

const test = suite('inspector agent')

const watch = (events: readonly RunEvent[], inspector = new InspectorAgent()): Issue[] =>
  events.flatMap((event) => inspector.observe(event))
const codes = (issues: readonly Issue[]) => [...new Set(issues.map(({ code }) => code))]

test('200 clean runs are healthy; at most 1 % of them has an issue', () => {
  const noisy: string[] = []
  for (let seed = 0; seed < 200; seed++) {
    const inspector = new InspectorAgent()
    const { events, runId } = cleanRun(seed)
    const issues = watch(events, inspector)
    if (issues.length > 0) noisy.push(`${runId}: ${issues.map(({ code, message }) => `${code} ${message}`).join('; ')}`)
    assert.is(inspector.report(runId).grade, 'healthy', noisy.at(-1) ?? '')
  }
  assert.ok(noisy.length <= 2, noisy.join('\n'))
})

/** A fault put into a run of one step: what a detector must see. */
const FAULTS: Readonly<Record<string, { code: string; put(script: EventScript, random: () => number): void }>> = {
  'a call repeated with the same result': {
    code: 'step-repetition',
    put(script, random) {
      const tool = pick(random, ['read_file', 'list_files', 'search_files'])
      for (let index = 0; index < 3; index++) {
        script.model('', { toolCalls: 1 })
        script.tool(tool, { path: 'a', depth: 1 }, { result: `same ${tool}` })
      }
    },
  },
  'a cycle of two to four calls': {
    code: 'step-repetition',
    put(script, random) {
      const period = between(random, 2, 4)
      for (let index = 0; index < 3 * period; index++) {
        script.model('', { toolCalls: 1 })
        script.tool('read_file', { path: `file-${index % period}` }, { result: `content ${index % period}` })
      }
    },
  },
  'a call that fails the same way each time': {
    code: 'step-repetition',
    put(script) {
      for (let index = 0; index < 3; index++) {
        script.model('', { toolCalls: 1 })
        script.tool('read_file', { path: 'gone' }, { error: 'ENOENT' })
      }
    },
  },
  'a message said three times': {
    code: 'monologue',
    put(script) {
      for (let index = 0; index < 3; index++) script.model('I will now look at the file.')
    },
  },
  'a tool that fails more often than not': {
    code: 'tool-storm',
    put(script, random) {
      for (let index = 0; index < 6; index++) {
        const agentId = `agent-${(index % 3) + 1}`
        const end = index % 3 > 0 ? { error: `HTTP 503 ${index}` } : { result: `page ${index} ${random()}` }
        script.tool('http_fetch', { url: `https://a.dev/${index}` }, end, { agentId })
      }
    },
  },
  'two errors in a row': {
    code: 'errors-in-a-row',
    put(script) {
      script.tool('read_file', { path: 'a' }, { error: 'ENOENT a' })
      script.tool('read_file', { path: 'b' }, { error: 'ENOENT b' })
    },
  },
  'turns that bring nothing new': {
    code: 'stall',
    put(script, random) {
      for (let index = 0; index < 9; index++) {
        script.model('', { toolCalls: 1 })
        script.tool(
          'search_files',
          { query: `try ${pick(random, ['a', 'b'])}${index % 3}` },
          { result: 'no file of the workspace matches the query that was given, try another one of the words' },
        )
      }
      script.model('')
    },
  },
  'a budget that goes faster than the work': {
    code: 'budget-burn',
    put(script, random) {
      script.model('', { toolCalls: 1, tokens: between(random, 50_000, 63_000) })
    },
  },
  'a tool that the step does not list': {
    code: 'disallowed-tool',
    put(script) {
      script.tool('write_file', { path: 'x' }, { denied: 'not listed' })
    },
  },
  'messages that nearly repeat those before': {
    code: 'near-repetition',
    put(script) {
      const plan =
        'Let us see: first I look up when the harbour was built, then I compare the sources with each other, and at last I write down which of them can be trusted.'
      for (let index = 0; index < 6; index++) script.model(`${plan} This is try number ${index}.`)
    },
  },
}
for (const [name, { code, put }] of Object.entries(FAULTS)) {
  test(`it sees ${name}, however the run began`, () => {
    for (let seed = 0; seed < 10; seed++) {
      const random = seeded(seed)
      const script = new EventScript()
      begin(script, [
        step('step-1', { tools: ['read_file', 'list_files', 'search_files', 'http_fetch'] }),
        step('step-2', { dependsOn: ['step-1'], estimatedTokens: 2000 }),
      ])
      startStep(script, 'step-1')
      for (let before = between(random, 0, 3); before > 0; before--) {
        script.model('', { toolCalls: 1 })
        script.tool('read_file', { path: `before-${before}` }, { result: `text number ${before} of the file` })
      }
      put(script, random)
      assert.ok(codes(watch(script.events)).includes(code), `seed ${seed}: ${codes(watch(script.events))}`)
    }
  })
}

/** One identical call a turn; returns what the inspector says at each. */
function loop(times: number, end: { result?: unknown; error?: string } = { result: 'same' }): Issue[][] {
  const inspector = new InspectorAgent()
  const script = new EventScript()
  return Array.from({ length: times }, () => {
    const from = script.events.length
    script.model('', { toolCalls: 1 })
    script.tool('read_file', { path: 'a' }, end)
    return watch(script.events.slice(from), inspector).filter(({ code }) => code === 'step-repetition')
  })
}

test('a loop warns and nudges at the third call, and is critical and may halt at the fourth', () => {
  const seen = loop(5)
  assert.equal(
    seen.map((issues) => issues.map(({ severity, action }) => `${severity} ${action}`)),
    [[], [], ['warn nudge'], ['critical halt'], []],
  )
  assert.is(seen[2]?.[0]?.evidence.length, 3)
  assert.is(seen[2]?.[0]?.tool, 'read_file')
  assert.is(seen[2]?.[0]?.mast, '1.3')
})

test('a loop of errors is critical at the third call and may halt only after a turn in which the nudge could be read', () => {
  assert.equal(
    loop(4, { error: 'gone' }).map((issues) => issues.map(({ severity, action }) => `${severity} ${action}`)),
    [[], [], ['critical nudge'], ['critical halt']],
  )
})

test('the same call in another step, a new try or a new attempt is no repetition', () => {
  const script = new EventScript()
  begin(
    script,
    ['step-1', 'step-2', 'step-3'].map((id) => step(id)),
  )
  for (const stepId of ['step-1', 'step-2', 'step-3']) {
    startStep(script, stepId)
    script.tool('list_files', {}, { result: 'a' }, { stepId })
    script.add('step.retrying', {}, { stepId, agentId: 'agent-1' })
    script.tool('list_files', {}, { result: 'a' }, { stepId })
    endStep(script, stepId)
  }
  script.add('stage.started', {}, { stage: 'execute' })
  script.tool('list_files', {}, { result: 'a' }, { stepId: 'step-3' })
  assert.equal(codes(watch(script.events)), [])
})

test('work that ended with unfinished steps is reported, and no longer so when they are finished later', () => {
  const inspector = new InspectorAgent()
  const script = new EventScript()
  begin(script, [step('step-1'), step('step-2', { dependsOn: ['step-1'] })])
  startStep(script, 'step-1')
  endStep(script, 'step-1')
  startStep(script, 'step-2')
  finish(script)
  const [issue] = watch(script.events, inspector)
  assert.equal([issue?.code, issue?.severity, issue?.action], ['premature-end', 'critical', 'replan'])
  assert.is(inspector.report(script.runId).grade, 'unhealthy')
  const from = script.events.length
  script.add('stage.started', {}, { stage: 'execute' })
  endStep(script, 'step-2')
  finish(script)
  assert.equal(watch(script.events.slice(from), inspector), [])
  assert.equal(inspector.report(script.runId).issues, [])
})

test('a model that streams one sentence over and over is caught, a table is not', () => {
  const stream = (text: string) => {
    const inspector = new InspectorAgent()
    const issues: Issue[] = []
    for (let at = 0; at < text.length; at += 7) {
      issues.push(
        ...inspector.observe({
          v: 1,
          type: 'message.delta',
          time: new Date(0).toISOString(),
          runId: 'r',
          agentId: 'agent-1',
          callId: 'c',
          data: { text: text.slice(at, at + 7) },
        }),
      )
    }
    return codes(issues)
  }
  assert.equal(stream('The quick brown fox jumps over the lazy dog and then it rests a while. '.repeat(12)), [
    'chunk-loop',
  ])
  assert.equal(stream('| --- | --- | --- | --- | --- |\n'.repeat(60)), [])
  assert.equal(
    stream(
      Array.from(
        { length: 200 },
        (_, index) => `Row ${index} holds the value ${(index * 7919) % 1000} of its own.`,
      ).join('\n'),
    ),
    [],
  )
  const rows = Array.from(
    { length: 60 },
    (_, index) =>
      `| check ${String(index).padStart(3, '0')} | passed on the first try, nothing was found in the report of it |`,
  )
  assert.equal(stream(rows.join('\n')), [], 'rows of a table that are alike')
})

test('an issue is closed after five turns without a further sighting', () => {
  const inspector = new InspectorAgent()
  const script = new EventScript()
  script.tool('read_file', { path: 'a' }, { error: 'ENOENT a' })
  script.tool('read_file', { path: 'b' }, { error: 'ENOENT b' })
  watch(script.events, inspector)
  assert.is(inspector.report(script.runId).score, 0.9)
  const from = script.events.length
  for (let turn = 0; turn < 5; turn++) {
    script.model('', { toolCalls: 1 })
    script.tool('read_file', { path: `c-${turn}` }, { result: `something new ${turn} with other words ${turn}` })
  }
  watch(script.events.slice(from), inspector)
  const report = inspector.report(script.runId)
  assert.equal([report.score, report.issues.length, report.signals.closedIssues], [1, 0, 1])
})

test('health is the product over the open issues, and the report fits its contract', () => {
  const inspector = new InspectorAgent()
  const script = new EventScript()
  for (let index = 0; index < 4; index++) {
    script.model('', { toolCalls: 1 })
    script.tool('read_file', { path: 'a' }, { error: 'ENOENT' })
  }
  watch(script.events, inspector)
  const report = inspector.report(script.runId)
  assert.is(report.score, Math.round(0.65 * 0.9 * 1e6) / 1e6)
  assert.is(report.grade, 'unhealthy')
  assert.equal(findErrors(Inspection, report), [])
  assert.is(report.signals.toolErrorShare, 1)
  assert.is(report.signals.repeats, 4)
})

test('of runs that ended the last 64 reports are remembered, beside all that still run', () => {
  const inspector = new InspectorAgent()
  for (let index = 0; index < 100; index++) {
    const script = new EventScript(`run_${index}`)
    script.tool('read_file', { path: 'a' }, { error: 'ENOENT a' })
    script.tool('read_file', { path: 'b' }, { error: 'ENOENT b' })
    if (index > 0) script.add('run.completed', { result: {} })
    watch(script.events, inspector)
  }
  assert.is(inspector.report().signals.runs, 65)
  assert.is(inspector.report('run_0').signals.runs, 1)
  assert.is(inspector.report('run_1').signals.runs, 0)
  assert.is(inspector.report('run_99').issues.length, 1, 'the report of an ended run stays as it was')
  inspector.forget('run_0')
  assert.is(inspector.report('run_0').signals.runs, 0)
})

test('a registered detector takes part; one that throws is left out of account', () => {
  const inspector = new InspectorAgent()
  inspector.registerDetector({
    code: 'shouting',
    on: ['message.completed'],
    watch: (facts) => () =>
      facts.text === 'NO' ? { subject: 'x', severity: 'info', message: 'shouts', action: 'none' } : undefined,
  })
  inspector.registerDetector({
    code: 'broken',
    on: ['message.completed'],
    watch: () => () => {
      throw new TypeError('oops')
    },
  })
  const script = new EventScript()
  script.model('NO')
  assert.equal(codes(watch(script.events, inspector)), ['shouting'])
  assert.is(inspector.report(script.runId).signals.detectorErrors, 1)
})

test('its own issues are no part of what it watches', () => {
  const script = new EventScript()
  script.add('inspect.issue', {})
  const inspector = new InspectorAgent()
  assert.equal(watch(script.events, inspector), [])
  assert.is(inspector.report().signals.runs, 0)
})

test('bad thresholds, codes and doubles are refused with a code', () => {
  for (const act of [
    () => new InspectorAgent({ thresholds: { repeatsWarn: 0 } }),
    () => new InspectorAgent({ thresholds: { nonsense: 1 } as never }),
    () => new InspectorAgent().registerDetector({ code: 'stall', on: [], watch: () => () => undefined }),
    () => new InspectorAgent().registerDetector({ code: 'No Slug', on: [], watch: () => () => undefined }),
  ]) {
    try {
      act()
      assert.unreachable()
    } catch (thrown) {
      assert.ok(SvcError.isInstance(thrown))
      assert.is(thrown.code, 'validation_failed')
    }
  }
})

test('whatever comes, it says each issue once until it grows graver', () => {
  const call = fc.record({ tool: fc.constantFrom('a', 'b'), arg: fc.nat(1), error: fc.boolean(), turn: fc.boolean() })
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
      const inspector = new InspectorAgent()
      const script = new EventScript()
      for (const { tool, arg, error, turn } of calls) {
        if (turn) script.model('', { toolCalls: 1 })
        script.tool(tool, { arg }, error ? { error: 'x' } : { result: 'y' })
      }
      const said = new Map<string, string>()
      for (const event of script.events) {
        for (const { id, severity, action, firstAt } of inspector.observe(event)) {
          const now = `${severity} ${action} ${firstAt}`
          assert.is.not(said.get(id), now)
          said.set(id, now)
        }
      }
      const { score, issues } = inspector.report(script.runId)
      assert.ok(score >= 0 && score <= 1)
      assert.is(new Set(issues.map(({ id }) => id)).size, issues.length)
    }),
    { numRuns: 200, seed: 7 },
  )
})

test.run()
