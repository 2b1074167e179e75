/** A task of several questions gets an answer to each from the offline provider, or hears which one has none. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask } from './fixtures/ask-offline.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('several questions to the offline provider')

const KETTLE = folderOf({
  'package.json': '{\n  "name": "kettle",\n  "version": "1.2.3",\n  "license": "MIT"\n}\n',
  'README.md': '# Kettle\n\nThe kettle boils water for tea.\n',
  'src/a.ts': 'export const a = 1\n',
  'src/b.ts': 'export const b = 2\n',
})

const LICENCE = 'The licence is `MIT` (package.json:4)'
const VERSION = 'The version is `1.2.3` (package.json:3)'

const ANSWERED: readonly (readonly [string, readonly string[]])[] = [
  ['17.5 % of 2,340, and 3^7?', ['17.5% of 2340 = 409.5', '3^7 = 2187']],
  ['What is 15% off 80 and 20% off 50?', ['80 * (1 - 15 / 100) = 68', '50 * (1 - 20 / 100) = 40']],
  ['What is 5 km in metres, and what is 2 + 2?', ['5 * 1000000 / 1000 = 5000', '2 + 2 = 4']],
  ['What is 3^7? and 2^5?', ['3^7 = 2187', '2^5 = 32']],
  ['What is the licence, and how many files are in src?', [LICENCE, 'There are 2 files']],
  ['What is the licence of this package; what is its version?', [LICENCE, VERSION]],
  ['1. What is the licence? 2. What is 3^7? 3. What is the version?', [LICENCE, '3^7 = 2187', VERSION]],
  ['Answer these:\n1) what is the licence\n2) what is the version\n3) 6 * 7', [LICENCE, VERSION, '6 * 7 = 42']],
  ['- What is the licence?\n- What is 2^10?', [LICENCE, '2^10 = 1024']],
  [Array.from({ length: 10 }, (_, n) => `What is ${n + 11} * 3?`).join(' '), ['11 * 3 = 33', '20 * 3 = 60']],
]

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
  ['17.5 % of 2,340, and the capital of France?', '17.5% of 2340 = 409.5', 'the capital of France?'],
  ['What is the licence? Translate "good day" to French.', LICENCE, 'Translate "good day" to French.'],
  ['1. What is the licence? 2. What is 1 / 0?', LICENCE, 'What is 1 / 0?'],
  ['What is 2 + 2 and 1 / 0?', '2 + 2 = 4', '1 / 0'],
]

for (const [task, answer, open] of OPEN) {
  test(`names the part that has no answer, and does not claim to be complete: ${task}`, async () => {
    const { text } = await ask(KETTLE, task)
    assert.match(text, /^I could not answer this in full\.\n/)
    assert.ok(text.includes(`\n${answer}`), text)
    assert.ok(text.includes(`\nNot answered: ${open}`), text)
  })
}

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

test('combines the parts with the name of the one that has no answer', async () => {
  const results = [
    '<result of="step-1" by="agent-1">\n3^7 = 2187\n</result>',
    '<result of="step-2" by="agent-2">\nI could not answer this: I found nothing about `France`.\n</result>',
  ].join('\n\n')
  const task = 'Combine the results of the parts into one answer to: What is 3^7, and what is the capital of France?'
  const { text } = await ask(KETTLE, task, { material: results, tools: [] })
  assert.is(
    text,
    'I could not answer this in full.\n\n3^7 = 2187\n\nNot answered: what is the capital of France? I found nothing about `France`.',
  )
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

test.run()
