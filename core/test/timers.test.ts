import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Steering } from '../src/runtime/calls/steering.ts'
import { toContent } from '../src/runtime/calls/tools/tool-content.ts'
import { setLongTimer } from '../src/support/timers/long-timer.ts'

const test = suite('timers')

/** Runs with a `setTimeout` that is fired by hand. */
function withTimers(body: (fire: () => number) => void): void {
  const real = globalThis.setTimeout
  const waiting: { ms: number; callback: () => void }[] = []
  const fake = (callback: () => void, ms: number) => {
    waiting.push({ ms, callback })
    return { unref() {}, ref() {} }
  }
  globalThis.setTimeout = fake as unknown as typeof setTimeout
  try {
    body(() => {
      const next = waiting.shift()
      assert.ok(next, 'a timer is armed')
      next.callback()
      return next.ms
    })
  } finally {
    globalThis.setTimeout = real
  }
}

test('a timer of months is armed again and again, and calls back once its time has come', () => {
  withTimers((fire) => {
    let now = 0
    let called = 0
    const at = 60 * 86_400_000
    setLongTimer(
      at,
      () => now,
      () => called++,
    )
    for (let rounds = 1; called === 0; rounds++) {
      assert.ok(rounds < 5)
      now += Math.min(2 ** 31 - 1, at - now)
      const ms = fire()
      assert.ok(ms < 2 ** 31, 'timers set to more fire at once')
      if (now < at) assert.is(called, 0)
    }
    assert.is(now, at)
  })
})

test('a timer whose clock was moved back waits on', () => {
  withTimers((fire) => {
    let now = 1_000
    let called = 0
    setLongTimer(
      2_000,
      () => now,
      () => called++,
    )
    now = 500
    fire()
    assert.is(called, 0)
    now = 2_000
    fire()
    assert.is(called, 1)
  })
})

test('an open circuit closes by the time of the run, not by that of the machine', () => {
  let now = 0
  const steering = new Steering(
    () => {},
    () => now,
  )
  steering.apply({ action: 'openCircuit', reason: 'it loops', tool: 'a' })
  assert.is(steering.openCircuit('a'), 'it loops')
  now = 29_999
  assert.is(steering.openCircuit('a'), 'it loops')
  now = 30_000
  assert.is(steering.openCircuit('a'), undefined)
})

test('what a tool returns is content: parts as they are, nothing as done, and everything else as JSON', () => {
  const parts = [{ type: 'text' as const, text: 'x' }]
  assert.is(toContent(parts), parts)
  assert.equal(toContent(undefined), [{ type: 'text', text: 'done' }])
  assert.equal(toContent(null), [{ type: 'text', text: 'done' }])
  assert.equal(toContent('x'), [{ type: 'text', text: 'x' }])
  assert.equal(toContent([]), [{ type: 'json', json: [] }])
  assert.equal(toContent(['x']), [{ type: 'json', json: ['x'] }])
  assert.equal(toContent([...parts, 'x']), [{ type: 'json', json: [...parts, 'x'] }])
  assert.equal(toContent({ at: new Date(0) }), [{ type: 'json', json: { at: '1970-01-01T00:00:00.000Z' } }])
})

test.run()
