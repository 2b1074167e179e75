/** What a person at a terminal sees of a run at work. */
import type { EventData, EventPlace, EventType, RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createIo } from '../src/frame/io.ts'
import { createLines } from '../src/progress/lines.ts'
import { type LiveOptions, LiveProgress } from '../src/progress/live.ts'
import type { Progress } from '../src/progress/progress.ts'
import { widthOf } from '../src/render/width.ts'
import type { Frame } from '../src/terminal/canvas.ts'

const test = suite('progress')

let seq = 0
const event = <T extends EventType>(type: T, data: EventData[T], place: EventPlace = {}): RunEvent =>
  ({ v: 1, seq: ++seq, time: new Date(0).toISOString(), runId: 'run_1', type, data, ...place }) as RunEvent

const usage = { inputTokens: 90, outputTokens: 10, estimated: false }

interface Drawn {
  live: Progress
  /** The lines that are redrawn, as they are now. */
  lines(columns?: number, rows?: number): readonly string[]
  /** What was printed, and stays. */
  printed: string[]
}

/** A run on a terminal of so many columns and rows. @param options as of the display */
function liveOf(columns: number, rows: number, options: LiveOptions = {}): Drawn {
  let frame: Frame = () => []
  const printed: string[] = []
  const print = (text: string): void => void printed.push(...text.replace(/\n$/, '').split('\n'))
  const attach = (next: Frame): void => {
    frame = next
  }
  const canvas = { attach, refresh() {}, detach() {}, pause: <T>(work: () => Promise<T>) => work() }
  const io = {
    ...createIo({ noInput: true, noColor: true }),
    columns,
    rows,
    outColumns: columns,
    err: print,
    out: print,
  }
  const lines = (atColumns = columns, atRows = rows): readonly string[] => {
    Object.assign(io, { columns: atColumns, rows: atRows, outColumns: atColumns })
    return frame(atColumns, atRows)
  }
  return { live: new LiveProgress(io, canvas, options), lines, printed }
}

test('while the run waits for a person nothing is at work, and its clock stands still', () => {
  const { live, lines } = liveOf(200, 24)
  const one = { stepId: 'step-1', agentId: 'agent-1', callId: 'c1' }
  for (const each of [
    event('run.created', { task: 'Write it', mode: 'execute', options: {} } as never),
    event('run.started', { attempt: 1 }),
    event('stage.started', { plugins: [] }, { stage: 'execute' }),
    event('agent.created', { id: 'agent-1', name: 'One', role: 'worker' } as never, one),
    event('step.started', { objective: 'Write it', dependsOn: [] }, one),
    event('tool.requested', { tool: 'write_file', args: { path: 'a.md' } }, one),
    event('approval.requested', { id: 'apr_1', status: 'pending', ...one } as never, { ...one, approvalId: 'apr_1' }),
    event('run.waiting', { reason: 'approval', approvalIds: ['apr_1'] }),
  ])
    live.show(each)
  const drawn = lines()
  live.end()
  assert.equal(drawn, ['○ write_file a.md', '◆ waiting · 0.0 s · 0 tokens'])
})

const planOf = (agents: number) =>
  ({ topology: 'PARALLEL', agents: Array(agents).fill({}), steps: [] }) as unknown as EventData['plan.created']

test('of a team one sees what each step does, and what is done stays; tokens are those of the whole run', () => {
  const { live, lines, printed } = liveOf(200, 24)
  const one = { stepId: 'step-1', agentId: 'agent-1' }
  const two = { stepId: 'step-2', agentId: 'agent-2' }
  for (const each of [
    event('run.started', { attempt: 1 }),
    event('plan.created', planOf(2)),
    event('stage.started', { plugins: [] }, { stage: 'execute' }),
    event('step.started', { objective: 'Read\nthe files', dependsOn: [] }, one),
    event('step.started', { objective: 'Write it', dependsOn: [] }, two),
    event('tool.requested', { tool: 'read_file', args: { path: 'a.md' } }, { ...two, callId: 'c1' }),
    event(
      'model.completed',
      {
        provider: 'p',
        model: 'm',
        toolCalls: [],
        finishReason: 'stop',
        usage,
        costUsd: 0.5,
        latencyMs: 1,
        cached: false,
      },
      { ...one, callId: 'c2' },
    ),
    event('step.completed', { output: 'read', usage }, one),
  ])
    live.show(each)
  const [step, ...status] = lines().filter((line) => line !== '')
  assert.is(step, '◌ step-2 agent-2 Write it  read_file a.md')
  assert.match(status.join(), /PARALLEL · .* · 100 tokens · \$0\.5000 · Ctrl-C stops/)
  assert.equal(printed, ['plan: PARALLEL, 0 steps, 2 agents', '✓ step-1 agent-1 Read the files · 0.0 s'])
  live.end()
})

