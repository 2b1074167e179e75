import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { abortable, canonicalJson } from '../src/support/index.ts'

const test = suite('support')

test('equal values are one text, and the text is what recordings of earlier versions were found by', () => {
  const value = { b: [1, { z: null, a: 'ä"\n' }], a: { 10: true, 9: undefined, y: -0 }, C: 1e21 }
  assert.is(canonicalJson(value), '{"C":1e+21,"a":{"10":true,"y":0},"b":[1,{"a":"ä\\"\\n","z":null}]}')
  assert.is(canonicalJson({ a: { y: -0, 10: true }, C: 1e21, b: value.b }), canonicalJson(value))
})

test('work that nobody waits for any more does not hold up an abort, and its late failure is no crash', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const never = abortable(new Promise(() => {}), controller.signal)
  controller.abort(reason)
  const late = abortable(Promise.reject(new Error('late')), controller.signal)
  for (const work of [never, late]) assert.is(await work.catch((thrown: unknown) => thrown), reason)
  assert.is(await abortable(Promise.resolve(7), new AbortController().signal), 7)
})

test.run()
