/** Scorers, each on answers of its own. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ScorerInput } from '../../src/experiment/index.ts'
import { createScorer } from '../../src/experiment/scorers/index.ts'
import { toScore } from '../../src/experiment/scorers/judge.ts'
import { findNumbers } from '../../src/experiment/scorers/numeric.ts'
import { expand, matchesPattern } from '../../src/experiment/scorers/pattern.ts'
import { toSample } from '../../src/experiment/try-scorer.ts'
import { makeWorld } from './world.ts'

const test = suite('scorers')
const world = makeWorld()
const loaded = { config: {} } as Parameters<typeof createScorer>[1]['loaded']

const make = (input: ScorerInput) =>
  createScorer(input, { file: 'experiment.ts', folder: world.work, loaded, env: world.env })

/** The score of an answer. */
async function score(scorer: ScorerInput, answer: string, expected: unknown, more: object = {}) {
  const input = { id: 't', task: 'question', expected, ...more }
  const found = make(scorer)
  assert.is(found.check(input), undefined)
  return found.score({
    id: 't',
    task: 'question',
    expected,
    result: { ...toSample(answer), summary: answer },
    events: [],
    input,
    workspace: undefined,
    signal: new AbortController().signal,
  })
}

async function expectScores(
  scorer: ScorerInput,
  cases: readonly (readonly [answer: string, expected: unknown, score: number])[],
) {
  for (const [answer, expected, wanted] of cases)
    assert.is(
      (await score(scorer, answer, expected)).score,
      wanted,
      `${JSON.stringify(scorer)}: ${answer} / ${expected}`,
    )
}

test('exact takes spaces, case and a last full stop for nothing', async () => {
  await expectScores('exact', [
    ['Paris', 'paris', 1],
    ['  Paris. ', 'Paris', 1],
    ['The  city\nof light', 'the city of light', 1],
    ['Paris, France', 'Paris', 0],
    ['yes', ['yes', 'y'], 1],
    ['42', 42, 1],
    ['', 'Paris', 0],
  ])
  await expectScores({ exact: { ignoreCase: false } }, [['paris', 'Paris', 0]])
})

test('contains asks for all texts, any, or none', async () => {
  await expectScores('contains', [
    ['It has 42 Widgets', ['42', 'widgets'], 1],
    ['It has 42', ['42', 'widgets'], 0.5],
    ['nothing', 'widgets', 0],
  ])
  await expectScores({ contains: { mode: 'any' } }, [
    ['a', ['a', 'b'], 1],
    ['c', ['a', 'b'], 0],
  ])
  await expectScores({ contains: { mode: 'none' } }, [
    ['a', ['a', 'b'], 0],
    ['c', ['a', 'b'], 1],
  ])
})

test('numbers are read with separators, signs, units, fractions and exponents', () => {
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ['It costs $1,234.50 in all.', [1234.5]],
    ['1.234,5 km', [1234.5]],
    ['1 234 567 people', [1234567]],
    ['1\u202f234', [1234]],
    ["1'234'567", [1234567]],
    ['between 3-5', [3, 5]],
    ['x = -7', [-7]],
    ['minus −2.5 degrees', [-2.5]],
    ['-$30', [-30]],
    ['3/4 of it', [0.75]],
    ['on 3/4/2024', [3, 4, 2024]],
    ['1.5e3 and 2E-2', [1500, 0.02]],
    ['2 million, or 3k', [2e6, 3e3]],
    ['GPT4 says 5.', [5]],
    ['version 1.2.3', []],
    ['1, 2 and 3', [1, 2, 3]],
    ['2024 100', [2024, 100]],
    ['.5', [0.5]],
    ['3,5', [3.5]],
    ['5 kg', [5]],
    ['no digits', []],
  ]
  for (const [text, wanted] of cases)
    assert.equal(
      findNumbers(text).map(({ value }) => Number(value.toPrecision(12))),
      wanted,
      text,
    )
})

test('numeric takes the last number, or the one after a marker, within a tolerance', async () => {
  await expectScores('numeric', [
    ['First 3, then 4: the answer is 12.', 12, 1],
    ['The answer is 1,200 km', '1200', 1],
    ['13', 12, 0],
    ['nothing', 12, 0],
    ['45 %', 0.45, 1],
    ['0.45', '45 %', 1],
    ['0.1', 0.1, 1],
    ['The hill is 46 m high (hills/north.txt:1).', 46, 1],
    ['"The hill is 46 m high." (hills.txt:12-14)', 46, 1],
    ['It begins (at 9:30).', 30, 1],
  ])
  await expectScores({ numeric: { absolute: 0.5 } }, [
    ['12.4', 12, 1],
    ['12.6', 12, 0],
  ])
  await expectScores({ numeric: { relative: 0.01 } }, [
    ['101', 100, 1],
    ['102', 100, 0],
  ])
  await expectScores({ numeric: { marker: 'answer:' } }, [
    ['Answer: 12 (of 30)', 12, 1],
    ['12', 12, 0],
  ])
})