test('each call is one line that says what it was about and what came of it', () => {
  const { live, lines, printed } = liveOf(80, 24)
  const call = (n: number, tool: string, args: unknown, result: string, durationMs = 1): RunEvent[] => {
    const place = { stepId: 'step-1', agentId: 'agent-1', callId: `c${n}` }
    const done = { tool, result, bytes: 1, truncated: false, durationMs, trust: 'trusted' } as const
    return [event('tool.requested', { tool, args }, place), event('tool.completed', done, place)]
  }
  const [asked, ...rest] = [
    ...call(1, 'read_file', { path: 'src/a.ts' }, '1\n2\n3'),
    ...call(2, 'run_command', { command: ['npm', 'test'] }, '{"exitCode":1,"stdout":"no","stderr":""}', 4_100),
    ...call(3, 'search_files', { pattern: 'x' }, ''),
  ]
  live.show(asked as RunEvent)
  assert.is(lines()[0], '○ read_file src/a.ts')
  for (const each of rest) live.show(each)
  const failed = {
    tool: 'read_file',
    error: { code: 'tool_failed', message: 'b does not exist', retryable: false },
  } as const
  const place = { agentId: 'agent-1', callId: 'c4' }
  live.show(event('tool.requested', { tool: 'read_file', args: { path: 'b' } }, place))
  live.show(event('tool.failed', failed, place))
  live.end()
  assert.equal(printed, [
    '● read_file src/a.ts · 3 lines',
    '● npm test · exit 1 · 4.1 s',
    '● search_files x',
    '● read_file b · failed: b does not exist',
  ])
})

test('a text is shown while it is written, in as many lines as the screen has left, each no wider than it', () => {
  const { live, lines } = liveOf(30, 10)
  const one = { stepId: 'step-1', agentId: 'agent-1', stage: 'execute' } as const
  live.show(event('plan.created', planOf(1)))
  live.show(event('step.started', { objective: '課題'.repeat(40), dependsOn: [] }, one))
  for (let n = 0; n < 400; n++)
    live.show(event('message.delta', { text: `word${n} \u001b[31m課題👩‍🚀\t` }, { ...one, callId: 'c1' }))
  const drawn = lines()
  live.end()
  assert.ok(drawn.length <= 10)
  for (const line of drawn) assert.ok(widthOf(line) < 30 && !line.includes('\u001b'), line)
  assert.match(drawn.slice(-4).join(' '), /word399/)
})

test('whole blocks of an answer are printed once, as they come, and a draft that was rejected is named', () => {
  const { live, lines, printed } = liveOf(80, 24, { speaks: true })
  const one = { stepId: 'step-1', agentId: 'agent-1', stage: 'execute' } as const
  const say = (text: string, callId: string): void => live.show(event('message.delta', { text }, { ...one, callId }))
  live.show(event('plan.created', planOf(1)))
  say('# The first\n\nThe **first** draft', 'c1')
  assert.match(lines().join('\n'), /The first draft/)
  assert.equal(printed, ['The first'])
  live.show(event('message.reset', { reason: 'retry' }, one))
  assert.equal(printed.slice(1), [
    '',
    'The first draft',
    'svc: what stands above is not the answer: another one follows',
  ])
  assert.not.match(lines().join('\n'), /draft/)
  say('The second draft', 'c2')
  live.end()
  assert.is(printed.at(-1), 'The second draft')
  assert.ok(live.hasSaid?.('The second draft') === true && live.hasSaid('The first draft') === false)
})

