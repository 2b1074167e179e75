/** Waiting for a run that stops for a person, also where the store fails meanwhile. */
import { type Run, type RunEvent, SvcError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { waitForEnd } from '../src/wait-for-end.ts'

const test = suite('waitForEnd')

const rejections: unknown[] = []
process.on('unhandledRejection', (reason) => rejections.push(reason))

const runWith = (status: Run['status']): Run => ({ id: 'run_1', status, lastSeq: 7 }) as Run

test('a run that has ended is answered at once, without its events', async () => {
  const run = await waitForEnd(
    {
      wait: async () => runWith('failed'),
      events: () => {
        throw new Error('nobody needs them')
      },
    },
    'run_1',
  )
  assert.is(run.status, 'failed')
})

test('a run that waits for a person is followed to its end, from the event that it waits at', async () => {
  const statuses: Run['status'][] = ['waiting', 'completed']
  const asked: unknown[] = []
  const run = await waitForEnd(
    {
      wait: async () => runWith(statuses.shift() ?? 'failed'),
      async *events(_id, options) {
        asked.push(options)
        yield { type: 'run.resumed' } as RunEvent
      },
    },
    'run_1',
  )
  assert.is(run.status, 'completed')
  assert.equal(asked, [{ after: 7, deltas: false }])
})

test('a store that fails while a person is asked rejects the wait and nothing else', async () => {
  const broken = waitForEnd(
    {
      wait: async () => runWith('waiting'),
      // biome-ignore lint/correctness/useYield: it fails before its first event
      async *events() {
        throw new SvcError('store_unavailable', 'the disk is gone')
      },
    },
    'run_1',
  )
  const thrown = await broken.then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(SvcError.isInstance(thrown))
  assert.is(thrown.code, 'store_unavailable')
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(rejections, [])
})

test.run()
