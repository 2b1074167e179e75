import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toValues } from '../src/components/reflection-engine/figures.ts'
import { readDecimalComma } from '../src/text/index.ts'

const test = suite('decimal commas')

test('a number with a decimal comma, with points between thousands or none', () => {
  for (const [text, value] of [
    ['1,5', 1.5],
    ['-1.234,50', -1234.5],
    ['1.000.000', 1_000_000],
    ['12', 12],
  ] as const)
    assert.is(readDecimalComma(text), value)
  for (const text of ['1.5', '1,234,567', '1,', 'a', '']) assert.is(readDecimalComma(text), undefined, text)
})

test('what a source states holds them in rows with semicolons only', () => {
  for (const text of ['kettle;1,5;3', '1,5;kettle', 'kettle;1,5', 'kettle;1,5 €\ncup;2'])
    assert.ok(toValues(text).has(1.5), text)
  for (const text of ['kettle,1,5', '1,5', '7\t1,5']) assert.not.ok(toValues(text).has(1.5), text)
})

test.run()
