/** The small parts of the providers, by their invariants. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ThinkTags } from '../src/providers/format/think-tags.ts'
import { parseArgs, ToolNames, toArgsText, toCallId } from '../src/providers/format/tool-calls.ts'

const test = suite('parts of the providers')

const cut = (text: string, cuts: number[]): string[] => {
  const places = [...new Set(cuts.map((each) => each % (text.length + 1)))].sort((left, right) => left - right)
  return [...places, text.length].map((end, index) => text.slice(places[index - 1] ?? 0, end))
}

test('think tags are found wherever the pieces are cut', () => {
  const word = fc.string({ unit: fc.constantFrom('a', '<', '/', 'think>', '>', ' ', 'x') })
  fc.assert(
    fc.property(word, word, fc.array(fc.nat()), (inside, after, cuts) => {
      fc.pre(!inside.includes('</think>') && !`${inside}</think>`.slice(0, -8).includes('</think>'))
      const whole = `<think>${inside}</think>${after}`
      const tags = new ThinkTags()
      const parts = [...cut(whole, cuts).flatMap((piece) => tags.take(piece)), ...tags.end()]
      const textOf = (type: string) =>
        parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('')
      assert.is(textOf('reasoning'), whole.slice(7, whole.indexOf('</think>')))
      assert.is(textOf('text').trimStart(), whole.slice(whole.indexOf('</think>') + 8).trimStart())
    }),
  )
})

test('tool names fit the wire, differ, and lead back to their ids', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 100 }), { maxLength: 20 }), (ids) => {
      const names = new ToolNames(ids)
      const onWire = ids.map((id) => names.toName(id))
      assert.ok(onWire.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name)))
      assert.is(new Set(onWire).size, ids.length)
      assert.equal(
        onWire.map((name) => names.toId(name)),
        ids,
      )
    }),
  )
})

test('arguments survive the way there and back, malformed ones as their text', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
      const text = JSON.stringify(args)
      assert.is(JSON.stringify(parseArgs(toArgsText(args))), text)
      const broken = text.slice(0, -1)
      assert.is(parseArgs(broken), broken)
      assert.is(toArgsText(parseArgs(broken)), broken)
    }),
  )
  assert.equal([parseArgs(''), parseArgs('"a"'), parseArgs(undefined), parseArgs('null')], [{}, '"a"', {}, {}])
})

test('call ids are never empty and never twice', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('', 'a', 'a-1', 'call-2-0', 'b')), (given) => {
      const taken = new Set<string>()
      given.forEach((id, position) => {
        taken.add(toCallId(id, taken, 2, position))
      })
      assert.is(taken.size, given.length)
      assert.not(taken.has(''))
    }),
  )
})

test.run()
