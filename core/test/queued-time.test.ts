/** How long a run waits for its turn, where the clock of the machine is moved meanwhile. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ExecutionResult } from '../src/index.ts'
import { createMemoryStore } from '../src/index.ts'
import { ended, model, start, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('time in the queue')

const HOUR_MS = 3_600_000

/** A process that works on one run at a time, whose first one ends when it is released. */
async function busy() {
  let shiftMs = 0
  let release: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const clock = (): number => Date.now() + shiftMs
  const act = tiny({
    execute: async (_, task) => {
      if (task === 'first') await gate
      return execution('done')
    },
  })
  const config = { server: { limits: { runningRuns: 1 } } }
  const runtime = await start([act, model()], { store: createMemoryStore({ clock }), clock, config, leaseMs: 60 })
  const first = await runtime.runs.create({ task: 'first' })
  await until(async () => (await runtime.runs.get(first.id)).status === 'running')
  return { runtime, release, shift: (ms: number) => (shiftMs = ms) }
}

test('a clock that is put back lets no run wait for longer than it may', async () => {
  const { runtime, release, shift } = await busy()
  const { id } = await runtime.runs.create({ task: 'second', budget: { maxQueueMs: 300 } })
  shift(-HOUR_MS)
  await ended(runtime, id)
  const { error } = await runtime.runs.get(id)
  assert.is(error?.code, 'queue_timeout')
  const [, waitedMs = '0'] = /waited (\d+) ms/.exec(error?.message ?? '') ?? []
  assert.ok(Number(waitedMs) >= 300, error?.message)
  release()
  await runtime.close()
})

test('a clock that is put forward ends no wait, and is not counted as one', async () => {
  const { runtime, release, shift } = await busy()
  const { id } = await runtime.runs.create({ task: 'second', budget: { maxQueueMs: HOUR_MS / 2 } })
  shift(HOUR_MS)
  // Long enough for this process to look for runs that are late.
  for (let n = 0; n < 3; n++) await runtime.runs.wait(id, 60)
  release()
  await ended(runtime, id)
  const { status, error, result } = await runtime.runs.get(id)
  assert.is(status, 'completed', error?.message)
  assert.ok((result as ExecutionResult).timing.queuedMs < HOUR_MS / 2)
  await runtime.close()
})

test.run()
