/** Stop sequences, wherever a text is cut into pieces. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StopSequences } from '../../src/adapters/shared/stop-sequences.ts'

const test = suite('stop sequences')

function read(pieces: readonly string[], sequences: readonly string[]): [text: string, found: string | undefined] {
  let text = ''
  const stops = new StopSequences(sequences, (piece) => {
    text += piece
  })
  for (const piece of pieces) stops.add(piece)
  stops.end()
  return [text, stops.found]
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 4 })

test('whatever the pieces are, the text ends before the sequence that is complete first', () => {
  fc.assert(
    fc.property(fc.array(word), fc.array(word, { maxLength: 3 }), (pieces, sequences) => {
      const whole = pieces.join('')
      const [text, found] = read(pieces, sequences)
      const ends = [...whole].map((_, index) => whole.slice(0, index + 1))
      const end = ends.find((part) => sequences.some((sequence) => sequence !== '' && part.endsWith(sequence)))
      assert.is(found !== undefined, end !== undefined)
      assert.is(text + (found ?? ''), end ?? whole)
    }),
  )
})

test('what may be the beginning of a sequence waits for what comes next', () => {
  assert.equal(read(['Thought', ' Obser'], [' Observation']), ['Thought Obser', undefined])
  assert.equal(read(['Thought', ' Obser', 'vation: x'], [' Observation']), ['Thought', ' Observation'])
})

test.run()
