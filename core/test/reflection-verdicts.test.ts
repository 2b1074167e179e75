import { ReflectionEngine } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { verdictOf } from '../src/contracts/index.ts'
import { EventScript } from './fixtures/events.ts'
import { type Entry, edited, eventsOf, ran, read, sh, wrote } from './fixtures/story.ts'

const test = suite('verdicts of the rules')
const engine = new ReflectionEngine()

const judge = (task: string, log: readonly Entry[], answer: string) =>
  engine.evaluate({
    task: { id: 'task', description: task },
    output: answer,
    events: eventsOf({ log, answer }),
    attempt: 1,
  })
const verdict = async (task: string, log: readonly Entry[], answer: string) => verdictOf(await judge(task, log, answer))

const CHANGE = 'Change mul in calc.mjs and run the tests'
const report = (passed: number, failed = 0) =>
  `# tests ${passed + failed}\n# pass ${passed}\n# fail ${failed}\n# skipped 0\n`
const good = (command = 'node --test') => ran(command, 0, report(2))
const bad = (command = 'node --test') => ran(command, 1, report(1, 1))
const edit = edited('calc.mjs')

test('counts of tests are those of the last run, in any language', async () => {
  assert.is(await verdict(CHANGE, [bad(), edit, good()], 'All 2 tests pass.'), 'pass')
  for (const said of [
    'All 2 tests pass.',
    '2 of 2 tests pass.',
    'I changed mul in calc.mjs; 2 tests passed, 0 failed.',
    'Alle 2 Tests sind grün.',
    'Les 2 tests passent.',
    '2件のテストはすべて成功しました。',
  ]) {
    assert.is(await verdict(CHANGE, [good(), edit, bad()], said), 'fail', said)
    assert.is.not(await verdict(CHANGE, [bad(), edit, good()], said), 'fail', said)
  }
})

test('an answer that tells the failure may tell the counts of a run before it', async () => {
  for (const said of [
    'First node --test had 2 passed. After the edit 1 passed and 1 failed.',
    '1 of 2 tests failed at first.',
  ])
    assert.is.not(await verdict(CHANGE, [good(), edit, bad()], said), 'fail', said)
  assert.is.not(await verdict(CHANGE, [bad(), edit, good()], '1 of 2 tests failed at first, so I mended mul.'), 'fail')
  const suites = [ran('npm run test:unit', 0, report(3)), ran('npm run test:web', 0, report(5))]
  assert.is.not(await verdict('Run the tests', suites, 'The 3 unit tests pass.'), 'fail')
})

test('that all tests pass is decided by the last run of all', async () => {
  const filtered = ran('node --test --test-name-pattern add', 0, report(1))
  for (const said of ['All tests pass.', 'Alle Tests bestehen.'])
    assert.is(await verdict(CHANGE, [edit, bad(), filtered], said), 'fail', said)
  assert.is(await verdict(CHANGE, [edit, bad(), filtered], 'The tests pass.'), 'unverified')
  assert.is(await verdict(CHANGE, [edit, bad(), filtered], 'The 1 test of add passes.'), 'unverified')
  assert.is(await verdict(CHANGE, [edit, filtered, good()], 'All tests pass.'), 'pass')
})

test('a program that only looks has run no tests', async () => {
  assert.is(await verdict(CHANGE, [edit, ran('ls', 0, 'calc.mjs')], 'All tests pass.'), 'fail')
  assert.is(await verdict(CHANGE, [edit, ran('make all', 0, 'done')], 'All tests pass.'), 'unverified')
  assert.is(await verdict(CHANGE, [edit, sh('ls && make all', 0, 'done')], 'All tests pass.'), 'unverified')
})

test('a program whose output is a report of tests has run them', async () => {
  assert.is(await verdict(CHANGE, [edit, bad('./check.sh')], 'All tests pass.'), 'fail')
  assert.is(await verdict(CHANGE, [edit, good('./check.sh')], 'All tests pass.'), 'unverified')
})

test('what others say of tests is open where the answer tells that it has run none', async () => {
  for (const [task, said] of [
    ['What about the tests?', 'The tests passed last week according to you; I have not run them.'],
    ['Change mul in calc.mjs', 'The tests passed last week according to you; I have not run them.'],
    ['Wie steht es?', 'Tests sind laut README grün; selbst ausgeführt habe ich sie nicht.'],
  ] as const) {
    assert.is(await verdict(task, [], said), 'unverified', said)
    assert.is(await verdict(task, [edit], said), 'unverified', said)
  }
  assert.is(await verdict('What about the tests?', [], 'I have run the tests, and they pass.'), 'fail')
  // A log that was read may tell of a run somewhere else.
  const log = read('ci.log', 'nightly: 12 tests passed')
  assert.is(
    await verdict('What does ci.log say?', [log], 'The nightly build ran all tests, and they passed.'),
    'unverified',
  )
})

test('a call that was answered from the record of an equal one changed nothing', async () => {
  const answer = 'The tests pass.'
  const script = new EventScript()
  script.add('stage.started', {}, { stage: 'execute' })
  edit(script)
  good()(script)
  script.repeat('edit_file', { path: 'calc.mjs', edits: [{ find: 'a', replace: 'b' }] }, 'edited calc.mjs: 1 edit')
  script.model(answer)
  const reflection = await engine.evaluate({
    task: { id: 'task', description: CHANGE },
    output: answer,
    events: script.events,
    attempt: 2,
  })
  assert.is(verdictOf(reflection), 'pass')
})

