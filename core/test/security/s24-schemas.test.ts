/** S24: a schema that a request brings along takes no more of a process's time than it has to give. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findErrors } from '../../src/index.ts'

const test = suite('S24 schemas')

/** Doubles its time with each character of such a text. */
const pattern = '^(a+)+$'
const TEXT = `${'a'.repeat(80)}!`
const named = (answer: object): object => ({ type: 'object', properties: { x: answer } })

/** Each definition asks for the one before twice. */
const DOUBLED = Object.fromEntries(
  Array.from({ length: 60 }, (_, n) => {
    const before = { $ref: `#/$defs/d${n - 1}` }
    return [`d${n}`, n === 0 ? {} : { allOf: [before, before] }]
  }),
)

const ENDLESS: Record<string, { schema: object; answer: object }> = {
  'a pattern': { schema: named({ type: 'string', pattern }), answer: { x: TEXT } },
  'a pattern of names': { schema: { type: 'object', patternProperties: { [pattern]: {} } }, answer: { [TEXT]: 1 } },
  'names that fit a pattern': { schema: { type: 'object', propertyNames: { pattern } }, answer: { [TEXT]: 1 } },
  'a pattern in a list': { schema: named({ contains: { pattern } }), answer: { x: [TEXT] } },
  'references that double': { schema: { $defs: DOUBLED, ...named({ $ref: '#/$defs/d59' }) }, answer: { x: 1 } },
  'a reference to itself': {
    schema: { $defs: { d: { $ref: '#/$defs/d' } }, ...named({ $ref: '#/$defs/d' }) },
    answer: { x: 1 },
  },
}

for (const [what, { schema, answer }] of Object.entries(ENDLESS))
  test(`an answer that is held against ${what} without end does not fit, and the finding says why`, () => {
    const [found] = findErrors(schema, answer)
    assert.match(found?.message ?? '', /cannot be held against the schema/)
  })

test.run()
