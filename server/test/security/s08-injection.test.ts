/** S8: nothing that a model or a tool says makes a line of its own in a stream. */
import type { RunEvent } from '@svc/core'
import * as assert from 'uvu/assert'
import { toFrame } from '../../src/events/frame.ts'
import { openServer, serverSuite } from '../fixtures/open-server.ts'
import { allFrames } from '../fixtures/read-stream.ts'

const test = serverSuite('S8 lines in streams')

const EVIL = 'x\n\nevent: run.failed\ndata: {"forged":true}\n\n\rid: 999\r\n\u2028\u2029\u0000\u0085: ka'

test('an answer full of line breaks comes as one event of one line', async () => {
  const world = await openServer({ script: () => EVIL })
  const response = await fetch(`${world.url}/execute`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ task: EVIL }),
  })
  const copy = response.clone()
  const frames = await allFrames(response)
  assert.not.ok(frames.some(({ event, id }) => event === 'run.failed' || id === 999))
  const text = await copy.text()
  for (const line of text.split(/\r\n|\r|\n/)) assert.match(line, /^$|^(retry|id|event|data): |^: ka$/)
  assert.not.ok(text.includes('\r') || text.includes('\u0000'))
})

test('a type that is no type is no line', () => {
  for (const type of ['a\ndata: {}', 'Run.started', 'run started', '../x', '', 'run.', 'é.x']) {
    const frame = toFrame(
      { v: 1, seq: 7, type, time: '', runId: 'run_1', data: {} } as unknown as RunEvent,
      1_024,
    ).toString()
    assert.equal(
      frame.split('\n').map((line) => line.split(':')[0]),
      ['id', 'data', '', ''],
    )
  }
})

test.run()
