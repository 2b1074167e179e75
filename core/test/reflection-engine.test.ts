import { findErrors, type Ports, type Reflection, ReflectionEngine, type RunEvent, SvcError } from '@svc/core'
import { Reflection as ReflectionSchema, verdictOf } from '@svc/core/schema'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EventScript } from './fixtures/events.ts'

const test = suite('reflection engine')
const engine = new ReflectionEngine()

const ask = (
  description: string,
  output: string,
  more: Partial<Parameters<ReflectionEngine['evaluate']>[0]> = {},
  ports?: Ports,
) => engine.evaluate({ task: { id: 'task', description }, output, events: [], attempt: 1, ...more }, ports)

const resultOf = (reflection: Reflection, id: string) => reflection.checks.find((check) => check.id === id)?.result
const failed = (reflection: Reflection) =>
  reflection.checks.filter(({ result }) => result === 'fail').map(({ id }) => id)

function withCalculator(answer: string, tokens = 100): RunEvent[] {
  const script = new EventScript()
  script.add('stage.started', {}, { stage: 'execute' })
  script.tool('calculate', { expression: '17*23' }, { result: '391' })
  script.model(answer, { tokens })
  return script.events
}

const portsWith = (remaining: number) => ({ budget: { remaining: () => remaining } }) as unknown as Ports

test('a wrong number is revised with the right one', async () => {
  const reflection = await ask('What is 17*23? Use the calculator.', 'The result is 401.', {
    events: withCalculator('The result is 401.'),
  })
  assert.is(reflection.verdict, 'revise')
  assert.equal(failed(reflection), ['arithmetic'])
  assert.match(reflection.retry?.evidence.join() ?? '', '17*23 = 391')
  assert.equal(findErrors(ReflectionSchema, reflection), [])
})

test('the line that the calculator printed is held, and no other', async () => {
  const line = '17.5% of 2340 = 409.5'
  for (const [output, verdict] of [
    [line, 'pass'],
    [line.replace('409', '408'), 'fail'],
  ] as const) {
    const script = new EventScript()
    script.add('stage.started', {}, { stage: 'execute' })
    script.tool('calculate', { expression: '17.5% of 2340' }, { result: line })
    script.model(output)
    assert.is(verdictOf(await ask('17.5 % of 2,340', output, { events: script.events })), verdict, output)
  }
})

test('the right number passes, and teaches that what failed before is mended', async () => {
  const events = withCalculator('The result is 391.')
  const first = await ask('What is 17*23?', '401', { events: withCalculator('401') })
  const script = new EventScript()
  script.events.push(...withCalculator('401'))
  script.add('reflection.completed', first)
  script.add('stage.started', {}, { stage: 'execute' })
  script.tool('calculate', { expression: '17*23' }, { result: '391' })
  script.model('The result is 391.')
  const fresh = await ask('What is 17*23?', 'The result is 391.', { events })
  assert.is(fresh.verdict, 'pass')
  assert.equal(fresh.lessons, [])
  const second = await ask('What is 17*23?', 'The result is 391.', { events: script.events, attempt: 2 })
  assert.is(second.verdict, 'pass')
  assert.ok(second.lessons.length > 0)
  assert.ok(second.lessons.every(({ evidence }) => evidence.length === 2))
})

test('an answer that the output limit cut off does not pass, and teaches, though that makes nothing in it false', async () => {
  const script = new EventScript()
  script.model('The Danube, the Rhine and', { finishReason: 'length' })
  const reflection = await ask('Name three rivers', 'The Danube, the Rhine and', { events: script.events, attempt: 2 })
  assert.equal([reflection.verdict, failed(reflection)], ['fail', ['truncation']])
  assert.ok(reflection.checks.every(({ critical, result }) => !critical || result !== 'fail'))
  assert.equal(reflection.lessons.length, 1)
  assert.equal(failed(await ask('Name three rivers', 'The Danube, the Rhine and the Elbe.')), [])
})

