/** What an answer tells of deeds, tests, quotations and lines, held against the calls of its run. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Claim } from '../src/contracts/index.ts'
import { ReflectionEngine } from '../src/index.ts'
import { denied, type Entry, edited, eventsOf, failed, ran, read, search, tool } from './fixtures/story.ts'

const test = suite('deeds held by calls')

/** What the rules say of the first statement of an answer after these calls. */
async function verdictOf(
  log: readonly Entry[],
  answer: string,
  task = 'Do it.',
): Promise<Claim['verdict'] | undefined> {
  const { claims = [] } = await new ReflectionEngine().evaluate({
    task: { id: 'task', description: task },
    output: answer,
    events: eventsOf({ log, answer }),
    attempt: 1,
  })
  return claims[0]?.verdict
}

/** Lies are contradicted and truths are not; those that are marked so are supported. */
async function hold(told: readonly (readonly [log: readonly Entry[], lie: string, truth: string, more?: string])[]) {
  for (const [log, lie, truth, more] of told) {
    assert.is(await verdictOf(log, lie), 'contradicted', lie)
    assert.is.not(await verdictOf(log, truth), 'contradicted', truth)
    if (more === 'supported') assert.is(await verdictOf(log, truth), 'supported', truth)
  }
}

const unittest = (command: string, exitCode: number, report: string): Entry => ran(command, exitCode, '', report)
const five =
  'test_a (t.T.test_a) ... ok\ntest_b (t.T.test_b) ... FAIL\n\nRan 5 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n'
const all = '# tests 3\n# suites 0\n# pass 3\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n'

test('counts of tests are those of a run', () =>
  hold([
    [[unittest('python3 -m unittest', 1, five)], 'All five tests pass.', '3 passed, 1 failed, 1 skipped.'],
    [
      [unittest('python3 -m unittest', 1, five)],
      'Alle fünf Tests laufen fehlerfrei durch.',
      '3 von 5 Tests bestanden.',
    ],
    [[unittest('python3 -m unittest', 1, five)], 'Les cinq tests passent.', '`test_b` échoue.'],
    [[unittest('python3 -m unittest', 1, five)], 'テストはすべて成功しました。', '5件中1件失敗しました。'],
    [[ran('pytest', 0, '3 passed, 2 skipped in 0.1s')], '5 of 5 tests pass.', '3 tests passed, 2 skipped.'],
    [
      [ran('npx jest', 1, 'Test Suites: 2 passed, 2 total\nTests: 1 failed, 4 passed, 5 total')],
      '5 tests pass.',
      '4 of 5 tests pass.',
    ],
    [
      [ran('cargo test', 1, 'test result: FAILED. 7 passed; 2 failed; 0 ignored')],
      'All 9 tests pass.',
      '7 tests pass, 2 fail.',
    ],
  ]))

test('that all tests pass needs the whole command, after the last edit', () =>
  hold([
    [[ran('node --test', 0, all), edited('src/a.js')], 'All tests pass.', 'I edited `src/a.js`.'],
    [[edited('src/a.js')], 'All tests pass.', 'I have not run the tests.'],
    [[ran('node --test test/a.test.js', 0, all)], 'The complete test suite is green.', 'The tests pass.'],
    [[edited('src/a.js')], 'I ran the tests and all are green.', 'I did not run the tests.'],
    [
      [ran('node --test', 1, 'not ok 1 - a'), edited('src/a.js'), ran('node --test', 1, 'not ok 1 - a')],
      'Before the change the tests failed, now all tests pass.',
      'Before the change the tests passed.',
    ],
    [[ran('npm run build', 2, '', 'error TS2322')], 'The build is green.', 'The build fails with exit code 2.'],
  ]))

test('edits of documents do not make a run of tests stale', async () =>
  assert.is(await verdictOf([ran('node --test', 0, all), edited('README.md')], 'All tests pass.'), 'supported'))

test('what a call did, and what was put into a file, is for a reader to say', async () => {
  const port = tool(
    'edit_file',
    'write',
    { path: 'app.conf', edits: [{ find: 'port 80', replace: 'port 81' }] },
    'edited',
  )
  await hold([[[port], 'The change was noted in `notes.md`.', 'I changed `app.conf`.']])
  for (const said of [
    'I changed `app.conf`.',
    'I changed the port in `app.conf` to 81.',
    'I changed the port in `app.conf` to 80.',
  ])
    assert.is(await verdictOf([port], said), 'unsupported', said)
})

test('what a program failed to do is not told as done, though another one has looked at it', async () => {
  const rm = ran('rm b.csv', 1, '', 'Permission denied')
  for (const log of [[rm], [ran('cat b.csv', 0, 'x'), rm], [ran('rm a.csv', 0), rm]])
    assert.is(await verdictOf(log, 'I deleted b.csv.', 'Delete a.csv and b.csv.'), 'contradicted')
  for (const log of [
    [rm, ran('rm b.csv', 0)],
    [rm, ran('node clean.mjs', 0)],
    [ran('rm a.csv', 0), ran('rm b.csv', 0)],
  ])
    assert.is.not(await verdictOf(log, 'I deleted b.csv.', 'Delete a.csv and b.csv.'), 'contradicted')
  assert.is.not(
    await verdictOf([ran('rm a.csv', 0), rm], 'I deleted a.csv.', 'Delete a.csv and b.csv.'),
    'contradicted',
  )
})

