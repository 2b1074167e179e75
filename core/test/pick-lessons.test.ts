import { pickLessons, trustOf } from '@svc/core/components'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Lesson } from '../src/contracts/index.ts'

const test = suite('pick lessons')

const lesson = (trigger: string, more: Partial<Lesson> = {}): Lesson => ({
  trigger,
  advice: `Mind: ${trigger}`,
  evidence: ['run_1:1'],
  successes: 0,
  failures: 0,
  ...more,
})

test('an unused lesson is trusted half, and trust follows the outcomes', () => {
  assert.is(trustOf({ successes: 0, failures: 0 }), 0.5)
  assert.is(trustOf({ successes: 3, failures: 0 }), 0.8)
  fc.assert(
    fc.property(fc.nat(50), fc.nat(50), (successes, failures) => {
      const trust = trustOf({ successes, failures })
      assert.ok(trust > 0 && trust < 1)
      assert.ok(trustOf({ successes: successes + 1, failures }) > trust)
      assert.ok(trustOf({ successes, failures: failures + 1 }) < trust)
    }),
  )
})

test('at most three lessons that fit and are trusted are picked, the most fitting first', () => {
  const lessons = [
    lesson('numbers from tools'),
    lesson('quotes from books', { successes: 4 }),
    lesson('numbers in tables and reports', { failures: 2 }),
    lesson('numbers of files', { scope: 'code' }),
    lesson('numbers that tools return', { successes: 2 }),
    lesson('numbers anywhere'),
    lesson('tools with numbers', { successes: 1 }),
  ]
  const told = pickLessons(lessons, 'Which numbers did the tools return?').map(({ trigger }) => trigger)
  assert.is(told.length, 3)
  assert.is(told[0], 'numbers that tools return')
  assert.not.ok(told.includes('numbers of files'))
  assert.not.ok(told.includes('numbers in tables and reports'))
  assert.not.ok(told.includes('quotes from books'))
  assert.ok(pickLessons(lessons, 'Count the files', { scope: 'code' }).some(({ scope }) => scope === 'code'))
})

test.run()