const CODE =
  '// head\nimport a from "a"\n\nconst x = 1\n\nfunction load(path) {\n  const text = read(path)\n  const rows = parse(text)\n  return rows\n}'
const code = read('code.mjs', CODE)

test('what a function does in a line of its body is not refuted by the line of its name', async () => {
  for (const said of [
    '`load` returns rows in line 9.',
    '`load` returns rows at code.mjs:9.',
    'In `load`, line 8 calls `parse`.',
    '`load` gibt in Zeile 9 die Reihen zurück.',
    '`load` renvoie les valeurs à la ligne 9.',
    '`load`は9行目で結果を返します。',
  ])
    assert.is.not(await verdict('What does code.mjs do?', [code], said), 'fail', said)
  for (const said of ['`load` is defined in line 9.', '`load` is in line 4.', '`parse` stands in line 7.'])
    assert.is(await verdict('What does code.mjs do?', [code], said), 'fail', said)
})

test('what is cited with several lines stands in one of them', async () => {
  const ask = (said: string): Promise<string> => verdict('What does code.mjs do?', [code], said)
  for (const lines of ['code.mjs:6-8', 'code.mjs#L6-L8', 'lines 6-8', 'lines 6 to 8', 'Zeilen 6 bis 8', '6-8行目'])
    assert.is.not(await ask(`\`load\` and \`parse\` (${lines})`), 'fail', lines)
  assert.is.not(await ask('It has `load` and `parse` (code.mjs:6, code.mjs:8).'), 'fail')
  assert.is.not(await ask('It has `parse` and `load` (code.mjs:6-7, code.mjs:8).'), 'fail')
  assert.is(await ask('`load` and `parse` (code.mjs:1-4)'), 'fail')
  assert.is(await ask('`load` and `parse` (code.mjs:1, code.mjs:4)'), 'fail')
})

test('a share in percent may stand apart from its sign or have a comma', async () => {
  for (const share of ['64.0%', '64.0 %', '64 %', '64,0 %'])
    assert.is.not(await verdict('Share?', [], `38370 / 59920 = ${share}`), 'fail', share)
  for (const share of ['65.0%', '65 %', '65,0 %'])
    assert.is(await verdict('Share?', [], `38370 / 59920 = ${share}`), 'fail', share)
})

test('a wrong sum is open where it is quoted, denied, set right or right in powers of two', async () => {
  for (const said of [
    'It is not true that 7 * 8 = 54.',
    'Your "7 * 8 = 54" is wrong: 7 * 8 = 56.',
    'You wrote 7 * 8 = 54, but 7 * 8 = 56.',
    'The bill says 12450 + 9100 = 21500, which is wrong.',
    'Sie schrieben „7 * 8 = 54“.',
    'In binary 1 + 1 = 10, and 2 * 5 = 10.',
  ])
    assert.is.not(await verdict('Check my homework', [], said), 'fail', said)
  for (const said of ['7 * 8 = 54.', 'In binary 1 + 1 = 11.', '7 * 8 = 54 and 7 * 7 = 49.'])
    assert.is(await verdict('Check my homework', [], said), 'fail', said)
})

test('how many times one figure is another follows from both', async () => {
  const table = read('report.csv', 'region,revenue\nNorth,12450\nSouth,38370\nWest,9100')
  for (const said of ['South earned 4.2 times what West earned.', 'Der Süden hat 4,2-mal so viel wie der Westen.'])
    assert.is.not(await verdict('Compare the regions', [table], said), 'fail', said)
})

test('each item of a list is a statement, also of one word', async () => {
  const { claims } = await judge('What do I need?', [], 'You need:\n- headlamps\n* Aloe\n1. tent pegs\n\nYes.')
  assert.equal(
    claims?.map(({ text }) => text),
    ['headlamps', 'Aloe', 'tent pegs'],
  )
})

test('an answer says how much of it was not looked at', async () => {
  const sums = Array.from({ length: 600 }, (_, i) => `${i} * 7 = ${i === 410 ? 1 : i * 7}`).join('\n')
  const { claims } = await judge('List them', [], sums)
  assert.ok(claims?.some(({ text, verdict }) => verdict === 'unsupported' && text.startsWith('200 statements')))
  const many = await judge('List them', [], Array.from({ length: 2_500 }, (_, i) => `It has point ${i}.`).join('\n'))
  assert.ok(many.claims?.some(({ text }) => text.startsWith('500 statements')))
})

test('a quotation is held where it was read, and not where the agent wrote it itself', async () => {
  const said = 'The port of the service is 8080.'
  const held = async (log: readonly Entry[]): Promise<string | undefined> =>
    (await judge('What is the port?', log, `> ${said}`)).claims?.[0]?.verdict
  assert.is(await held([read('notes.txt', said)]), 'supported')
  assert.is(await held([wrote('notes.txt', said), read('notes.txt', said)]), 'unsupported')
})

test.run()
