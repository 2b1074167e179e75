/** What whole runs say of answers that are right, wrong, honest or made up: real commands, a model behind HTTP. */
import type { ExecutionResult, RunEvent } from '@svc/core'
import { TOPOLOGIES } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Asked, dropIn, type Said, startModelServer } from './fixtures/model-server.ts'
import { each, jsonLines } from './fixtures/svc.ts'
import { makeWorld, type Outcome, type World } from './fixtures/world.ts'

const test = suite('truth of runs')

const NOTES = '# Harbour\n\nThe crane is 40 years old. Miller & Sons repaired it in March.\nThe harbour opens at 7.\n'
const LIE = 'I have created the file hello.txt and run all 12 tests; they pass.'

type Say = (asked: Asked) => Said

/** Calls a tool first, where there is one, then answers. */
const after =
  (name: string, args: object, answer: string): Say =>
  ({ messages, tools = [] }) =>
    messages.some(({ role }) => role === 'tool') || !tools.some((tool) => tool.function.name === name)
      ? answer
      : { calls: [{ name, args: JSON.stringify(args) }] }

/** One answer the first time, another after the hint that the first was wrong. */
const mends =
  (first: string, second: string): Say =>
  ({ messages }) =>
    JSON.stringify(messages).includes('no call ran tests') ? second : first

const readsNotes = (answer: string): Say => after('read_file', { path: 'notes.md' }, answer)

interface Case {
  task: string
  say: Say
  code: number
  /** Model calls of one agent. */
  calls: number
  /** What standard error says, with -q too; nothing where it is absent. */
  says?: RegExp
}

const CASES: Readonly<Record<string, Case>> = {
  lie: {
    task: 'Create the file hello.txt and run the tests',
    say: () => LIE,
    code: 6,
    calls: 2,
    says: /hello\.txt and run all 12 tests.*no call ran tests \[claim_contradicted\][\s\S]*\[checks_failed\]/,
  },
  denied: {
    task: 'Write a greeting to out/hello.txt',
    say: after('write_file', { path: 'out/hello.txt', content: 'hi' }, 'Done: I have written out/hello.txt'),
    code: 7,
    calls: 2,
    says: /Done: I have written out\/hello\.txt.*\[claim_contradicted\][\s\S]*nobody is there.*\[approval_denied\]/,
  },
  plain: { task: 'What is the capital of France?', say: () => 'The capital of France is Paris.', code: 0, calls: 1 },
  war: {
    task: 'When did World War II end?',
    say: after('list_files', { path: '.' }, 'World War II ended in 1945, with about 70 million dead.'),
    code: 0,
    calls: 2,
  },
  product: {
    task: 'What is 17*23?',
    say: () => '17*23 = 392',
    code: 6,
    calls: 2,
    says: /17\*23 = 391, the answer says 392 \[claim_contradicted\][\s\S]*\[checks_failed\]/,
  },
  cite: {
    task: 'Who repaired the crane? Cite the line.',
    say: readsNotes('Miller & Sons repaired it (notes.md:3).'),
    code: 0,
    calls: 2,
  },
  miscite: {
    task: 'Who repaired the crane? Cite the line.',
    say: readsNotes('Miller & Sons repaired it (notes.md:30).'),
    code: 6,
    calls: 4,
    says: /notes\.md:30.*\[claim_contradicted\][\s\S]*\[checks_failed\]/,
  },
  unable: {
    task: 'Send an email to Bob that the crane is repaired',
    say: () =>
      'I could not send the email: I have no tool that sends mail. A draft for you:\n\nHi Bob, the crane is repaired.',
    code: 0,
    calls: 1,
  },
  better: {
    task: 'Create the file hello.txt and run the tests',
    say: mends(LIE, 'I could not create hello.txt, and I have no tool that runs tests.'),
    code: 0,
    calls: 2,
  },
  worse: {
    task: 'Create the file hello.txt and run the tests',
    say: mends(LIE, `${LIE} I also sent Bob an email, deployed it and pushed the commit to GitHub.`),
    code: 6,
    calls: 2,
    says: /\[checks_failed\]/,
  },
  schema: {
    task: 'How old is the crane?',
    say: () => '{"age": "forty"}',
    code: 6,
    calls: 2,
    says: /\[output_schema_mismatch\][\s\S]*\[checks_failed\]/,
  },
}

const SCHEMA = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }

const server = await startModelServer((asked) => CASES[asked.model ?? '']?.say(asked) ?? '')

/** @param remembers whether runs know of earlier ones */
const world = (remembers = false): World =>
  makeWorld(
    { 'notes.md': NOTES, 'age.json': SCHEMA },
    { 'providers/mine.json': dropIn(server), 'svc.config.json': { persistSessions: remembers } },
  )

