/** What a person at a terminal sees of a run at work. */
import type { EventData, EventPlace, EventType, RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createIo } from '../src/io.ts'
import { createTree } from '../src/progress/tree.ts'
import { widthOf } from '../src/render/width.ts'

const test = suite('progress')

let seq = 0
const event = <T extends EventType>(type: T, data: EventData[T], place: EventPlace = {}): RunEvent =>
  ({ v: 1, seq: ++seq, time: new Date(0).toISOString(), runId: 'run_1', type, data, ...place }) as RunEvent

const usage = { inputTokens: 90, outputTokens: 10, estimated: false }

test('the tree shows stage, steps, what each step does, and the tokens of the whole run', async () => {
  const frames: string[] = []
  const io = {
    ...createIo({ noInput: true, noColor: true }),
    columns: 200,
    err: (text: string) => void frames.push(text),
  }
  const tree = createTree(io)
  const one = { stepId: 'step-1', agentId: 'agent-1' }
  const two = { stepId: 'step-2', agentId: 'agent-2' }
  for (const each of [
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
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (frames.length === 0) return
      clearInterval(timer)
      resolve()
    }, 10)
  })
  tree.end()
  const [frame = ''] = frames
  assert.match(frame, /execute {2}100 tokens {2}\$0\.5000/)
  assert.match(frame, /✓ step-1 agent-1 Read the files$/m)
  assert.match(frame, /◌ step-2 agent-2 Write it {2}read_file \{"path":"a\.md"\}$/m)
})

const drawn = (frames: string[], count: number): Promise<string> =>
  new Promise((resolve) => {
    const timer = setInterval(() => {
      if (frames.length < count) return
      clearInterval(timer)
      resolve(frames.at(-1) ?? '')
    }, 10)
  })

const treeOf = (columns: number, rows: number) => {
  const frames: string[] = []
  const io = {
    ...createIo({ noInput: true, noColor: true }),
    columns,
    rows,
    err: (text: string) => void frames.push(text),
  }
  return { io, frames, tree: createTree(io) }
}

/** What takes the last frame off the screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what steers a terminal
const ERASER = /^\r\u001b\[\d+A\u001b\[0J|\u001b\[0m/g
const linesOf = (frame: string): string[] => frame.replace(ERASER, '').split('\n').slice(0, -1)

const planOf = (agents: number) =>
  ({ topology: 'PARALLEL', agents: Array(agents).fill({}) }) as unknown as EventData['plan.created']

test('a text is shown while it is written, in as many lines as the screen has left, each no wider than it', async () => {
  const { frames, tree } = treeOf(30, 10)
  const one = { stepId: 'step-1', agentId: 'agent-1' }
  tree.show(event('plan.created', planOf(1)))
  tree.show(event('step.started', { objective: '課題'.repeat(40), dependsOn: [] }, one))
  for (let n = 0; n < 400; n++)
    tree.show(event('message.delta', { text: `word${n} \u001b[31m課題👩‍🚀\t` }, { ...one, callId: 'c1' }))
  const lines = linesOf(await drawn(frames, 1))
  tree.end()
  assert.is(lines.length, 9)
  for (const line of lines) assert.ok(widthOf(line) < 30 && !line.includes('\u001b'), line)
  assert.match(lines[1] ?? '', /step-1/)
  assert.match(lines.slice(-2).join(' '), /word399/)
})

test('of a team the one who writes is shown, folded to the last lines', async () => {
  const { frames, tree } = treeOf(60, 24)
  tree.show(event('plan.created', planOf(2)))
  for (const n of [1, 2]) {
    const place = { stepId: `step-${n}`, agentId: `agent-${n}` }
    tree.show(event('step.started', { objective: 'Write', dependsOn: [] }, place))
    tree.show(event('message.delta', { text: `${n}: ${'line\n'.repeat(20)}end ${n}` }, { ...place, callId: `c${n}` }))
  }
  const lines = linesOf(await drawn(frames, 1))
  tree.end()
  assert.equal(lines.slice(3), ['  │ line', '  │ line', '  │ line', '  │ end 2'])
  assert.match(lines[2] ?? '', /writing/)
})

test('a narrower terminal breaks lines anew, and all of them are taken back, from the first column on', async () => {
  const { io, frames, tree } = treeOf(80, 24)
  tree.show(event('step.started', { objective: 'w'.repeat(50), dependsOn: [] }, { stepId: 's', agentId: 'a' }))
  await drawn(frames, 1)
  io.columns = 40
  await drawn(frames, 2)
  tree.end()
  assert.ok(frames[1]?.startsWith('\r\u001b[3A\u001b[0J'), JSON.stringify(frames[1]))
  assert.is(frames.at(-1), '\r\u001b[2A\u001b[0J')
})

test.run()
