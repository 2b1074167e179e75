import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readLiteral } from '../src/config/read/read-literal.ts'

const test = suite('reading plain values out of code')

test('plain values are read with comments, trailing commas, bare keys and both quotes', () => {
  const text = `// a comment
import { defineConfig } from '@svc/core'
/* another * one **/
export default defineConfig({
  model: 'a/b', "tokenBudget": 48_000, // here too
  budget: { maxCostUsd: 0.5, maxSteps: -1, },
  fallback: ['it\\'s', "tab\\there",], persistSessions: false, $x: null,
},);
`
  assert.equal(readLiteral(text), {
    model: 'a/b',
    tokenBudget: 48000,
    budget: { maxCostUsd: 0.5, maxSteps: -1 },
    fallback: ["it's", 'tab\there'],
    persistSessions: false,
    $x: null,
  })
  assert.equal(readLiteral('export default {}'), {})
})

test('whatever JSON holds is read as JSON.parse reads it', () => {
  const key = fc.string().filter((name) => name !== '__proto__')
  const json = fc.dictionary(
    key,
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string()), fc.constant(null)),
  )
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value)
      const stated = readLiteral(`export default ${text}`)
      if (stated === undefined)
        assert.match(text, /\\[^nrt"\\]/) // an escape that is left to those who run code
      else assert.equal(JSON.stringify(stated), text)
    }),
  )
})

const CODE = [
  'export default { model: process.env.MODEL }',
  'export default { model: `a/b` }',
  'export default { ...base }',
  'export default { model }',
  'export default { get model() { return 1 } }',
  'export default { [key]: 1 }',
  "export default { model: 'a' + 'b' }",
  'export default { tokenBudget: 1e6 }',
  'export default { tokenBudget: 0x10 }',
  'export default { tokenBudget: 1, }, evil()',
  'export default defineConfig({})',
  'export default {}\nevil()',
  'evil()\nexport default {}',
  "import './evil.js'\nexport default {}",
  "import { defineConfig } from './evil.js'\nexport default defineConfig({})",
  "import { defineConfig as define } from '@svc/core'\nexport default define({})",
  'export default { __proto__: { model: 1 } }',
  "export default { '__proto__': {} }",
  'export default () => ({})',
  'export default [1]',
  'export default { a: ,}',
  'export default { a: 1 b: 2 }',
  "export default { a: '\n' }",
  "export default { a: '\\u0041' }",
  'export default { /* open',
  'module.exports = {}',
  '',
  `export default { a: ${'['.repeat(200)}${']'.repeat(200)} }`,
]

for (const text of CODE) {
  test(`${JSON.stringify(text.slice(0, 60))} is left to those who may run it`, () => {
    assert.is(readLiteral(text), undefined)
  })
}

// What takes the square of its length would not end.
test('texts of megabytes are left, too', () => {
  for (const text of [
    `export default { a: ${'/*'.repeat(2_000_000)}`,
    `export default {${' '.repeat(4_000_000)}x`,
    `export default ${'{a:'.repeat(1_000_000)}`,
  ]) {
    assert.is(readLiteral(text), undefined)
  }
})

test.run()