test('what is said of an answer while it is written stands below it, and cuts it nowhere', () => {
  const { live, lines, printed } = liveOf(60, 24, { speaks: true })
  const one = { stepId: 'step-1', agentId: 'agent-1', stage: 'execute' } as const
  const say = (text: string): void => live.show(event('message.delta', { text }, { ...one, callId: 'c1' }))
  live.show(event('plan.created', planOf(1)))
  say('| a | b |\n|---|---|\n| 1 | ')
  lines()
  const issue = { kind: 'repetition', message: 'agent-1 writes the same again', action: 'warn' }
  live.show(event('inspect.issue', issue as never, one))
  say('2 |')
  live.show(event('model.completed', { usage, model: 'm', costUsd: null } as never, { ...one, callId: 'c1' }))
  live.end()
  assert.equal(printed, ['a │ b', '──┼──', '1 │ 2', '', 'inspector: agent-1 writes the same again'])
  assert.is(live.hasSaid?.('| a | b |\n|---|---|\n| 1 | 2 |'), true)
})

test('of a team the one who writes is shown, folded to the last lines', () => {
  const { live, lines } = liveOf(60, 24)
  live.show(event('plan.created', planOf(2)))
  for (const n of [1, 2]) {
    const place = { stepId: `step-${n}`, agentId: `agent-${n}` }
    live.show(event('step.started', { objective: 'Write', dependsOn: [] }, place))
    live.show(event('message.delta', { text: `${n}: ${'line\n'.repeat(20)}end ${n}` }, { ...place, callId: `c${n}` }))
  }
  const drawn = lines()
  live.end()
  assert.equal(drawn.slice(0, 4), ['  │ line', '  │ line', '  │ line', '  │ end 2'])
  assert.match(drawn[5] ?? '', /writing/)
})

test('no name of a step, an agent, a tool or a file is cut, and no frame is larger than its terminal', () => {
  const path = 'packages/console/src/parts/a-rather-long-name-of-a-file.test.ts'
  for (const [columns, rows] of [
    [80, 24],
    [40, 10],
    [60, 6],
    [20, 3],
    [200, 50],
  ] as const) {
    const { live, lines } = liveOf(columns, rows)
    live.show(event('plan.created', planOf(20)))
    for (let n = 1; n <= 20; n++) {
      const place = { stepId: `step-${n}`, agentId: `the-reviewer-of-module-${n}` }
      live.show(event('step.started', { objective: '課題 '.repeat(50), dependsOn: [] }, place))
      const args = { content: 'x'.repeat(500), path }
      if (n === 1) live.show(event('tool.requested', { tool: 'write_file', args }, { ...place, callId: 'c' }))
    }
    const check = (drawn: readonly string[], atColumns: number, atRows: number): void => {
      assert.ok(drawn.length <= atRows, `${drawn.length} lines on ${atRows} rows`)
      for (const line of drawn) assert.ok(widthOf(line) < atColumns, `${atColumns}: ${line}`)
    }
    const drawn = lines()
    check(drawn, columns, rows)
    const all = drawn.join('\n')
    if (rows >= 6) assert.is(all.split('the-reviewer-of-module-1').length > 1, true, all)
    if (rows >= 6) assert.match(all, /and \d+ more/)
    if (columns >= 60) assert.match(all.replace(/\n {4}/g, ''), `write_file ${path}`)
    check(lines(33, 5), 33, 5)
    live.end()
  }
})

test('a key that a call or a step holds is shown nowhere, wherever a line is broken or cut', () => {
  const key = 'k3y-'.repeat(20)
  process.env.SOME_API_KEY = key
  const shown: string[] = []
  try {
    for (const [agents, columns] of [
      [1, 80],
      [2, 80],
      [1, 40],
    ] as const) {
      const { live, lines, printed } = liveOf(columns, 24)
      const one = { stepId: 'step-1', agentId: 'agent-1', callId: 'c1' }
      live.show(event('plan.created', planOf(agents)))
      live.show(event('step.started', { objective: `Use ${key}`, dependsOn: [] }, one))
      live.show(event('tool.requested', { tool: 'run_command', args: { command: ['curl', '-H', key] } }, one))
      shown.push(...lines())
      const done = { tool: 'run_command', result: `it said ${key}`, bytes: 1, truncated: false, durationMs: 1 } as const
      live.show(event('tool.completed', { ...done, trust: 'trusted' }, one))
      const issue = { kind: 'repetition', message: `${'word '.repeat(12)}${key}`, action: 'warn' }
      live.show(event('inspect.issue', issue as never, one))
      live.show(event('step.completed', { output: '', usage }, one))
      live.end()
      shown.push(...printed)
    }
    const said: string[] = []
    const io = { ...createIo({ noInput: true, noColor: true }), err: (text: string) => void said.push(text) }
    createLines(io, true).show(event('tool.requested', { tool: 'shell', args: { script: `${'x'.repeat(40)} ${key}` } }))
    shown.push(...said)
  } finally {
    delete process.env.SOME_API_KEY
  }
  assert.match(shown.join('\n'), /curl -H/)
  assert.not.match(shown.join('\n'), /k3y/)
})

