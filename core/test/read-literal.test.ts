import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readLiteral } from '../src/config/read/read-literal.ts'

/** Without prototypes that differ. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const test = suite('reading plain values out of code')

test('plain values are read with comments, trailing commas, bare keys and both quotes', async () => {
  const text = `// a comment
import { defineConfig } from '@svc/core'
/* another * one **/
export default defineConfig({
  model: 'a/b', "tokenBudget": 48_000, // here too
  budget: { maxCostUsd: 0.5, maxSteps: -1, },
  fallback: ['it\\'s', "tab\\there",], persistSessions: false, $x: null,
},);
`
  assert.equal(plain(await readLiteral(text)), {
    model: 'a/b',
    tokenBudget: 48000,
    budget: { maxCostUsd: 0.5, maxSteps: -1 },
    fallback: ["it's", 'tab\there'],
    persistSessions: false,
    $x: null,
  })
  assert.equal(plain(await readLiteral('export default {}')), {})
})

const VALUE = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      '1_000',
      '-2',
      '0.5',
      '.5',
      '1e3',
      '0x1F',
      'true',
      'null',
      "'a//b'",
      '"/* c */"',
      "'\\x41\\u00e9\\'\\\n'",
      "'\\0'",
    ),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', // here\n')}]`),
    fc.dictionary(fc.constantFrom('a', '$b', "'c d'", 'if', 'x1_000'), tie('value')).map(
      (map) =>
        `{ /* * ; */ ${Object.entries(map)
          .map(([key, item]) => `${key}: ${item},`)
          .join(' ')} }`,
    ),
  ),
})).value as fc.Arbitrary<string>

test('what is read is what running the file would export', async () => {
  await fc.assert(
    fc.asyncProperty(VALUE, async (value) => {
      const stated = await readLiteral(`export default { v: ${value} } // end`)
      const ran: unknown = new Function(`'use strict'; return { v: ${value} }`)()
      assert.equal(plain(stated), plain(ran))
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
  'export default { /* open',
  'module.exports = {}',
  'export default { a: /x//*y/, b: 1 */ }',
  'export default { a: `/*` } /* ` */',
  'export default { a: 1__0 }',
  'export default { a: 5n }',
  'export default {} /*/',
  'export default {} // \revil()',
  'export default {} // \u2028evil()',
  '',
  `export default { a: ${'['.repeat(200)}${']'.repeat(200)} }`,
]

test('what is more than plain values is left to those who may run it', async () => {
  for (const text of CODE) assert.is(await readLiteral(text), undefined, text)
})

// What takes the square of its length would not end.
test('texts of megabytes are left, too', async () => {
  for (const text of [
    `export default { a: ${'/*'.repeat(2_000_000)}`,
    `export default {${' '.repeat(4_000_000)}x`,
    `export default ${'{a:'.repeat(1_000_000)}`,
  ]) {
    assert.is(await readLiteral(text), undefined)
  }
})

test.run()
