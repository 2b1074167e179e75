import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ModelProvider } from '../src/index.ts'
import { ProviderError } from '../src/index.ts'
import { ProbeCalls } from '../src/runtime/calls/model/layers/probe-calls.ts'

const test = suite('the first calls of a run')

const { signal } = new AbortController()
const provider = (id: string): ModelProvider => ({
  id,
  models: async () => [],
  // biome-ignore lint/correctness/useYield: nobody calls it
  async *generate() {
    throw new Error('nobody calls it')
  },
})
const house = provider('house')
const target = (model = 'm', of = house) => ({ provider: of, model, info: undefined })
const failure = (code: 'provider_auth' | 'model_not_found' | 'context_overflow') =>
  new ProviderError(code, code, { provider: 'house' })

/** Fails where a call has to wait for others. */
async function sendAtOnce(calls: ProbeCalls, to: ReturnType<typeof target>, isProven = false): Promise<void> {
  const late = new Promise((_, reject) => setImmediate(reject, new Error('the call waits')))
  await Promise.race([calls.enter(to, isProven, signal), late])
}

test('three calls are sent at once, the fourth waits for what comes of them', async () => {
  const calls = new ProbeCalls()
  for (let sent = 0; sent < 3; sent++) await sendAtOnce(calls, target())
  let isSent = false
  const fourth = calls.enter(target(), false, signal).then(() => {
    isSent = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.not.ok(isSent)
  calls.settle(target())
  await fourth
  await sendAtOnce(calls, target()) // a model that has answered keeps nobody waiting
})

test('after three failures, those that wait and those that come fail as the last one did', async () => {
  const calls = new ProbeCalls()
  for (let sent = 0; sent < 3; sent++) await calls.enter(target(), false, signal)
  const waiting = calls.enter(target('other'), false, signal)
  for (let sent = 0; sent < 3; sent++) calls.settle(target(), failure('provider_auth'))
  await waiting.then(
    () => assert.unreachable(),
    (thrown) => assert.is(thrown.code, 'provider_auth'),
  )
  for (const isProven of [true, false]) {
    await calls.enter(target(), isProven, signal).then(
      () => assert.unreachable(),
      (thrown) => assert.is(thrown.code, 'provider_auth'),
    )
  }
  await sendAtOnce(calls, target('m', provider('another')))
})

test('a model that is not there says nothing of the others, and a long conversation nothing of the model', async () => {
  const calls = new ProbeCalls()
  for (let sent = 0; sent < 5; sent++) {
    await sendAtOnce(calls, target('long'))
    calls.settle(target('long'), failure('context_overflow'))
  }
  for (let sent = 0; sent < 3; sent++) {
    await calls.enter(target('gone'), false, signal)
    calls.settle(target('gone'), failure('model_not_found'))
  }
  await calls.enter(target('gone'), false, signal).then(
    () => assert.unreachable(),
    (thrown) => assert.is(thrown.code, 'model_not_found'),
  )
  await sendAtOnce(calls, target('here'))
})

test('nobody waits for a provider whose last call went well, nor longer than two seconds for another', async () => {
  const calls = new ProbeCalls()
  for (let sent = 0; sent < 9; sent++) await sendAtOnce(calls, target(), true)
  await calls.enter(target(), false, signal)
})

test('a call that waits ends with its run', async () => {
  const calls = new ProbeCalls()
  const run = new AbortController()
  for (let sent = 0; sent < 3; sent++) await calls.enter(target(), false, run.signal)
  const waiting = calls.enter(target(), false, run.signal)
  run.abort(new Error('stopped'))
  await waiting.then(
    () => assert.unreachable(),
    (thrown) => assert.is(thrown.message, 'stopped'),
  )
})

test.run()