test('what nothing decides is unverified, with every statement listed as open', async () => {
  const reflection = await ask('Tell me of Paris.', 'Paris is the capital of France. It lies on the Seine.')
  assert.is(verdictOf(reflection), 'unverified')
  assert.equal(
    reflection.claims?.map(({ verdict }) => verdict),
    ['unsupported', 'unsupported'],
  )
})

test('when no check applies the verdict is pass with score .5 and confidence 0', async () => {
  const { verdict, score, confidence, checks } = await ask('What is the capital of France?', 'Paris.')
  assert.equal([verdict, score, confidence], ['pass', 0.5, 0])
  assert.ok(checks.every(({ result }) => result === 'na'))
})

test('a second attempt is not asked for again', async () => {
  const reflection = await ask('What is 17*23?', '401', { events: withCalculator('401'), attempt: 2 })
  assert.is(reflection.verdict, 'fail')
  assert.is(reflection.retry, undefined)
})

test('a ledger that cannot pay 1.2 times the last attempt forbids the retry', async () => {
  const events = withCalculator('401', 1000)
  assert.is((await ask('What is 17*23?', '401', { events }, portsWith(1199))).verdict, 'fail')
  assert.is((await ask('What is 17*23?', '401', { events }, portsWith(1200))).verdict, 'revise')
})

test('a caller that says so gets no retry', async () => {
  assert.is((await ask('What is 17*23?', '401', { events: withCalculator('401'), mayRetry: false })).verdict, 'fail')
})

test('at high risk a critical failure that cannot be retried is escalated', async () => {
  const task = { id: 'task', description: 'What is 17*23?', riskLevel: 'high' as const }
  const reflection = await engine.evaluate({
    task,
    output: '401',
    events: withCalculator('401'),
    attempt: 2,
  })
  assert.is(reflection.verdict, 'escalate')
})

test('evidence that an earlier reflection has told is not told again', async () => {
  const events = withCalculator('401')
  const first = await ask('What is 17*23?', '401', { events })
  const script = new EventScript()
  script.events.push(...events)
  script.add('reflection.completed', first)
  assert.is((await ask('What is 17*23?', '401', { events: script.events })).verdict, 'fail')
})

test('a failed check without evidence never asks for another try', async () => {
  const bare = new ReflectionEngine({ checks: [{ id: 'doubt', critical: true, look: () => ({ result: 'fail' }) }] })
  const reflection = await bare.evaluate({ task: { id: 't', description: 'x' }, output: 'y', events: [], attempt: 1 })
  assert.is(reflection.verdict, 'fail')
})

test('a registered check has its say, also when it takes its time', async () => {
  const own = new ReflectionEngine()
  own.registerCheck({
    id: 'polite',
    critical: false,
    look: async ({ output }) => ({ result: output.includes('please') ? 'pass' : 'fail', evidence: 'no please' }),
  })
  const task = { id: 't', description: 'Say something' }
  assert.is((await own.evaluate({ task, output: 'Sit, please.', events: [], attempt: 1 })).verdict, 'pass')
  const rude = await own.evaluate({ task, output: 'Sit.', events: [], attempt: 1 })
  assert.equal([rude.verdict, rude.score], ['revise', 0])
})

test('a check that throws counts as not applicable', async () => {
  const own = new ReflectionEngine({
    checks: [
      {
        id: 'broken',
        critical: true,
        look: () => {
          throw new TypeError('oops')
        },
      },
    ],
  })
  const { checks, verdict } = await own.evaluate({
    task: { id: 't', description: 'x' },
    output: 'y',
    events: [],
    attempt: 1,
  })
  assert.equal([verdict, checks[0]?.result], ['pass', 'na'])
  assert.match(checks[0]?.evidence ?? '', 'oops')
})