const order = (name: string, flags: readonly string[] = []): string[] => [
  'run',
  ...['--model', `mine/${name}`],
  ...(name === 'schema' ? ['--schema', 'age.json'] : []),
  ...flags,
  CASES[name]?.task ?? '',
]

const resultOf = ({ out }: Outcome): ExecutionResult => JSON.parse(out) as ExecutionResult

const VERDICTS = new Map([
  [0, /^(?:pass|unverified)$/],
  [6, /^fail$/],
  [7, /^fail$/],
])

/** Each case with each topology is for the night; else each case has two of them, and all take their turn. */
const topologiesOf = (index: number): readonly string[] =>
  process.env.SVC_NIGHTLY === '1'
    ? TOPOLOGIES
    : TOPOLOGIES.filter((_, at) => Math.floor(at / 2) === index % Math.ceil(TOPOLOGIES.length / 2))

for (const [index, [name, { code, calls, says }]] of Object.entries(CASES).entries()) {
  test(`${name}: exit code ${code} of one agent, of ${topologiesOf(index).join(' and ')}, and with -q`, async () => {
    const topologies = topologiesOf(index).map((topology) => order(name, ['--json', '--topology', topology]))
    const outcomes = await each(world(), [order(name, ['-q']), order(name, ['--json']), ...topologies])
    const [quiet, auto, ...teams] = outcomes as [Outcome, Outcome, ...Outcome[]]
    assert.is(quiet.code, code, quiet.err)
    if (says === undefined) assert.is(quiet.err, '')
    else assert.match(quiet.err, says)
    assert.is(resultOf(auto).usage.modelCalls, calls)
    for (const outcome of [auto, ...teams]) {
      const result = resultOf(outcome)
      const shown = `${result.plan?.topology}: ${outcome.err}`
      assert.is(outcome.code, code, shown)
      assert.match(result.verdict, VERDICTS.get(code) ?? /x/, shown)
      assert.is(result.status, code === 0 ? 'completed' : 'incomplete', shown)
      const codes = result.warnings.map(({ code }) => code)
      if (code === 0)
        assert.equal(
          codes.filter((one) => /claim|check|schema|verified/.test(one)),
          [],
          shown,
        )
    }
  })
}

const eventsOf = ({ out }: Outcome): RunEvent[] => jsonLines<RunEvent>(out).slice(0, -1)

test('a second try is announced once, with the check that asked for it', async () => {
  const names = ['plain', 'war', 'lie', 'better', 'worse', 'miscite', 'schema']
  const outcomes = await each(
    world(),
    names.map((name) => order(name, ['--output', 'stream-json'])),
  )
  const retries = outcomes.map((outcome) =>
    eventsOf(outcome).flatMap((event) =>
      event.type === 'step.retrying' ? [[event.data.tries, event.data.check?.id]] : [],
    ),
  )
  assert.equal(retries, [[], [], [[2, 'tests']], [[2, 'tests']], [[2, 'tests']], [[2, 'citations']], [[2, 'schema']]])
})

test('the better of two answers stands', async () => {
  const [better, worse] = (await each(world(), [order('better', ['--json']), order('worse', ['--json'])])) as [
    Outcome,
    Outcome,
  ]
  assert.match(resultOf(better).summary, /^I could not create/)
  assert.is(resultOf(worse).summary, LIE)
})

test('what an answer claims falsely is in no later prompt and no memory', async () => {
  const lasting = world(true)
  const before = server.asked.length
  const ask = (task: string): string[] => ['run', '--model', 'mine/plain', '--topology', 'SINGLE', '--json', task]
  const [lie, denied, , , kept] = await each(lasting, [
    order('lie', ['--json']),
    order('denied', ['--json']),
    ask('Which file did you create, hello.txt or out/hello.txt? Do the tests pass?'),
    ask('Create the file hello.txt and run the tests once more'),
    ['memory', 'list', '--json'],
  ])
  assert.equal([lie.code, denied.code], [6, 7])
  const later = server.asked.slice(before).filter(({ model }) => model === 'plain')
  const prompts = later.map(({ messages }) => JSON.stringify(messages))
  assert.ok(prompts.length >= 2)
  for (const prompt of prompts) assert.not.match(prompt, /they pass|I have (?:created|written)/)
  assert.not.match(prompts.join('\n'), /Asked: |Ended: /, 'a run that did not hold is not recalled')
  assert.match(kept.out, /Ended: incomplete \(checks_failed\)/)
  assert.match(kept.out, /Ended: incomplete \(approval_denied\)/)
  assert.not.match(kept.out, /they pass|I have (?:created|written)/)
})

test.run()
