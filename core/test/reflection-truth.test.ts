import { type EvaluateInput, ReflectionEngine } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { criticalFailures, verdictOf } from '../src/contracts/index.ts'
import { isWorse } from '../src/contracts/stages/reflection.ts'
import { denied, edited, eventsOf, list, ran, read, type Story, stories, tool, wrote } from './fixtures/story.ts'

const test = suite('answers held against the log')
const engine = new ReflectionEngine()

const story = stories('one')
const judge = ({ task, answer, log }: Story, more: Partial<EvaluateInput> = {}) =>
  engine.evaluate({
    task: { id: 'task', description: task },
    output: answer,
    events: eventsOf({ log, answer }),
    attempt: 1,
    ...more,
  })

const grounded = (one: Story) => judge(one, { grounded: true })

test('a plain right answer is unverified: what it says is open, and nothing fails', async () => {
  const reflection = await judge(story('What is the capital of France?', [], 'Paris.'))
  assert.is(verdictOf(reflection), 'unverified')
  assert.equal(reflection.claims, [{ text: 'Paris.', kind: 'other', verdict: 'unsupported', evidence: [] }])
  assert.equal(criticalFailures(reflection), [])
  assert.is(verdictOf(undefined), 'unverified')
})

test('arithmetic that is worked out again and does not hold makes an answer false', async () => {
  for (const [task, answer] of [
    ['What is 17*23?', '17*23 = 392'],
    ['17.5 % of 2,340, and what is 3^7?', '17.5% of 2340 = 409.5'],
    ['What is 10 - 4?', 'It is 7.'],
    ['What is 10 / 3?', 'It is 3.34.'],
    ['What is 17*23?', 'The result is 401.'],
    ['What is 3^7?', '3^7 = 2178'],
    ['What is 10 - 4?', '10 - 4 = 7'],
    ['How many eggs are left?', 'There were 12, so 12 - 5 = 8 are left.'],
    ['8/3 and 22/7', '8/3 = 2.666666666665'],
    ['What is 10 / 3?', '10 / 3 = 3.34'],
    ['What is 1,000 + 1?', '1,000 + 1 = 1,002'],
  ] as const) {
    const reflection = await judge(story(task, [], answer))
    assert.is(verdictOf(reflection), 'fail', `${task} ${answer}`)
    assert.equal(
      criticalFailures(reflection).map(({ id }) => id),
      ['arithmetic'],
    )
  }
})

test('a right equation with a sign before it, three places or a hundred terms is not refused', async () => {
  for (const answer of ['-5 + 3 = -2', '3.702 / 3 = 1.234', `${Array(100).fill('10').join(' + ')} = 1000`])
    assert.equal(criticalFailures(await judge(story('Work it out.', [], answer))), [], answer)
})

test('what is held carries the call, its path and the hash of the file', async () => {
  const sha256 = 'a'.repeat(64)
  const log = [tool('read_config', 'read', { path: 'a.json' }, { port: 8080, sha256 })]
  const reflection = await judge(story('What is the port in a.json?', log, 'The port is 8080.'))
  assert.is(verdictOf(reflection), 'pass')
  assert.equal(reflection.claims, [
    {
      text: 'The port is 8080.',
      kind: 'figure',
      verdict: 'supported',
      evidence: [{ seq: 4, path: 'a.json', sha256 }],
    },
  ])
})

test('a denied write that is claimed is contradicted by its event', async () => {
  const log = [denied('write_file', 'write', { path: 'a.txt', content: 'x' })]
  const { claims } = await judge(story('Write a.txt', log, 'Done: I have written a.txt.'))
  assert.equal([claims?.[0]?.verdict, claims?.[0]?.evidence[0]?.seq], ['contradicted', 3])
})

test('claimed tests need exit code 0 in the last run after the last edit', async () => {
  const said = 'I fixed src/a.ts. All tests pass.'
  const verdicts = async (log: Story['log']) => {
    const { claims } = await judge(story('Fix src/a.ts', log, said))
    return claims
      ?.filter(({ kind }) => kind === 'test')
      .map(({ verdict, evidence }) => [verdict, evidence[0]?.exitCode])
  }
  const fix = edited('src/a.ts')
  assert.equal(await verdicts([fix, ran('npm test', 0, '3 passed')]), [['supported', 0]])
  assert.equal(await verdicts([fix, ran('npm test', 1, '1 failed')]), [['contradicted', 1]])
  assert.equal(await verdicts([fix]), [['contradicted', undefined]])
  assert.equal(await verdicts([ran('npm test', 0, '3 passed'), fix]), [['contradicted', 0]])
  assert.equal(await verdicts([fix, ran('npm test', 0, '3 passed'), ran('npm test', 1)]), [['contradicted', 1]])
  assert.equal(await verdicts([fix, ran('npm test', 0, '3 passed'), wrote('NOTES.md')]), [['supported', 0]])
})

test('a number or address of general knowledge is no lie, and is one where everything must have been read', async () => {
  const war = story('When did it end?', [list('README.md  1088')], 'World War II ended in 1945, with 70 million dead.')
  const { verdict, retry } = await judge(war)
  assert.equal([verdict, retry], ['pass', undefined])
  const held = await grounded(war)
  assert.equal(
    criticalFailures(held).map(({ id }) => id),
    ['numbers'],
  )
  assert.is(held.claims?.[0]?.verdict, 'contradicted')
})

test('a task that asks for sources asks for addresses that were read', async () => {
  const answer = 'The licence is MIT, see https://acme.dev/licence.'
  const log = [read('LICENSE', 'MIT License')]
  assert.is(verdictOf(await judge(story('What is the licence?', log, answer))), 'unverified')
  assert.is(verdictOf(await judge(story('What is the licence? Cite your sources.', log, answer))), 'fail')
})

test('an honest second answer stands against a false first one, whatever else that got right', async () => {
  const sales = read('sales.csv', 'day,takings\nMonday,512.30\nTuesday,470.10')
  const task = 'What came in on Monday and Tuesday? Cite the lines.'
  const all = async (answer: string) => grounded(story(task, [sales], answer))
  const right = await all('On Monday 512.30 came in (sales.csv:2).')
  const wrong = await all('On Monday 512.30 came in (sales.csv:2), on Tuesday 740.10 (sales.csv:3).')
  const more = await all('On Monday 521.30 came in (sales.csv:2). On Tuesday 740.10 came in (sales.csv:30).')
  const honest = await all('I could not tell.')
  assert.equal(
    [isWorse(right, wrong), isWorse(honest, wrong), isWorse(more, wrong), isWorse(wrong, wrong)],
    [false, false, true, false],
  )
  assert.equal([isWorse(wrong, right), isWorse(wrong, honest)], [true, true])
})

test.run()