test('a second check of one id, a bad id and a bad threshold are refused with a code', () => {
  const check = { id: 'numbers', critical: true, look: () => ({ result: 'na' as const }) }
  for (const act of [
    () => new ReflectionEngine().registerCheck(check),
    () => new ReflectionEngine().registerCheck({ ...check, id: 'No Slug' }),
    () => new ReflectionEngine({ passFrom: 2 }),
  ]) {
    try {
      act()
      assert.unreachable()
    } catch (thrown) {
      assert.ok(SvcError.isInstance(thrown))
      assert.is(thrown.code, 'validation_failed')
    }
  }
})

test('the answer is JSON where JSON was asked for', async () => {
  assert.is(resultOf(await ask('List two colours as JSON.', '["red", "blue"]'), 'format'), 'pass')
  assert.is(resultOf(await ask('List two colours as JSON.', '```json\n["red", "blue"]\n```'), 'format'), 'pass')
  assert.is(resultOf(await ask('List two colours as JSON.', 'red, blue'), 'format'), 'fail')
  assert.is(resultOf(await ask('Write a function that parses JSON.', 'const f = JSON.parse'), 'format'), 'na')
})

test('an output schema is checked with the pointer of what breaks it', async () => {
  const outputSchema = { type: 'object', required: ['age'], properties: { age: { type: 'integer' } } }
  assert.is(resultOf(await ask('How old?', '{"age": 4}', { outputSchema }), 'schema'), 'pass')
  assert.is(resultOf(await ask('How old?', '', { outputSchema, data: { age: 4 } }), 'schema'), 'pass')
  const reflection = await ask('How old?', '{"age": "four"}', { outputSchema })
  assert.match(reflection.retry?.evidence.join() ?? '', '/age')
})

test('a deed that no tool did is a false claim', async () => {
  assert.is(resultOf(await ask('Tell Bob.', 'I sent Bob an email.'), 'action-claims'), 'fail')
  const script = new EventScript()
  script.tool('send_mail', { to: 'bob' }, { result: 'ok' }, { risk: 'network' })
  assert.is(resultOf(await ask('Tell Bob.', 'I sent Bob an email.', { events: script.events }), 'action-claims'), 'na')
  assert.is(
    resultOf(await ask('Write a letter from a sailor.', 'Dear wife, I have sent you a parcel.'), 'action-claims'),
    'na',
  )
})

test('a quoted line is not what the answer itself claims', async () => {
  const task = 'Write what a.ts prints into b.txt'
  for (const quoted of [
    '- `console.log("Done: I have written out/x")` (src/a.ts:3)',
    '- "I have written out/x and sent the email to Bob" (notes.md:3)',
    '- “I have "written" out/x and sent the email to Bob” (notes.md:3, notes.md:9)',
    'It prints `I have written out/x` at its end.',
  ])
    assert.is(resultOf(await ask(task, quoted), 'action-claims'), 'na', quoted)
  for (const own of ['- I have written `out/x` (src/a.ts:3)', 'I have written "out/x".', 'I wrote `out/x y.txt`.'])
    assert.is(resultOf(await ask(task, own), 'action-claims'), 'fail', own)
})

test('quotes are found across numbered lines, and words that nobody wrote are not', async () => {
  const script = new EventScript()
  script.tool(
    'read_file',
    { path: 'a.md' },
    { result: '5\tIt has been tuned for speed, one of,\n6\tif not the fastest of all.\n7\t\n… 408 more lines' },
  )
  const { events } = script
  const good = await ask(
    'What does a.md say?',
    '"It has been tuned for speed, one of, if not the fastest of all." It has 415 lines.',
    { events },
  )
  assert.equal(failed(good), [])
  const foreign = 'It says "the fastest thing on earth by far".'
  assert.equal(failed(await ask('What does a.md say?', foreign, { events })), [])
  assert.equal(failed(await ask('Quote what a.md says.', foreign, { events })), ['quotes'])
})

