import type { RunEvent } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { diffEvents, diffLogs } from '../../console/src/compare/diff-logs.ts'
import { cutStretches, diffTexts } from '../../console/src/compare/diff-texts.ts'

const test = suite('parts of a comparison')

const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '.', 'é', '𝄞'), maxLength: 60 })

test('either side of two texts is its whole text, and what is unmarked is the same on both', () => {
  fc.assert(
    fc.property(texts, texts, (left, right) => {
      const diff = diffTexts(left, right)
      const join = (side: typeof diff.left) => side.map(({ text }) => text).join('')
      assert.is(join(diff.left), left)
      assert.is(join(diff.right), right)
      const unmarked = (side: typeof diff.left) => join(side.filter(({ isChanged }) => !isChanged))
      assert.is(unmarked(diff.left), unmarked(diff.right))
      assert.is(diff.isSame, left === right)
    }),
  )
})

test('a line of a million characters is compared, and cut to its beginning with its marks', () => {
  const line = 'A'.repeat(1_000_000)
  const { left, right } = diffTexts(`the same ${line}`, 'the same')
  assert.is(left.map(({ text }) => text).join(''), `the same ${line}`)
  const cut = cutStretches(left, 100)
  assert.is(cut.map(({ text }) => text).join(''), `the same ${line}`.slice(0, 100))
  assert.equal(
    cut.map(({ isChanged }) => isChanged),
    [false, true],
  )
  assert.equal(cutStretches(right, 100), right)
})

const event = (seq: number, type: string, agentId: string, data: unknown = {}): RunEvent =>
  ({ v: 1, seq, type, agentId, runId: 'run_1', time: '2026-01-01T00:00:00.000Z', data }) as unknown as RunEvent

test('logs are laid side by side up to the events in which they part, however agents take turns', () => {
  const left = [
    event(1, 'run.started', ''),
    event(2, 'step.started', 'a'),
    event(3, 'step.started', 'b'),
    event(4, 'x', 'b'),
  ]
  const right = [event(1, 'run.started', ''), event(2, 'step.started', 'b'), event(3, 'x', 'b'), event(4, 'x', 'a')]
  const pairs = diffLogs(left, right, [4, 3])
  assert.equal(
    pairs.map((pair) => [pair.left?.seq, pair.right?.seq]),
    [
      [1, 1],
      [2, undefined],
      [3, 2],
      [4, 3],
    ],
  )
})

test('two events differ in the fields that say something else, not in times and ids', () => {
  const one = event(5, 'model.completed', 'a', { text: 'yes', latencyMs: 5, usage: { inputTokens: 3 }, list: [1, 2] })
  const other = event(7, 'model.completed', 'a', { text: 'no', latencyMs: 9, usage: { inputTokens: 3 }, list: [1] })
  assert.equal(diffEvents(one, other), [
    { path: '/data/text', before: 'yes', after: 'no' },
    { path: '/data/list/1', before: 2, after: undefined },
  ])
  assert.equal(diffEvents(one, one), [])
})

test.run()
