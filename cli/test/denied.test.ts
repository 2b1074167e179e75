/** What becomes of a run that wants what nobody is there to allow: it is said once, paid once, and how to allow it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropIn, startModelServer } from './fixtures/model-server.ts'
import { svc } from './fixtures/svc.ts'
import { makeWorld, type World } from './fixtures/world.ts'

const test = suite('denied')

const CALLS = [
  ['read_file', { path: 'sum.js' }],
  ['edit_file', { path: 'sum.js', edits: [{ find: 'a - b', replace: 'a + b' }] }],
  ['run_command', { command: ['node', '--test'] }],
] as const
/** One call each, and the answer. */
const MODEL_CALLS = CALLS.length + 1
const LIE = 'I fixed sum.js. All tests pass now.'
const HONEST = 'I changed sum.js so that it adds. I could not run the tests: it was denied.'
const RUN = ['run', '--topology', 'SINGLE', 'Fix the failing test']

const server = await startModelServer(({ model, messages }) => {
  const [name, args] = CALLS[messages.filter(({ role }) => role === 'tool').length] ?? []
  if (name === undefined) return model === 'lie' ? LIE : HONEST
  return { calls: [{ name, args: JSON.stringify(args) }] }
})

/** @param config of the person */
const world = (config: object = {}): World =>
  makeWorld(
    {
      'sum.js': 'export const sum = (a, b) => a - b\n',
      'sum.test.js': `import test from 'node:test'
import assert from 'node:assert'
import { sum } from './sum.js'
test('adds', () => assert.equal(sum(1, 2), 3))
`,
      'package.json': { name: 'demo', type: 'module' },
    },
    { 'providers/mine.json': dropIn(server), 'svc.config.json': { persistSessions: false, ...config } },
  )

const codeOf = ({ work }: World): string => readFileSync(join(work, 'sum.js'), 'utf8')

for (const model of ['lie', 'honest']) {
  test(`${model}: the step is tried once, what was allowed stands, and the denial is said once`, async () => {
    const here = world()
    const before = server.asked.length
    const { code, err } = await svc(here, ['--model', `mine/${model}`, '--yes', ...RUN])
    assert.is(code, 7, err)
    assert.is(server.asked.length - before, MODEL_CALLS)
    assert.match(codeOf(here), 'a + b')
    assert.is(err.split('nobody is there').length - 1, 1, err)
    assert.not.match(err, /try 2|inspector/)
    assert.match(JSON.stringify(server.asked.at(-1)?.messages), 'say in your answer that it was not done')
  })
}

test('the rule that is said allows the call where it is pasted into a config', async () => {
  const { err } = await svc(world(), ['--model', 'mine/lie', '--yes', '-q', ...RUN])
  const [, rule] = /"policy": (\{.*\}) \[approval_denied\]/.exec(err) ?? []
  assert.equal(JSON.parse(rule ?? ''), {
    rules: [{ tool: 'run_command', decision: 'allow', command: ['node', '--test'] }],
  })
  const again = await svc(world({ policy: JSON.parse(rule ?? '') }), ['--model', 'mine/lie', '--yes', ...RUN])
  assert.is(again.code, 0, again.err)
})

test.run()
