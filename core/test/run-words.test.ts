import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findInAnswer, toRunWords } from '../src/text/run-words.ts'
import { toSearchText } from '../src/text/words.ts'

const test = suite('words of runs')

const task = 'Where is it?'
const found = (summary: string, q: string) => findInAnswer({ task, result: { summary } }, q)

test('the words of a run are those of its task and of its answer, of a long one the beginning', () => {
  assert.is(toRunWords({ task: 'Add UP' }), 'add up')
  assert.is(toRunWords({ task: 'Add up', result: { summary: 'It is 42.' } }), 'add up\nit is 42.')
  assert.is(toRunWords({ task: 'Add up', result: { summary: 'text', output: { sum: 42 } } }), 'add up\n{"sum":42}')
  assert.is(toRunWords({ task: 'Add up', result: { score: 3, topology: 'SINGLE' } }), 'add up')
  const long = `${'x'.repeat(19_999)}END`
  assert.not(toRunWords({ task, result: { summary: long } }).includes('end'))
})

test('a piece of an answer is on one line, at most 200 characters, with the place of what was found', () => {
  const said = found('It is in\n\n  the  KITCHEN,\tbeside the window.', 'kitchen, beside'.replace(' ', '\t'))
  assert.equal(said, { text: 'It is in the KITCHEN, beside the window.', from: 13, to: 28 })
  const far = found(`${'before '.repeat(60)}the needle${' after'.repeat(60)}`, 'NEEDLE')
  assert.is(far?.text.length, 200)
  assert.match(far?.text ?? '', /^….*the needle after.*…$/)
  assert.is(far?.text.slice(far.from, far.to), 'needle')
  assert.is(found('It is here.', 'where'), undefined, 'what the task says')
  assert.is(found('It is here.', 'there'), undefined)
  assert.is(found('It is here.', ''), undefined)
})

test('the place is that of the words, whatever letters stand before', () => {
  const letters = fc.constantFrom('İ', 'ß', 'Σ', '😀', '\ud83d', '\0', 'a', ' ', '\n', 'É')
  const words = fc.array(letters, { maxLength: 300 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(words, words, (before, after) => {
      const piece = found(`${before}|NeedLe|${after}`, '|needle|')
      assert.is(piece?.text.slice(piece.from, piece.to), '|NeedLe|')
      assert.ok((piece?.text.length ?? 0) <= 200)
      assert.not.match(piece?.text ?? '', /\p{Cs}/u)
    }),
  )
  assert.is(toSearchText('İ').length, 2)
})

test.run()
