import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ProviderError } from '../src/index.ts'
import { Breaker } from '../src/runtime/calls/model/breaker.ts'
import { delayBeforeNext } from '../src/runtime/calls/model/retry-delay.ts'

const test = suite('breaker')

const { signal } = new AbortController()
const gone = new ProviderError('provider_unavailable', 'ECONNREFUSED', { provider: 'x' })
const fail = (error: Error) => (): Promise<never> => Promise.reject(error)
const answer = async (): Promise<string> => 'here'

/** A call through a breaker, as the gateway makes it. */
async function through(breaker: Breaker, call: () => Promise<string>, until: AbortSignal = signal): Promise<string> {
  const isProbe = await breaker.enter(until)
  const { openMs } = breaker
  try {
    const said = await call()
    breaker.settle(openMs, isProbe)
    return said
  } catch (thrown) {
    breaker.settle(openMs, isProbe, thrown)
    throw thrown
  }
}

/** A breaker on a clock that is set by hand, and what comes of calls through it. */
function make() {
  let now = 1_000_000
  let sent = 0
  const breaker = new Breaker(() => now)
  const send = (call: () => Promise<string>): Promise<string> =>
    through(breaker, () => {
      sent++
      return call()
    }).catch((thrown: Error) => thrown.message)
  return {
    breaker,
    send,
    pass: (ms: number): number => (now += ms),
    sentBy: async (work: () => Promise<unknown>): Promise<number> => {
      const before = sent
      await work()
      return sent - before
    },
  }
}

/** Three connections that fail, one after the other. */
async function open({ send }: ReturnType<typeof make>): Promise<void> {
  for (let count = 0; count < 3; count++) await send(fail(gone))
}

test('after three failed connections in a row nothing is sent, and the same error comes at once', async () => {
  const made = make()
  const { breaker, send, sentBy } = made
  assert.is(await sentBy(() => open(made)), 3)
  assert.is(breaker.waitMs, 500)
  assert.is(await sentBy(async () => assert.is(await send(answer), 'ECONNREFUSED')), 0)
})

test('afterwards one call is sent, and the others go with it or fail like it', async () => {
  for (const isBack of [true, false]) {
    const made = make()
    await open(made)
    made.pass(500)
    let end = (): void => {}
    const probe = (): Promise<string> =>
      new Promise((resolve, reject) => {
        end = () => (isBack ? resolve('here') : reject(gone))
      })
    const said: Promise<string[]> = Promise.all([made.send(probe), made.send(answer), made.send(answer)])
    await new Promise(setImmediate) // the first is on its way, the others wait
    const sent = made.sentBy(async () => {
      end()
      await said
    })
    assert.equal(await said, Array(3).fill(isBack ? 'here' : 'ECONNREFUSED'))
    assert.is(await sent, isBack ? 2 : 0)
    assert.is(made.breaker.waitMs, isBack ? 0 : 1000)
  }
})

test('the wait doubles up to half a minute', async () => {
  const made = make()
  await open(made)
  const waits: number[] = []
  for (let count = 0; count < 8; count++) {
    waits.push(made.breaker.waitMs)
    made.pass(made.breaker.waitMs)
    await made.send(fail(gone))
  }
  assert.equal(waits, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('an answer of any kind starts the count anew', async () => {
  const refused = new ProviderError('provider_unavailable', '503', { provider: 'x', providerStatus: 503 })
  const denied = new ProviderError('provider_auth', 'bad key', { provider: 'x', providerStatus: 401 })
  for (const call of [answer, fail(refused), fail(denied)]) {
    const { breaker, send } = make()
    for (const next of [fail(gone), fail(gone), call, fail(gone), fail(gone)]) await send(next)
    assert.is(breaker.waitMs, 0)
  }
})

test('a clock that is put back keeps nothing away', async () => {
  const made = make()
  await open(made)
  made.pass(-3_600_000)
  assert.is(await made.send(answer), 'here')
})

test('a retry waits as long as nothing is sent, unless that is more than twice as long as its own wait could be', () => {
  const delay = (tries: number, brokenMs: number): number | undefined =>
    delayBeforeNext(gone, tries, 2, () => 0.5, brokenMs)
  assert.equal([delay(1, 0), delay(2, 0), delay(3, 0)], [250, 500, undefined])
  assert.equal([delay(1, 500), delay(2, 1000)], [501, 1001])
  assert.equal([delay(1, 1_000), delay(2, 2_000)], [1_001, 2_001])
  assert.equal([delay(1, 1_001), delay(2, 2_001)], [undefined, undefined])
})

test.run()
