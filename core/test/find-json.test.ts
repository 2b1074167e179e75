import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findJson } from '../src/text/index.ts'

const test = suite('findJson')

test('it reads bare JSON, code blocks and JSON in running text', () => {
  const value = { a: ['}', 1], b: '"{' }
  const json = JSON.stringify(value)
  for (const text of [
    json,
    ` ${json}\n`,
    `\`\`\`json\n${json}\n\`\`\``,
    `Here it is:\n\`\`\`\n${json}\n\`\`\`\nAnything else?`,
    `Sure! ${json} I hope that {this} helps.`,
    `I looked at [the list] first: ${json}`,
    `I looked at [1] and {} first: ${json} [2]`,
  ])
    assert.equal(findJson(text), { value }, text)
})

test('a code block may hold JSON with code blocks in its texts', () => {
  const value = { code: '```js\nlet a\n```', more: '```' }
  for (const strict of [true, false])
    assert.equal(findJson(`\`\`\`json\n${JSON.stringify(value)}\n\`\`\``, { strict }), { value })
})

test('strict: text around it is an error, a code block is not', () => {
  assert.ok('error' in findJson('The answer is {"a": 1}', { strict: true }))
  assert.equal(findJson('```json\n{"a": 1}\n```', { strict: true }), { value: { a: 1 } })
})

test('what holds no JSON gives the error of the whole text', () => {
  for (const text of ['', 'no', '{', '[1, 2', '{"a": }', '{'.repeat(100_000)]) assert.ok('error' in findJson(text))
})

test('any value comes back from between any words', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = `Well, ${JSON.stringify(value)} is it.`
      assert.equal(findJson(text), { value: JSON.parse(JSON.stringify(value)) })
    }),
    { seed: 7, numRuns: 200 },
  )
})

test.run()