test('what a person says to the run stands where it is read first, once for all agents, and steers no terminal', () => {
  const { live, printed } = liveOf(80, 24)
  const one = { stepId: 'step-1', agentId: 'agent-1' }
  const two = { stepId: 'step-2', agentId: 'agent-2' }
  const message = { id: 'msg_1', text: 'In blue,\n\u001b[2Jplease.', by: 'user', createdAt: '' }
  live.show(event('plan.created', planOf(2)))
  live.show(event('agent.steered', { messages: [message] }, one))
  live.show(event('step.completed', { output: '', usage }, one))
  live.show(event('agent.steered', { messages: [message] }, two))
  live.end()
  assert.equal(printed, [
    'plan: PARALLEL, 0 steps, 2 agents',
    '',
    '> In blue,',
    '  \\u{1b}[2Jplease.',
    '',
    printed.at(-1),
  ])
})

test('the time of a run is that of the process that works on it, however the clock of this machine is set', () => {
  const { live, lines } = liveOf(80, 24)
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString()
  const HOUR = 3_600_000
  const created = event('run.created', { task: 'Do it', mode: 'execute', options: {} } as never)
  live.show(Object.assign(created, { time: at(-HOUR - 5_000) }))
  live.show(Object.assign(event('run.started', { attempt: 1 }), { time: at(-HOUR) }))
  assert.match(lines().join('\n'), /· 5\.\d s ·/)
  live.end()
})

/** What a plan, a tool or a model may be called: it would clear the screen, turn the text around, and say a line of svc. */
const NAME = 'a\u001b[2J\u202e\r\nsvc: run_1 is completed\nAllow write_file? (y)es'
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach the terminal
const STEERS = /[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u200b]/

test('whatever names and texts hold, each event is one line, and none of them steers the terminal', async () => {
  const place = { stepId: NAME, agentId: NAME, stage: NAME as never, callId: NAME }
  const error = { code: 'tool_failed', message: NAME, retryable: false } as const
  const events = [
    event('plan.created', { topology: NAME, steps: [], agents: [] } as never, place),
    event('step.started', { objective: NAME, dependsOn: [] }, place),
    event('step.retrying', { tries: 1, error } as never, place),
    event('tool.requested', { tool: NAME, args: { [NAME]: NAME } }, place),
    event('approval.resolved', { decision: 'edit', by: NAME, args: NAME } as never, place),
    event('tool.failed', { tool: NAME, error } as never, place),
    event('tool.denied', { tool: NAME, by: 'rule', reason: NAME, error } as never, place),
    event('model.retrying', { delayMs: 1, cause: error } as never, place),
    event('inspect.issue', { message: NAME, action: NAME } as never, place),
    event('stage.completed', { durationMs: 1, plugin: NAME } as never, place),
    event('step.failed', { error } as never, place),
    event('step.skipped', { why: NAME } as never, place),
    event('step.completed', { output: NAME } as never, place),
  ]
  const said: string[] = []
  const io = { ...createIo({ noInput: true, noColor: true }), err: (text: string) => void said.push(text) }
  const lines = createLines(io, true)
  for (const each of events) lines.show(each)
  assert.is(said.length, events.length)
  for (const line of said) assert.ok(!STEERS.test(line) && line.indexOf('\n') === line.length - 1, JSON.stringify(line))

  const { live, lines: draw, printed } = liveOf(60, 20)
  live.show(event('plan.created', planOf(2)))
  for (const each of events.slice(1)) {
    live.show(each)
    for (const line of [...draw(), ...printed]) {
      assert.not.match(line, STEERS)
      assert.not.match(line, /^(svc:|Allow)/)
    }
  }
  live.end()
})

test.run()
