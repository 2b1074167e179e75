/** What rules hold: only what evidence of the run shows exactly; all else is open. */
import { ReflectionEngine } from '@svc/core'
import { verdictOf } from '@svc/core/schema'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Entry, edited, eventsOf, ran, read, search, sh, tool, wrote } from './fixtures/story.ts'

const test = suite('what rules hold')

async function verdict(task: string, log: readonly Entry[], answer: string): Promise<string> {
  const input = {
    task: { id: 'task', description: task },
    output: answer,
    events: eventsOf({ log, answer }),
    attempt: 1,
  }
  return verdictOf(await new ReflectionEngine().evaluate(input))
}
/** Each answer gets the verdict. */
async function all(expected: string, task: string, log: readonly Entry[], answers: readonly string[]): Promise<void> {
  for (const answer of answers) assert.is(await verdict(task, log, answer), expected, answer)
}

test('no deed is held by a call that is only about the same thing', async () => {
  const edit = edited('add.js', 'a - b', 'a + b')
  await all('unverified', 'Mend add.js.', [edit], ['Deleted add.js.', 'Moved add.js. Renamed add.js.', 'Fixed add.js.'])
  await all('unverified', 'Write the report.', [wrote('out/report.md')], ['Sent out/report.md.'])
  const ticket = tool('create_ticket', 'network', { key: 'ACME-12' }, { key: 'ACME-12' })
  await all('unverified', 'Open a ticket.', [ticket], ['Closed ACME-12.'])
})

const APP = 'port: 8080\nhost: example.org\ntimeout: 30'
const app = read('app.yml', APP)

test('a fenced block or quotation answers nothing by itself', async () => {
  const fence = (text: string): string => `\`\`\`\n${text}\n\`\`\``
  await all('unverified', 'What is the timeout in app.yml?', [app], [fence('port: 8080'), '> host: example.org'])
  await all('unverified', 'What does app.yml say?', [app], [`package.json:\n\n${fence(APP)}`, '> host: example.org'])
  await all(
    'unverified',
    'Where is the limit?',
    [search('limit: 99 a day', 'no line has it')],
    [fence('limit: 99 a day')],
  )
  await all('unverified', 'Write a.txt.', [wrote('a.txt', 'limit: 99 a day')], [fence('limit: 99 a day')])
  await all('unverified', 'What is the limit?', [read('a.txt', 'The limit is 99 a day.')], ['> The limit is 99 a day.'])
})

const REPORT = '# tests 2\n# pass 2\n# fail 0\n# skipped 0\n'
const green = ran('npm test', 0, REPORT)

test('that all tests pass is held by a known whole command alone', async () => {
  for (const command of [
    'npm test',
    'pnpm test',
    'node --test',
    'npm run test --silent',
    'node --test --test-reporter=tap',
  ])
    assert.is(await verdict('Run the tests.', [ran(command, 0, REPORT)], 'All tests pass.'), 'pass', command)
  for (const command of [
    'npm test --help',
    'node --test sub',
    'npm test --prefix sub',
    'cd sub && npm test',
    'npm test -- --only x',
    'npm test -w sub',
  ])
    assert.is.not(await verdict('Run the tests.', [ran(command, 0, REPORT)], 'All tests pass.'), 'pass', command)
  assert.is.not(await verdict('Run the tests.', [sh('cd sub && npm test', 0, REPORT)], 'All tests pass.'), 'pass')
  const none = ran('npm test', 0, '# tests 0\n# pass 0\n# fail 0\n')
  await all('unverified', 'Run the tests.', [none], ['All tests pass.'])
  await all('unverified', 'Run the tests.', [ran('npm test', 0, 'no test specified')], ['All tests pass.'])
})

test('that all tests pass is open where something may have changed after them', async () => {
  for (const later of [
    sh('sed -i s/a/b/ add.js', 0),
    ran('rm add.js', 0),
    ran('git checkout add.js', 0),
    ran('node -e require("fs").writeFileSync("add.js","")', 0),
    edited('a.csv'),
    sh('cat add.js > b.js', 0),
  ])
    assert.is.not(await verdict('Run the tests.', [green, later], 'All tests pass.'), 'pass')
  for (const later of [ran('git status', 0), ran('ls src', 0), ran('cat add.js', 0), edited('README.md'), app])
    assert.is(await verdict('Run the tests.', [green, later], 'All tests pass.'), 'pass')
})

test('a sum holds the equation and no word beside it', async () => {
  const task = 'Has Bob paid the invoice of 12 EUR? Has Ann more apples than Bob?'
  await all(
    'unverified',
    task,
    [],
    ['Bob paid the invoice: 3 * 4 = 12 EUR.', '3 * 4 = 12, Ann has more apples than Bob.'],
  )
  await all('unverified', task, [], ['The total is 3 * 4 = 12.', 'Bob paid:\n\n3 * 4 = 12'])
  await all('pass', task, [], ['3 * 4 = 12', 'The result is 3 * 4 = 12.'])
  await all('pass', 'What is 17*23?', [], ['391', 'It is 391.', '17*23 is 391.', 'The result of 17*23 is **391**.'])
  await all(
    'unverified',
    'What is 17*23?',
    [],
    ['It is not 391.', 'It is more than 391.', '23 is 391.', '17*23 is 391 EUR.'],
  )
})

