/** Events of types that this version does not know, as a newer server sends them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AnswerText, RunView } from '@svc/core/client'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createClient, type RunEvent } from '../../src/remote/index.ts'

const test = suite('events of later versions')

const at = { v: 1, time: '2030-01-01T00:00:00.000Z', runId: 'run_1' }
const SENT = [
  { ...at, seq: 1, type: 'run.started', data: { attempt: 1 } },
  { ...at, seq: 2, type: 'quota.updated', data: { left: 7 } },
  { ...at, type: 'message.colour', data: { colour: 'red' } },
  { ...at, seq: 3, type: 'run.cancelled', data: { result: { verdict: 'unverified', summary: '' } } },
]

test('they reach who listens in their turn, and nothing else stumbles over them', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(SENT.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = await createClient({ serverUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  try {
    const heard: RunEvent[] = []
    const view = new RunView()
    const text = new AnswerText()
    for await (const event of client.runs.events('run_1')) {
      heard.push(event)
      view.apply(event)
      text.apply(event)
    }
    assert.equal(heard, SENT)
    assert.equal([view.status, view.lastSeq], ['cancelled', 3])
    const left = heard.flatMap((event) => {
      switch (event.type) {
        case 'run.started':
        case 'run.cancelled':
          return []
        default:
          return [event.type]
      }
    })
    assert.equal(left, ['quota.updated', 'message.colour'])
  } finally {
    await client.disconnect()
    server.close()
  }
})

test.run()
