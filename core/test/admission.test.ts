/** Who may send a call, and when: limits, turns, and what a provider asks for. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Applicant, Gate, type Leave, type Reason } from '../src/runtime/calls/model/admission.ts'

const test = suite('admission')

const { signal } = new AbortController()
const of = (more: Partial<Applicant> = {}): Applicant => ({ owner: '', runId: 'a', model: 'm', tokens: 10, ...more })

/** A gate on a clock that is set by hand; calls by the names of their runs, in the order in which they left. */
function make(limits: Parameters<Gate['limit']>[0], info?: Parameters<Gate['limit']>[2]) {
  let now = 1_000_000
  const gate = new Gate(() => now)
  gate.limit(limits, 'm', info)
  const left: string[] = []
  const leaves: Leave[] = []
  const reasons: Reason[] = []
  const ask = (applicant: Applicant, until = signal): Promise<unknown> =>
    gate
      .enter(applicant, until, (reason) => reasons.push(reason))
      .then((leave) => {
        left.push(applicant.runId)
        leaves.push(leave)
      })
      .catch((thrown: unknown) => thrown)
  return { gate, left, leaves, reasons, ask, pass: (ms: number): number => (now += ms) }
}

/** Until promises that are settled were heard of. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('owners take turns, and runs of one owner, so that many calls of one hold up nobody', async () => {
  const { left, leaves, ask, reasons } = make({ maxConcurrency: 1 })
  const order = ['a1', 'a1', 'a1', 'a2', 'b1', 'b1']
  for (const runId of order) void ask(of({ owner: runId[0] ?? '', runId }))
  for (let served = 0; served < order.length; served++) {
    await settled()
    leaves[served]?.end()
  }
  assert.equal(left, ['a1', 'a1', 'b1', 'a2', 'b1', 'a1'])
  assert.equal(
    reasons,
    Array.from({ length: 5 }, () => 'maxConcurrency'),
  )
})

test('a minute holds no more calls, and no more tokens, than its limits; what was taken counts once it is known', async () => {
  const { left, leaves, ask, pass, reasons } = make({ requestsPerMinute: 2 }, { id: 'm', tokensPerMinute: 100 })
  for (let call = 0; call < 3; call++) void ask(of({ tokens: 10 }))
  await settled()
  assert.equal([left.length, reasons], [2, ['requestsPerMinute']])
  leaves[0]?.end(90)
  leaves[1]?.end(10)
  pass(60_001)
  await ask(of({ tokens: 20 }))
  assert.is(left.length, 4, 'the first minute is over')
  leaves.at(-1)?.end(95)
  pass(60_001)
  void ask(of({ tokens: 95 }))
  await settled()
  const stop = new AbortController()
  const cancelled = ask(of({ tokens: 10 }), stop.signal)
  await settled()
  stop.abort('enough')
  assert.is(await cancelled, 'enough')
  assert.is(reasons.at(-1), 'tokensPerMinute')
})

test('what a provider asks one call to wait for, all wait for; one that is cancelled meanwhile waits no more', async () => {
  const { gate, left, ask, reasons } = make({})
  gate.pause(30_000)
  const stop = new AbortController()
  const cancelled = ask(of(), stop.signal)
  await settled()
  assert.equal([left, reasons], [[], ['the provider']])
  stop.abort('enough')
  assert.is(await cancelled, 'enough')
  assert.equal(left, [])
})

test('where an answer says that nothing is left, all wait for what one call needs', async () => {
  for (const [limits, size] of [
    [{ requests: { remaining: 0, resetMs: 60_000, limit: 60 } }, 10],
    [{ tokens: { remaining: 0, resetMs: 60_000, limit: 6_000 } }, 100],
  ] as const) {
    const { gate, left, ask, pass } = make({})
    gate.learn(limits, size)
    pass(999)
    const stop = new AbortController()
    void ask(of(), stop.signal)
    await settled()
    assert.is(left.length, 0)
    stop.abort()
    pass(1)
    await ask(of())
    assert.is(left.length, 1)
  }
})

test('tries beyond the first are three for ten calls in the long run', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 0, max: 9 }), (calls, perCall) => {
      const { gate } = make({})
      let retries = 0
      for (let call = 0; call < calls; call++) {
        gate.begin()
        for (let wanted = 0; wanted < perCall && gate.takeRetry(); wanted++) retries++
      }
      assert.ok(retries <= 20 + 0.3 * calls, `${retries} for ${calls}`)
      if (perCall > 0) assert.ok(retries >= Math.floor(Math.min(calls, 0.3 * calls)) - 1, `${retries} for ${calls}`)
    }),
  )
})

test('whatever comes when, no more run at once than the limit, nobody is forgotten, and nobody runs twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.record({ owner: fc.constantFrom('a', 'b'), run: fc.nat(2), isEnd: fc.boolean() }), { maxLength: 40 }),
      async (maxConcurrency, steps) => {
        const { left, leaves, ask } = make({ maxConcurrency })
        let ended = 0
        let asked = 0
        for (const { owner, run, isEnd } of steps) {
          if (isEnd) leaves[ended]?.end()
          if (isEnd && ended < leaves.length) ended++
          if (!isEnd) {
            asked++
            void ask(of({ owner, runId: `${owner}${run}` }))
          }
          await settled()
          assert.is(left.length, Math.min(asked, ended + maxConcurrency))
        }
      },
    ),
    { numRuns: 100 },
  )
})

test.run()