test('a right sum is held behind the yes or no that answers the task', async () => {
  await all('pass', 'Is 17*23 = 392?', [], ['No: 17*23 = 391.', 'No, 17*23 = 391.', 'Nein: 17*23 = 391', '17*23 = 391'])
  await all('pass', 'Is 17*23 = 391?', [], ['Yes: 17*23 = 391.', 'Oui, 17*23 = 391.'])
  await all('unverified', 'Is 17*23 = 391?', [], ['No: 17*23 = 391.', 'Yes.'])
  await all('unverified', 'Is 17*23 = 392?', [], ['Yes: 17*23 = 391.', 'No: 17*23 = 391, and Bob was wrong.'])
  await all('unverified', 'Has Bob paid?', [], ['Yes: 3 * 4 = 12.', 'No, 3 * 4 = 12.'])
  await all('fail', 'Is 17*23 = 392?', [], ['Yes: 17*23 = 392.'])
})

test('each expression that a task asks for is worked out again', async () => {
  await all('fail', 'What is 17.5% of 2340?', [], ['It is 410.5.', '17.5% of 2340 is 410.5.'])
  await all('pass', 'What is 17.5% of 2340?', [], ['It is 409.5.', '17.5% of 2340 is 409.5.', '17.5% of 2340 = 409.5'])
  const both = 'What is 12 * 12 and 3^7?'
  await all('fail', both, [], ['They are 144 and 2178.', 'They are 142 and 2187.'])
  await all('unverified', both, [], ['They are 144 and 2187.', '12 * 12 is 2187 and 3^7 is 144.'])
  await all('pass', both, [], ['12 * 12 = 144 and 3^7 = 2187.'])
})

test('a value under its label is held and refuted, in a sentence, an item, a cell and a leaf', async () => {
  const task = 'Read app.yml. What are port and timeout?'
  await all(
    'pass',
    task,
    [app],
    [
      'The port is 8080.',
      'port: 8080',
      '- port: 8080\n- **timeout**: 30\n- `host`: `example.org`',
      'The timeout in app.yml is 30.',
      '## Result\n\nThe values in app.yml are:\n\n- port: 8080',
      '| key | value |\n|---|---|\n| port | 8080 |',
      '{"port": 8080, "timeout": 30}',
      'Der port in app.yml ist 8080.',
      'Le port est 8080.',
    ],
  )
  await all('fail', task, [app], ['The port is 30.', 'port: 8081', '{"port": 8080, "timeout": 31}'])
  await all(
    'unverified',
    task,
    [app],
    [
      'The port is not 8080.',
      'The port was 8080.',
      'The port is at least 8080.',
      'The port is ~8080.',
      'The port of staging is 8080.',
      'The port in package.json is 8080.',
      'The timeout is 30 minutes.',
      'The timeout is 30%.',
      'The port is 8080, and the host is down.',
      'Staging:\n\n- port: 8080',
      '## package.json\n\n- port: 8080',
      '{"staging": {"port": 8080}}',
      'Nobody uses it. The port is 8080.',
    ],
  )
  await all('unverified', 'What is the port in package.json?', [app], ['The port is 8080.'])
})

test('a value is open where its label is ambiguous, deeper, in a remark, changed or written by the agent', async () => {
  const said = ['The port is 8080.', 'port: 8080']
  for (const text of [
    'port: 8080\n---\nport: 9090',
    '[staging]\nport = 8080',
    'staging:\n  port: 8080\nname: x',
    'port: 8080 # of staging',
    '# port: 8080\nname: x',
    '{"name": "x", "staging": {"port": 8080}}',
  ])
    await all('unverified', 'What is the port?', [read('app.yml', text)], said)
  await all('unverified', 'What is the port?', [app, read('b.yml', 'port: 9090')], said)
  await all('unverified', 'Change it.', [app, edited('app.yml', '8080', '9090')], said)
  await all('unverified', 'Change it.', [app, sh('sed -i s/8080/9090/ app.yml', 0)], said)
  await all('unverified', 'What is it?', [wrote('app.yml', APP), app], said)
  await all('unverified', 'What is it?', [search('port: 8080', 'no line has "port: 8080"')], said)
  await all('unverified', 'What is it?', [ran('echo port: 8080', 0, 'port: 8080')], said)
  await all('unverified', 'What is it?', [tool('recall', 'read', { query: 'x' }, 'port: 8080')], said)
  await all('pass', 'What is it?', [app, edited('other.js')], said)
})

test.run()
