import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findErrors, fits } from '../src/index.ts'

const validation = suite('validation')

const makeSchema = () => ({
  type: 'object',
  required: ['name', 'size'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', pattern: '^[a-z]+$' },
    size: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
    parts: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
  },
})

const VALUES: unknown[] = [
  { name: 'a', size: 1 },
  { name: 'a', size: null, parts: [{ id: 'x' }] },
  { name: 'A', size: 1 },
  { name: 'a', size: -1 },
  { name: 'a', size: 1, parts: [{}] },
  { name: 'a', size: 1, more: true },
  { size: 1 },
  [],
  'text',
  null,
]

validation('finds the same in a value however often its schema was used before', () => {
  for (const value of VALUES) {
    const schema = makeSchema()
    const first = findErrors(schema, value)
    for (let use = 0; use < 6; use++) {
      assert.equal(findErrors(schema, value), first)
      assert.is(fits(schema as never, value), first.length === 0)
    }
  }
  assert.equal(
    VALUES.map((value) => findErrors(makeSchema(), value).length === 0),
    [true, true, ...VALUES.slice(2).map(() => false)],
  )
})

validation.run()
