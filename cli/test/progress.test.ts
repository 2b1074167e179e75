/** What a person at a terminal sees of a run at work. */
import type { EventData, EventPlace, EventType, RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createIo } from '../src/frame/io.ts'
import { createLines } from '../src/progress/lines.ts'
import type { Progress } from '../src/progress/progress.ts'
import { createTree } from '../src/progress/tree.ts'
import { widthOf } from '../src/render/width.ts'

const test = suite('progress')

let seq = 0
const event = <T extends EventType>(type: T, data: EventData[T], place: EventPlace = {}): RunEvent =>
  ({ v: 1, seq: ++seq, time: new Date(0).toISOString(), runId: 'run_1', type, data, ...place }) as RunEvent

const usage = { inputTokens: 90, outputTokens: 10, estimated: false }

interface Drawn {
  io: { columns: number; rows: number }
  tree: Progress
  /** The lines of the frame that is drawn next. */
  next(): Promise<readonly string[]>
}

/** A tree on a screen of so many columns and rows. */
function treeOf(columns: number, rows: number): Drawn {
  const waiting = new Set<(lines: readonly string[]) => void>()
  const draw = (lines: readonly string[]): void => {
    for (const look of waiting) look(lines)
    waiting.clear()
  }
  const openScreen = () => ({ draw, close() {} })
  const io = { ...createIo({ noInput: true, noColor: true }), columns, rows, openScreen }
  const next = async (): Promise<readonly string[]> => {
    // the tree keeps no process alive
    const alive = setInterval(() => {}, 1_000)
    const lines = await new Promise<readonly string[]>((resolve) => waiting.add(resolve))
    clearInterval(alive)
    return lines
  }
  return { io, tree: createTree(io), next }
}

test('while the run waits for a person nothing in the tree is at work, and its clock stands still', async () => {
  const { tree, next } = treeOf(200, 24)
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
    tree.show(each)
  const drawn = await next()
  tree.end()
  assert.equal(drawn, ['◆ waiting  0 tokens  0.0 s', '  ◆ step-1 agent-1 Write it'])
})

test('the tree shows stage, steps, what each step does, and the tokens of the whole run', async () => {
  const { tree, next } = treeOf(200, 24)
  const one = { stepId: 'step-1', agentId: 'agent-1' }
  const two = { stepId: 'step-2', agentId: 'agent-2' }
  for (const each of [
    event('run.started', { attempt: 1 }),
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
    tree.show(each)
  const [head = '', ...steps] = await next()
  tree.end()
  assert.match(head, /execute {2}100 tokens {2}\$0\.5000/)
  assert.equal(steps, ['  ✓ step-1 agent-1 Read the files', '  ◌ step-2 agent-2 Write it  read_file {"path":"a.md"}'])
})

const planOf = (agents: number) =>
  ({ topology: 'PARALLEL', agents: Array(agents).fill({}) }) as unknown as EventData['plan.created']

test('a text is shown while it is written, in as many lines as the screen has left, each no wider than it', async () => {
  const { tree, next } = treeOf(30, 10)
  const one = { stepId: 'step-1', agentId: 'agent-1' }
  tree.show(event('plan.created', planOf(1)))
  tree.show(event('step.started', { objective: '課題'.repeat(40), dependsOn: [] }, one))
  for (let n = 0; n < 400; n++)
    tree.show(event('message.delta', { text: `word${n} \u001b[31m課題👩‍🚀\t` }, { ...one, callId: 'c1' }))
  const lines = await next()
  tree.end()
  assert.is(lines.length, 10)
  for (const line of lines) assert.ok(widthOf(line) <= 30 && !line.includes('\u001b'), line)
  assert.match(lines[2] ?? '', /step-1/)
  assert.match(lines.slice(-2).join(' '), /word399/)
})

test('a draft that was rejected is shown no more', async () => {
  const { tree, next } = treeOf(60, 24)
  const one = { stepId: 'step-1', agentId: 'agent-1' }
  tree.show(event('plan.created', planOf(1)))
  tree.show(event('step.started', { objective: 'Write', dependsOn: [] }, one))
  tree.show(event('message.delta', { text: 'the first draft' }, { ...one, callId: 'c1' }))
  assert.match((await next()).join('\n'), /the first draft/)
  tree.show(event('message.reset', { reason: 'retry' }, one))
  assert.not.match((await next()).join('\n'), /draft/)
  tree.show(event('message.delta', { text: 'the second draft' }, { ...one, callId: 'c2' }))
  assert.match((await next()).join('\n'), /the second draft/)
  tree.end()
})

test('of a team the one who writes is shown, folded to the last lines', async () => {
  const { tree, next } = treeOf(60, 24)
  tree.show(event('plan.created', planOf(2)))
  for (const n of [1, 2]) {
    const place = { stepId: `step-${n}`, agentId: `agent-${n}` }
    tree.show(event('step.started', { objective: 'Write', dependsOn: [] }, place))
    tree.show(event('message.delta', { text: `${n}: ${'line\n'.repeat(20)}end ${n}` }, { ...place, callId: `c${n}` }))
  }
  const lines = await next()
  tree.end()
  assert.equal(lines.slice(3), ['  │ line', '  │ line', '  │ line', '  │ end 2'])
  assert.match(lines[2] ?? '', /writing/)
})

test('no name of a step, an agent, a tool or a file is cut, and no frame is larger than its terminal', async () => {
  const path = 'packages/console/src/parts/a-rather-long-name-of-a-file.test.ts'
  for (const [columns, rows] of [
    [80, 24],
    [40, 10],
    [60, 6],
    [20, 3],
    [200, 50],
  ] as const) {
    const { io, tree, next } = treeOf(columns, rows)
    tree.show(event('plan.created', planOf(20)))
    for (let n = 1; n <= 20; n++) {
      const place = { stepId: `step-${n}`, agentId: `the-reviewer-of-module-${n}` }
      tree.show(event('step.started', { objective: '課題 '.repeat(50), dependsOn: [] }, place))
      if (n < 19) tree.show(event('step.completed', { output: 'done', usage }, place))
      const args = { content: 'x'.repeat(500), path }
      if (n === 20) tree.show(event('tool.requested', { tool: 'write_file', args }, { ...place, callId: 'c' }))
    }
    const check = (lines: readonly string[], atColumns: number, atRows: number): void => {
      assert.ok(lines.length <= atRows, `${lines.length} lines on ${atRows} rows`)
      for (const line of lines) assert.ok(widthOf(line) <= atColumns, `${atColumns}: ${line}`)
    }
    const lines = await next()
    check(lines, columns, rows)
    const all = lines.join('\n')
    for (const n of rows >= 10 ? [19, 20] : rows >= 6 ? [20] : [])
      assert.is(all.split(`the-reviewer-of-module-${n}`).length, 2, all)
    if (rows >= 6) assert.match(all, /and \d+ more/)
    if (columns >= 60) assert.match(all.replace(/\n {4}/g, ''), `write_file {"path":"${path}"`)
    io.columns = 33
    io.rows = 5
    check(await next(), 33, 5)
    tree.end()
  }
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

  const { tree, next } = treeOf(60, 20)
  for (const each of events.slice(1, 4)) tree.show(each)
  const drawn = await next()
  tree.end()
  for (const line of drawn) assert.not.match(line, STEERS)
  assert.not.ok(drawn.some((line) => /^(svc:|Allow)/.test(line)))
})

test.run()