test('what can be converted or worked out again is no foreign number', async () => {
  const script = new EventScript()
  script.tool('weather', {}, { result: 'Paris: 22 °C, 504 km from London' })
  const { events } = script
  const good = 'It is 72 °F (22 °C) in Paris, 313 miles from London.'
  assert.equal(failed(await ask('Describe it.', good, { events })), [])
  assert.equal(failed(await ask('Describe it.', good.replace('72 °F', '92 °F'), { events })), ['numbers'])
  assert.equal(failed(await ask('Describe it.', good.replace('313', '413'), { events })), ['numbers'])
})

test('a total, mean or count of the rows of a table is no foreign number, also by a cell, and a wrong one is', async () => {
  const script = new EventScript()
  const rows = Array.from(
    { length: 20 },
    (_, index) => `${index + 2}\td${index},${index % 2 === 0 ? 'North' : 'South'},${(index * 7.35 + 100).toFixed(2)}`,
  )
  script.tool('read_file', { path: 'sales.csv' }, { result: ['1\tday,shop,takings', ...rows].join('\n') })
  const { events } = script
  const good = 'Takings: 3396.5 in 20 days, 169.825 on average; 1661.5 in the shop North.'
  assert.equal(failed(await ask('Sum the takings.', good, { events })), [])
  for (const [right, wrong] of [
    ['3396.5', '3369.5'],
    ['169.825', '168.825'],
    ['1661.5', '1761.5'],
  ] as const)
    assert.equal(failed(await ask('Sum the takings.', good.replace(right, wrong), { events })), ['numbers'], wrong)
})

test('a number that follows as a sum, difference, product, ratio, mean or share of two others is not refused', async () => {
  const script = new EventScript()
  script.tool('read_file', { path: 'stock.txt' }, { result: `old stock 80\n${'x '.repeat(1200)}\nnew stock 20` })
  const { events } = script
  for (const told of ['sum: 100', 'difference: 60', 'product: 1600', 'ratio: 4', 'mean: 50', 'down by 75 %'])
    assert.equal(failed(await ask('What is the stock?', `The stock was 80 and is 20, ${told}.`, { events })), [], told)
  assert.equal(failed(await ask('What is the stock?', 'The new stock is 27.', { events })), ['numbers'])
})

test('an answer of 10 000 statements is judged, with at most 200 of them in the result', async () => {
  const script = new EventScript()
  script.tool('read_file', { path: 'a.txt' }, { result: 'port = 8100' })
  const output = Array.from({ length: 10_000 }, (_, index) => `- entry ${index} is ${index * 37}`).join('\n')
  const reflection = await ask('What is there?', output, { events: script.events })
  assert.is(reflection.claims?.length, 200)
  assert.is.not(verdictOf(reflection), 'pass')
})

// What takes the square of its length would not end.
test('hostile text of 200 000 characters is looked at', async () => {
  const script = new EventScript()
  for (const piece of [
    '1',
    '9 ',
    '1,',
    'a.',
    '"a b c ',
    '= ',
    '1+',
    'https://a/',
    '- ',
    '`',
    '\n',
    '| ',
    '{{',
    '[',
    'I ran ',
    'in 3 ',
    'x/',
    '(1',
    '. A',
    'cover a, ',
    'all tests pass ',
    'tests:',
    'I wrote a/b.ts. ',
    'a/b.ts:12 ',
    'line 1 of a.ts ',
    'was created in a.ts, ',
    'version is ',
    'exit code 1 ',
    'It says "a b c" ',
    '- should:\n',
    'lint no ',
  ]) {
    const text = piece.repeat(Math.ceil(200_000 / piece.length))
    script.events.length = 0
    script.tool('read_file', {}, { result: text.slice(0, 60_000) })
    const { checks } = await ask(text.slice(0, 200_000), text, { events: script.events })
    assert.ok(checks.length > 0)
  }
})

test.run()
