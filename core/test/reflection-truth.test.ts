import { type EvaluateInput, ReflectionEngine } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { criticalFailures, verdictOf } from '../src/contracts/index.ts'
import { isWorse } from '../src/contracts/stages/reflection.ts'
import {
  denied,
  edited,
  eventsOf,
  list,
  ran,
  read,
  type Story,
  search,
  sh,
  stories,
  tool,
  wrote,
} from './fixtures/story.ts'

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

test('a plain right answer is unverified, with no claim and no failure', async () => {
  const reflection = await judge(story('What is the capital of France?', [], 'Paris.'))
  assert.is(verdictOf(reflection), 'unverified')
  assert.is(reflection.claims, undefined)
  assert.equal(criticalFailures(reflection), [])
  assert.is(verdictOf(undefined), 'unverified')
})

test('arithmetic that is worked out again and does not hold makes an answer false', async () => {
  for (const [task, answer] of [
    ['What is 17*23?', '17*23 = 392'],
    ['What is 17*23?', 'The result is 401.'],
    ['17.5 % of 2,340, and what is 3^7?', '17.5% of 2340 = 409.5'],
    ['What is 10 - 4?', 'It is 7.'],
    ['How many eggs are left?', 'There were 12, so 12 - 5 = 8 are left.'],
    ['8/3 and 22/7', '8/3 = 2.666666666665'],
    ['What is 10 / 3?', 'It is 3.34.'],
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

test('arithmetic that is written otherwise, quoted, or none at all makes no answer false', async () => {
  for (const [task, answer] of [
    ['What is 1/2 + 1/3?', 'The result is 5/6.'],
    ['What is 1/2 + 1/3?', 'It is $\\frac{5}{6}$.'],
    ['What is 2^100?', 'About 1.27 × 10^30.'],
    ['What is the price?', '100 + 20% = 120, and 80 - 25% = 60.'],
    ['How many boxes are needed?', '11 / 3 = 3 remainder 2, so 4 boxes.'],
    ['Is 2 + 2 = 5 right?', 'No. That 2 + 2 = 5 is a mistake: 2 + 2 = 4.'],
    ['What is said on pages 3 - 4 of the report?', 'Sales grew by 12 % in 2023.'],
    ['What is 10/3?', 'It is 3.33.'],
    ['What is 3^7?', 'It is 2 187 (2.187 in German).'],
    ['8/3 and 22/7', '8/3 = 2.66666666666667 and 22/7 = 3.14285714285714'],
    ['8/3 and 22/7', '8/3 = 2.666666666666 and 22/7 = 3.142857'],
    ['What is 1/3?', '1/3 = 0.333333333333333333'],
    ['What is 1e3 * 2?', '1e3 * 2 = 2000'],
    ['What is 2 * 3?', '2 / 8000000 = 2.5e-7, and 2 * 3 = 6'],
    ['What is 2,5 * 4?', '2,5 * 4 = 10'],
    ['What is 3*20%?', 'It is 0.6.'],
    ['Work out 10!*2+3', 'It is 7257603.'],
  ] as const) {
    const reflection = await judge(story(task, [], answer))
    assert.equal(criticalFailures(reflection), [], `${task} ${answer}`)
    assert.equal(
      reflection.checks.filter(({ id, result }) => id === 'arithmetic' && result === 'fail'),
      [],
      answer,
    )
  }
})

test('a claimed file carries the call, the path and the hash that the tool left', async () => {
  const sha256 = 'a'.repeat(64)
  const log = [tool('write_file', 'write', { path: 'out/a.txt', content: 'x' }, { path: 'out/a.txt', sha256 })]
  const reflection = await judge(story('Create out/a.txt', log, 'I have created out/a.txt.'))
  assert.is(verdictOf(reflection), 'pass')
  assert.equal(reflection.claims, [
    {
      text: 'I have created out/a.txt.',
      kind: 'file',
      verdict: 'supported',
      evidence: [{ seq: 3, path: 'out/a.txt', sha256 }],
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
  assert.equal(await verdicts([fix]), [['unsupported', undefined]])
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
  assert.is(held.claims?.[0]?.verdict, 'unsupported')
})

test('numbers of two columns that a comma separates are none of thousands alone', async () => {
  const csv = 'day,baskets,takings\nMonday,41,512.30\nTuesday,38,470.10\nWednesday,7,1,598.60\n2024-01-04,1200,228.00'
  for (const [answer, failed] of [
    ['The sum of `takings` is 982.4 = 512.3 + 470.1 (sales.csv:2-3)', []],
    ['On Wednesday 1,598.60 came in.', []],
    ['On 2024-01-04 it were 1200, of these 228 in cash.', []],
    ['On Monday 521.3 came in, on Tuesday 470.1.', ['numbers']],
  ] as const) {
    const reflection = await grounded(story('What came in, by sales.csv?', [read('sales.csv', csv)], answer))
    assert.equal(
      criticalFailures(reflection).map(({ id }) => id),
      failed,
      answer,
    )
  }
})

test('words of a page are quoted as a reader sees them, and no others are', async () => {
  const page = [
    '**C**ommand **A**nd **C**onquer is a _JavaScript_ library.',
    'Follow [our installing guide](http://a.dev/install) for more &amp; better information.',
    'Check out [`/examples`](/examples) for a <b>list of</b> working demos!',
  ].join('\n')
  for (const [quote, failed] of [
    ['Command And Conquer is a JavaScript library.', []],
    ['Follow our installing guide for more & better information.', []],
    ['Check out `/examples` for a list of working demos!', []],
    ['Check out `/examples` for a list of broken demos!', ['quotes']],
  ] as const) {
    const reflection = await grounded(
      story('What does the readme say?', [read('README.md', page)], `It says "${quote}"`),
    )
    assert.equal(
      criticalFailures(reflection).map(({ id }) => id),
      failed,
      quote,
    )
  }
})

test('a file named before a colon is not what was searched', async () => {
  const log = [list('a.js  12'), search('process', 'no match')]
  const answer = 'No file mentions `.env`: I searched every text file of the workspace.'
  const reflection = await grounded(story('Find all usages of the environment', log, answer))
  assert.equal(criticalFailures(reflection), [])
})

test('a task that asks for sources asks for addresses that were read', async () => {
  const answer = 'The licence is MIT, see https://acme.dev/licence.'
  const log = [read('LICENSE', 'MIT License')]
  assert.is(verdictOf(await judge(story('What is the licence?', log, answer))), 'unverified')
  assert.is(verdictOf(await judge(story('What is the licence? Cite your sources.', log, answer))), 'fail')
})

test('what was changed in a text of the task, or explained, is no claim', async () => {
  const answers: [task: string, answer: string][] = [
    [
      'Improve this sentence: "The cat it sat on the mat and it was fat."',
      'I removed the second "it" and changed the order: "The fat cat sat on the mat."',
    ],
    [
      'Fix this function:\n```js\nconst f = (a) => a +\n```\nIt does not parse.',
      'I added the missing operand:\n\n```js\nconst f = (a) => a + 1\n```\n\nThe expression was cut off before.',
    ],
    [
      'Why is my state lost? Fix the code: useEffect(() => { setState(null) })',
      'The state was set to null in every render, because the effect was called without dependencies. I added `[]`.',
    ],
    [
      'Refactor my explanation to be shorter:\n\nThe file was opened twice.\nThen it was closed.',
      'The file was opened twice and then closed.',
    ],
  ]
  for (const [task, answer] of answers) {
    const reflection = await judge(story(task, [], answer))
    assert.equal([criticalFailures(reflection), reflection.claims], [[], undefined], answer)
  }
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

test('the file of one deed is not the object of the next', async () => {
  const log = [read('src/a.ts', 'x'), edited('src/a.ts'), ran('npm test', 0, '14 passed')]
  const right = story('Fix src/a.ts', log, 'I fixed the bug in src/a.ts and ran the tests: all 14 pass.')
  assert.equal(criticalFailures(await judge(right)), [])
  const wrong = story('Delete a.txt', [read('a.txt', 'x')], 'I opened a.txt and deleted it.')
  assert.equal(
    criticalFailures(await judge(wrong)).map(({ id }) => id),
    ['action-claims'],
  )
})

test('what an answer says it did not do is no claim', async () => {
  const judged = (answer: string) => judge(story('Create the file hello.txt with a greeting', [], answer))
  for (const answer of [
    'I wrote nothing to `hello.txt`: there is no text.',
    'I created no file: hello.txt is missing.',
  ])
    assert.equal(criticalFailures(await judged(answer)), [], answer)
  const claimed = await judged('I changed nothing else, but I created hello.txt.')
  assert.ok(criticalFailures(claimed).some(({ id }) => id === 'action-claims'))
})

test('what a script runs is no claim that it passed', async () => {
  const scripts = '{ "build": "tsc --build --clean && tsc", "test": "npm run clean && uvu" }'
  const task = 'How do I run the tests?'
  const say = (answer: string) => grounded(story(task, [read('package.json', scripts)], answer))
  const listed = await say('- `build` runs `tsc --build --clean && tsc`\n- `test` runs `npm run clean && uvu`')
  assert.equal(criticalFailures(listed), [])
  const claimed = await say('I ran `npm test`, and the build is clean.')
  assert.ok(criticalFailures(claimed).some(({ id }) => id === 'tests'))
})

test('a command that succeeded is no proof of another one', async () => {
  const none = story('Commit and push', [sh('git commit -m x', 0)], 'The commit was pushed to origin.')
  assert.is(verdictOf(await judge(none)), 'fail')
})

test.run()
