/** What a person at a terminal sees of a run at work. */
import type { EventData, EventPlace, EventType, RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createIo } from '../src/io.ts'
import { createTree } from '../src/progress/tree.ts'

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

test.run()
