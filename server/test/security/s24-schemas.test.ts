/** S24: a schema that a request brings along takes no more of a server's time than it has to give. */
import * as assert from 'uvu/assert'
import type { ScopedKey } from '../../src/index.ts'
import { openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S24 schemas')

const CI: ScopedKey = { name: 'ci', key: 'ci-key', scopes: ['submit'] }

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

for (const [what, { schema: outputSchema, answer }] of Object.entries(ENDLESS))
  test(`a run that asks for ${what} without end ends, and says why`, async () => {
    const world = await openServer({
      server: { keys: () => ['owner-key-of-this-server', CI] },
      script: () => JSON.stringify(answer),
    })
    const authorization = `Bearer ${CI.key}`
    const { status, json } = await world.ask('POST', '/execute', {
      body: { task: 'x', options: { outputSchema } },
      headers: { authorization },
    })
    assert.is(status, 200)
    assert.is(json.status, 'incomplete')
    assert.match(JSON.stringify(json), /cannot be held against the schema/)
  })

test('a schema with a pattern and references is held against an answer as ever', async () => {
  const item = { type: 'string', pattern: '^(a+b)+$' }
  const outputSchema = { $defs: { item }, ...named({ type: 'array', items: { $ref: '#/$defs/item' } }) }
  const world = await openServer({ script: () => JSON.stringify({ x: ['ab'.repeat(2_000), 'aab'] }) })
  const { json } = await world.ask('POST', '/execute', { body: { task: 'x', options: { outputSchema } } })
  assert.is(json.status, 'completed')
  assert.is((json.output as { x: string[] }).x.length, 2)
})

test.run()
