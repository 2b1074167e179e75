/** The quick check against TypeBox's own: it may say yes only where TypeBox does, and should say it of what fits. */
import { inspect } from 'node:util'
import { Check } from 'typebox/schema'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANSWERS } from '../src/contracts/stages.ts'
import { quickCheck } from '../src/quick-check.ts'
import * as contracts from '../src/schema.ts'
import { between, pick, seeded } from './fixtures/random.ts'

type Schema = Record<string, unknown>
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && '~kind' in value

/** Every schema of the contracts, by name. */
const SCHEMAS = Object.entries(contracts).filter((entry): entry is [string, never] => isSchema(entry[1]))
const ODD = [
  null,
  undefined,
  '',
  'text',
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  [],
  {},
  [1],
  10n,
  '😀😀',
]
const SEEDS = 300

/** A value that fits, nearly always. */
function sample(schema: Schema, random: () => number): unknown {
  const { type, properties = {}, required = [], anyOf, items, patternProperties } = schema
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return pick(random, schema.enum)
  if (Array.isArray(anyOf)) return sample(pick(random, anyOf as Schema[]), random)
  const { minimum = 0, maximum = 20, minLength = 0 } = schema as Record<string, number>
  switch (type) {
    case 'object': {
      const value: Record<string, unknown> = {}
      for (const [name, field] of Object.entries(properties as Record<string, Schema>)) {
        if ((required as string[]).includes(name) || random() < 0.5) value[name] = sample(field, random)
      }
      const [any] = Object.values((patternProperties ?? {}) as Record<string, Schema>)
      if (any !== undefined) for (const name of random() < 0.9 ? ['a', 'b'] : ['A\n']) value[name] = sample(any, random)
      return value
    }
    case 'array':
      return Array.from({ length: between(random, 1, 3) }, () => sample((items ?? {}) as Schema, random))
    case 'string':
      return 'abcdefgh'.slice(0, between(random, Math.max(1, minLength), 8))
    case 'integer':
    case 'number':
      return between(random, Math.max(1, Math.ceil(minimum)), Math.max(1, Math.min(maximum, 20)))
    case 'boolean':
      return random() < 0.5
  }
  return type === 'null' ? null : 'anything'
}

/** The same with something changed, somewhere. */
function spoil(value: unknown, random: () => number): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.2) return pick(random, ODD)
  if (Array.isArray(value)) return [...value.slice(1), spoil(value[0], random)]
  const fields = Object.entries(value)
  const [name] =
    fields.length === 0 || random() < 0.2 ? [pick(random, ['more', '__proto__', 'toString'])] : pick(random, fields)
  const spoilt = { ...value } as Record<string, unknown>
  if (random() < 0.3) delete spoilt[name]
  else Object.defineProperty(spoilt, name, { value: spoil(spoilt[name], random), enumerable: true, writable: true })
  return spoilt
}

const test = suite('the quick check')

for (const [name, schema] of SCHEMAS) {
  test(`says yes to what fits ${name}, and to nothing else`, () => {
    const check = quickCheck(schema)
    assert.ok(check)
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = seeded(seed)
      const value = seed % 3 === 0 ? sample(schema, random) : spoil(sample(schema, random), random)
      const fits = Check(schema, value)
      if (check(value)) assert.ok(fits, `${seed}: ${inspect(value)}`)
      else if (seed % 3 === 0) assert.not(fits, `${seed} is in doubt: ${inspect(value)}`)
    }
  })
}

test('knows every keyword of what the stages answer and a run is asked with', () => {
  for (const schema of [...Object.values(ANSWERS), contracts.RunCreate, contracts.ToolAnswer, contracts.SvcConfig]) {
    assert.type(quickCheck(schema), 'function')
  }
})

test('leaves what it does not know, or cannot be sure of, to TypeBox', () => {
  const endless: Schema = { type: 'array' }
  endless.items = endless
  const unknown: unknown[] = [
    endless,
    true,
    { type: ['string', 'null'] },
    { type: 'string', format: 'email' },
    { type: 'string', pattern: '(' },
    { type: 'object', properties: { constructor: {} } },
    { type: 'object', additionalProperties: { type: 'string' } },
    { type: 'object', patternProperties: { '^a': {} }, properties: {} },
    { type: 'array', items: [{}] },
    { const: { a: 1 } },
    { properties: {} },
    { type: 'string', minimum: 1 },
    { '~refine': [] },
    { anyOf: [{}, { not: {} }] },
  ]
  for (const schema of unknown) assert.is(quickCheck(schema), undefined, JSON.stringify(Object.keys(Object(schema))))
})

test.run()
