import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findErrors, fits } from '../src/index.ts'
import { AgentInput, ProviderConfig, RunId, ThreadCreate } from '../src/schema.ts'

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

validation('the error of an id says what it is made of, and how long it may be', () => {
  const saysOf = (schema: object, value: unknown): (string | undefined)[] =>
    findErrors(schema, value).map(({ path, message }) => `${path} ${message}`)
  assert.equal(saysOf(ThreadCreate, { id: 'my talk!' }), [
    '/id must be 1 to 128 letters (A-Z, a-z), digits, `.`, `_`, `:` and `-`, the first a letter or a digit',
  ])
  assert.equal(saysOf(AgentInput, { id: 'My Agent', name: 'x', instructions: 'y' }), [
    '/id must be 1 to 64 lower case letters (a-z), digits and `-`, the first a letter',
  ])
  assert.equal(saysOf(RunId, 'run_1'), [' must be `run_` and the 26 characters of a ULID'])
  assert.equal(saysOf(ProviderConfig, { type: 'openai', baseUrl: 'localhost:11434' }), [
    '/baseUrl must be a URL that begins with http:// or https://',
  ])
  // Patterns of schemas that come from outside are said as they are, whatever they are called.
  for (const pattern of ['^[a-z]{3}$', 'constructor'])
    assert.equal(saysOf({ type: 'string', pattern }, 'A1'), [` must match pattern "${pattern}"`])
})

validation.run()