test('a pattern matches the whole answer', async () => {
  await expectScores('pattern', [
    ['The crane is 40 years old', '*40 {years,yrs}*', 1],
    ['40 months', '*40 {years,yrs}*', 0],
    ['cat', 'c?t', 1],
    ['cart', 'c?t', 0],
    ['a*b', 'a\\*b', 1],
    ['axb', 'a\\*b', 0],
    ['{open', '{open', 1],
    ['abcbc', 'a*bc', 1],
    ['ab', 'a*b*b', 0],
    ['xaybz', '*a?b*', 1],
    ['one', ['two', 'o*'], 1],
  ])
  assert.equal(expand('{a,b{c,d}}').length, 3)
  assert.match(make('pattern').check({ id: 't', task: 't', expected: '{a,b}'.repeat(9) }) ?? '', /more than 256/)
})

test('a pattern matches as one does that tries every way', () => {
  const naive = (pattern: string, text: string): boolean => {
    if (pattern === '') return text === ''
    const [first = '', rest] = [pattern[0], pattern.slice(1)]
    if (first === '*') return naive(rest, text) || (text !== '' && naive(pattern, text.slice(1)))
    return text !== '' && (first === '?' || first === text[0]) && naive(rest, text.slice(1))
  }
  const word = (letters: string) => fc.array(fc.constantFrom(...letters), { maxLength: 8 }).map((all) => all.join(''))
  fc.assert(
    fc.property(word('ab*?'), word('ab'), (pattern, text) =>
      assert.is(matchesPattern(pattern, text), naive(pattern, text), `${pattern} ${text}`),
    ),
    { numRuns: 500, seed: 7 },
  )
})

test('a number that is written out is read again', () => {
  const places = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (thousandths) => {
      const value = thousandths / 1_000
      assert.is(findNumbers(`so it is ${places.format(value)} m`).at(-1)?.value, value)
      assert.is(findNumbers(`(${value})`).at(-1)?.value, value)
    }),
    { numRuns: 500, seed: 7 },
  )
})

test('jsonSchema looks at the output, or at the JSON in the answer', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  await expectScores('jsonSchema', [
    ['{"n":1}', schema, 1],
    ['Here it is:\n```json\n{"n":1}\n```', schema, 1],
    ['{"n":"1"}', schema, 0],
    ['no JSON', schema, 0],
  ])
  await expectScores({ jsonSchema: { schema } }, [['{"n":2}', undefined, 1]])
  assert.match(make('jsonSchema').check({ id: 't', task: 't' }) ?? '', /needs `expected`/)
})

test('a command sees the answer in a folder of its own, and its exit code counts', async () => {
  world.put(
    'check.mjs',
    "import { readFileSync } from 'node:fs'\nconst want = JSON.parse(readFileSync('expected.json', 'utf8'))\nconst got = readFileSync('answer.txt', 'utf8')\nconsole.log('got ' + got)\nprocess.exit(got === want ? 0 : 3)\n",
  )
  const test = { command: { run: ['node', './check.mjs'], timeoutMs: 120_000 } }
  assert.equal((await score(test, 'yes', 'yes')).score, 1)
  const wrong = await score(test, 'no', 'yes')
  assert.is(wrong.score, 0)
  assert.match(wrong.evidence ?? '', /exit code 3: got no/)
  const endless = await score({ command: { timeoutMs: 300 } }, 'x', 'y', {
    test: ['node', '-e', 'setInterval(() => {}, 1000)'],
  })
  assert.is(endless.score, 0)
  assert.match(endless.evidence ?? '', /did not end within/)
})

test('a judgement counts only with words that stand in the answer', () => {
  const answer = 'The crane is 40 years old, as notes.md says.'
  const good = toScore({ score: 0.8, quotation: '40 years old', reason: 'right' }, answer)
  assert.is(good.score, 0.8)
  assert.match(good.evidence, /"40 years old" at character 13 of 44, 12 long/)
  assert.is(toScore({ score: 1, quotation: 'forty years', reason: '' }, answer).score, 0)
  assert.is(toScore({ score: 1, quotation: ' ', reason: '' }, answer).score, 0)
  assert.is(toScore({ score: 1.5, quotation: '40', reason: '' }, answer).score, 0)
  assert.is(toScore('nonsense', answer).score, 0)
})

test('a function of one’s own answers a number, or a score with evidence', async () => {
  assert.equal(await score(() => 0.5, 'x', 'y'), { score: 0.5 })
  const found = await score(
    ({ expected, result }) => ({ score: result.summary === expected ? 1 : 0, evidence: 'why' }),
    'x',
    'x',
  )
  assert.equal(found, { score: 1, evidence: 'why' })
  for (const wrong of [
    () => 2,
    () => Number.NaN,
    () => '1' as unknown as number,
    () => undefined as unknown as number,
  ]) {
    let message = ''
    await score(wrong, 'x', 'y').catch((thrown: Error) => (message = thrown.message))
    assert.match(message, /must answer a number from 0 to 1/)
  }
})

test.run()
