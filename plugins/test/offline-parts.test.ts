/** A task of several questions gets an answer to each from the offline provider, or hears which one has none. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask } from './fixtures/ask-offline.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('several questions to the offline provider')

const KETTLE = folderOf({
  'package.json':
    '{\n  "name": "kettle",\n  "version": "1.2.3",\n  "license": "MIT",\n  "engines": { "node": ">=20" }\n}\n',
  'README.md': '# Kettle\n\nThe kettle boils water for tea.\n',
  'src/a.ts': 'export const a = 1\n',
  'src/b.ts': 'export const b = 2\n',
})

const LICENCE = 'The licence is `MIT` (package.json:4)'
const VERSION = 'The version is `1.2.3` (package.json:3)'

const ANSWERED: readonly (readonly [string, readonly string[]])[] = [
  ['17.5 % of 2,340, and 3^7?', ['17.5% of 2340 = 409.5', '3^7 = 2187']],
  ['What is the licence, and how many files are in src?', [LICENCE, 'There are 2 files']],
  ['Prepare the handover: How many files are in src?', ['There are 2 files in `src/`']],
  ['1. What is the licence? 2. What is 3^7? 3. What is the version?', [LICENCE, '3^7 = 2187', VERSION]],
  ['Answer these:\n1) what is the licence\n2) what is the version\n3) 6 * 7', [LICENCE, VERSION, '6 * 7 = 42']],
  [Array.from({ length: 10 }, (_, n) => `What is ${n + 11} * 3?`).join(' '), ['11 * 3 = 33', '20 * 3 = 60']],
]

const NUMBERS: readonly (readonly [string, string])[] = [
  ['2,5 * 4', '2.5 * 4 = 10'],
  ['What is 1.5e3 + 1?', '1.5e3 + 1 = 1501'],
  ['average of 3, 4 and 8, and 3^2', '(3 + 4 + 8) / 3 = 5\n\n3^2 = 9'],
  ['max(3,4)', 'max(3,4) = 4'],
  ['What percentage of 200 is 30?', '30 / 200 * 100 = 15'],
  ['What is 3 million divided by 8?', '3000000 / 8 = 375000'],
  ['What is 5400 seconds in hours?', '5400 / 3600 = 1.5'],
  ['12 cups with 4 spoons each: how many spoons are needed?', '12 * 4 = 48'],
  ['A kettle boils 3 litres per minute. How many litres does it boil in 2 hours?', '3 * 2 * 60 = 360'],
  ['There are 9 cups and 4 cups are broken, how many are left?', '9 - 4 = 5'],
]

for (const [task, answer] of NUMBERS) {
  test(`calculates with whole numbers as they are written: ${task}`, async () => {
    const { text } = await ask(KETTLE, task)
    assert.is(text, answer)
  })
}

for (const task of [
  "1'000 + 1",
  '2,5 * 1,234',
  'the sum of 1,2 and 3',
  '15 increased by 10% squared',
  'What is 10!?',
  'A price of 80 is reduced by 15 %.',
  'What is 5 % of my salary of 2000 + 3?',
]) {
  test(`gives no number, and looks into no file, where a calculation is not understood as a whole: ${task}`, async () => {
    const { text, calls } = await ask(KETTLE, task)
    assert.match(text, /^I could not answer this: I do not know how to calculate this/)
    assert.equal(calls, [])
  })
}

for (const [task, answers] of ANSWERED) {
  test(`answers every part: ${task.slice(0, 70)}`, async () => {
    const { text } = await ask(KETTLE, task)
    const lines = text.split('\n')
    for (const answer of answers)
      assert.ok(
        lines.some((line) => line.startsWith(answer)),
        `${answer}\n---\n${text}`,
      )
    assert.not.match(text, /could not|not answered/i)
  })
}

const OPEN: readonly (readonly [string, string, string])[] = [
  ['What is 3^7, and who is the president of France?', '3^7 = 2187', 'who is the president of France?'],
  ['What is the licence? Translate "good day" to French.', LICENCE, 'Translate "good day" to French.'],
  ['1/3 + 1/6; 0.1+0.2; 2^100; 10!; 5 choose 2; -3^2', '-3^2 = -9', '10!'],
  ['the sum of 1 to 100, and 12 squared?', '12 ^ 2 = 144', 'the sum of 1 to 100'],
  ['1. 2+2\n2. name of the package\n3. colour of the sky', 'The name is `kettle`', 'colour of the sky'],
  ['Use calculate on 2+2 and tell me what the moon weighs', '2+2 = 4', 'tell me what the moon weighs'],
  ['What is 10 / 4? Round to 0 decimals.', '10 / 4 = 2.5', 'Round to 0 decimals.'],
]

for (const [task, answer, open] of OPEN) {
  test(`names the part that has no answer, and does not claim to be complete: ${task}`, async () => {
    const { text } = await ask(KETTLE, task)
    assert.match(text, /^I could not answer this in full\.\n/)
    assert.ok(text.includes(`\n${answer}`), text)
    assert.ok(text.includes(`\nNot answered: ${open}`), text)
  })
}

test('answers each question of a list with its own fact', async () => {
  const { text } = await ask(KETTLE, 'which licence, which version, which Node version is needed?')
  for (const said of [LICENCE, VERSION, '`node` `>=20` (package.json:5)']) assert.ok(text.includes(said), text)
})

test('names each question beyond those that it answers at once', async () => {
  const { text } = await ask(KETTLE, Array.from({ length: 14 }, (_, n) => `What is ${n + 11} * 3?`).join(' '))
  assert.match(text, /^I could not answer this in full\./)
  for (const open of ['What is 23 * 3?', 'What is 24 * 3?']) assert.ok(text.includes(`\nNot answered: ${open}`), text)
})

test('says once that it answers nothing where no part has an answer', async () => {
  const { text } = await ask(KETTLE, 'Who is the president of France? Who painted the Mona Lisa?')
  assert.match(text, /^I could not answer this(?:: |\. )/)
  assert.not.match(text, /in full/)
})

test('cuts no quotation, and no sentence that only tells of something', async () => {
  const quoted = await ask(KETTLE, 'Where is `a; what is b?` written?')
  assert.not.match(quoted.text, /Not answered/)
  const told = await ask(KETTLE, 'A kettle costs 40 dollars. I have two. What is 15% off 80?')
  assert.is(told.text, '80 * (1 - 15 / 100) = 68')
})

test('names its own part where it has no answer, so that a team can too', async () => {
  const part = await ask(
    KETTLE,
    'What does the moon weigh?\nThis is part of: What does the moon weigh and what is 3^7?',
  )
  assert.match(part.text, /^I could not answer this: What does the moon weigh\? I found nothing/)
  const results = [part.text, '3^7 = 2187', '2 + 2 = 4']
    .map((text, index) => `<result of="step-${index + 1}" by="agent-1">\n${text}\n</result>`)
    .join('\n\n')
  const task = 'Combine the results of the parts into one answer to: all of this'
  const { text } = await ask(KETTLE, task, { material: results, tools: [] })
  assert.match(text, /\nNot answered: What does the moon weigh\? I found nothing/)
})

test('keeps a result that cites nothing beside those that do', async () => {
  const results = [
    `<result of="step-1" by="agent-1">\n${LICENCE}\n</result>`,
    '<result of="step-2" by="agent-2">\nTea needs four minutes.\n</result>',
  ].join('\n\n')
  const task = 'Combine the results of the parts into one answer to: licence and tea'
  const { text } = await ask(KETTLE, task, { material: results, tools: [] })
  assert.is(text, `${LICENCE}\n\nTea needs four minutes.`)
})

test('a later phase answers its own part, and hands on that an earlier one had no answer', async () => {
  const { text } = await ask(
    KETTLE,
    'What is its version?\nThis is part of: Who is the president of France; what is its version?',
    { material: '<result of="step-1" by="agent-1">\nI could not answer this: I found no president.\n</result>' },
  )
  assert.is(text, `I could not answer this in full.\n\n${VERSION}\n\nNot answered: I found no president.`)
})

test('counts files in a few lines, and lists no folders that nobody asked for', async () => {
  const one = await ask(
    folderOf({ 'svc.config.ts': 'export default {}\n', 'README.md': '# A\n' }),
    'How many TypeScript files are there?',
  )
  assert.match(one.text, /^There is 1 `\.ts` file in/)
  assert.not.match(one.text, /and more/)
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`src/m${n}/a.ts`, 'export {}\n']))
  const many = await ask(folderOf(files), 'How many TypeScript files are there?')
  assert.match(many.text, /^There are 30 `\.ts` files in/)
  assert.ok(many.text.split('\n').length <= 7, many.text)
})

test.run()