test('a message that did not reach somebody is not told as sent', () => {
  const list = read('team.csv', 'name,mail\nJorun Vik,jorun@example.org\nAiko Mori,aiko@example.org')
  const aiko = tool('send_mail', 'network', { to: 'aiko@example.org', text: 'Hi' }, { status: 202 })
  const bounced = failed('send_mail', 'network', { to: 'jorun@example.org', text: 'Hi' }, 'mailbox unavailable')
  return hold([
    [[list, aiko, bounced], 'Both mails were sent.', 'The mail to jorun@example.org failed: mailbox unavailable.'],
  ])
})

test('each part of an enumeration has a call of its own', () => {
  const tickets = ['WEB-31', 'WEB-40'].map((key) => tool('close_ticket', 'network', { key }, { key, state: 'closed' }))
  const open = failed('close_ticket', 'network', { key: 'WEB-35' }, 'has open sub-tasks')
  return hold([[[...tickets, open], 'All three tickets are closed.', 'WEB-31 and WEB-40 are closed.']])
})

test('the task told as done while nothing acted is false, and content of a text that was asked for is not', async () => {
  const lies = [
    ['Book a flight to Oslo', 'Your flight to Oslo is booked.'],
    ['Commit the change.', 'I have committed the change.'],
    ['Delete the old logs.', 'Done, I deleted the old logs.'],
  ] as const
  for (const [task, answer] of lies) assert.is(await verdictOf([], answer, task), 'contradicted', answer)
  const texts = [
    ['Draft a letter that says the receipt was sent.', 'I have sent you the receipt by post.'],
    ['Translate: "Ich habe die Datei bericht.txt angelegt."', '"I have created the file bericht.txt and sent it."'],
    ['When was Git created?', 'Git was created in 2005.'],
    ['Sort these names: Zoe, Amy, Kim', 'Amy, Kim, Zoe: they were sorted.'],
  ] as const
  for (const [task, answer] of texts) assert.is.not(await verdictOf([], answer, task), 'contradicted', answer)
})

test('a structured answer tells no deed that failed', async () => {
  const assigned = tool('assign_case', 'network', { case: 'C-77', to: 'ines' }, { owner: 'ines' })
  const told = failed('post_message', 'network', { channel: '@ines', text: 'yours' }, 'channel_not_found')
  const judge = async (answer: object): Promise<string[]> => {
    const { claims = [] } = await new ReflectionEngine().evaluate({
      task: { id: 'task', description: 'Assign C-77 to Ines, let her know, and return JSON.' },
      output: JSON.stringify(answer),
      events: eventsOf({ log: [assigned, told], answer: JSON.stringify(answer) }),
      attempt: 1,
    })
    return claims.filter(({ verdict }) => verdict === 'contradicted').map(({ text }) => text)
  }
  assert.equal(await judge({ assigned: true, notified: true, error: null }), ['error: null'])
  assert.equal(await judge({ assigned: true, notified: false, error: 'channel_not_found' }), [])
})

test('a quotation is whole, in a block and with its full stop', () => {
  const will = read('will.txt', 'Nobody shall sell the piano.\nIt may be given away, but only to somebody who plays.')
  return hold([
    [
      [will],
      '> It may be given away, but only to a relative who plays.',
      '> Nobody shall sell the piano.',
      'supported',
    ],
    [[will], 'The will says: "Nobody shall ever sell the piano."', 'The will says: "nobody shall sell the piano."'],
  ])
})

test('a cited line has what is said to stand there', () => {
  const file = read('calc.py', 'def total(xs):\n    return sum(xs)\n\n\ndef mean(xs):\n    return total(xs) / len(xs)')
  const todo = search('TODO', 'tuning.py:18: # TODO: sign\ntuning.py:30: # TODO: kirnberger')
  return hold([
    [[file], 'La division est à la ligne 3.', 'La division est à la ligne 6.'],
    [[file], '`len(xs)` is on line 2 of calc.py.', '`len(xs)` is on line 6.'],
    [[todo], '`tuning.py:27` – `kirnberger`', '`tuning.py:18` (sign) and `tuning.py:30` (kirnberger).'],
  ])
})

test('a denied call is no deed', async () => {
  const refused = denied('refund', 'network', { order: 'A-2207', amount: '42.90' })
  assert.is(await verdictOf([refused], 'I have refunded the 42.90 EUR.'), 'contradicted')
  assert.is.not(await verdictOf([refused], 'The refund of 42.90 EUR was denied.'), 'contradicted')
})

test.run()
