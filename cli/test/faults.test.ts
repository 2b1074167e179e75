/** Models and plugins that misbehave, seen from the command line. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Asked, dropIn, type Said, startModelServer } from './fixtures/model-server.ts'
import { each, svc } from './fixtures/svc.ts'
import { makeWorld, STACK } from './fixtures/world.ts'

const test = suite('faults')

const README = '# Demo\n\nIt has 42 widgets.\n'

/** What the model does depends on a word of the task. */
const TRICKS: Readonly<Record<string, (asked: Asked, turn: number) => Said>> = {
  FINE: () => 'There are 42 widgets.',
  NOTHING: () => '',
  MEGABYTE: () => 'widget '.repeat(150_000),
  GHOST: ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? 'Without it then: 42.'
      : { calls: [{ name: 'no_such_tool', args: '{}' }] },
  WRONG: () => ({ calls: [{ name: 'read_file', args: '{"path":7,"nonsense":true}' }] }),
  UNPARSED: () => ({ calls: [{ name: 'read_file', args: '{"path": ' }] }),
  LOOP: () => ({ calls: [{ name: 'read_file', args: '{"path":"README.md"}' }] }),
  WRITE: ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? 'I could not write it.'
      : { calls: [{ name: 'write_file', args: '{"path":"new.txt","content":"hi"}' }] },
  ESCAPES: () => 'red \u001b[31malarm\u001b]0;title\u0007 and \u202eback',
}

const server = await startModelServer((asked, turn) => {
  const text = JSON.stringify(asked.messages)
  const trick = Object.keys(TRICKS).find((name) => text.includes(name))
  return TRICKS[trick ?? 'FINE']?.(asked, turn) ?? ''
})

/** Nothing is recalled, so that a model receives its own task alone. */
const ownFiles = (): Record<string, unknown> => ({
  'providers/mine.json': dropIn(server),
  'svc.config.json': { persistSessions: false },
})

const world = () => makeWorld({ 'README.md': README }, ownFiles())

const run = (word: string, ...flags: string[]): string[] => [
  'run',
  '--topology',
  'SINGLE',
  ...flags,
  `${word}: how many widgets?`,
]

test('a model that answers nothing, too much, or calls what does not exist', async () => {
  const [fine, nothing, megabyte, ghost, wrong, unparsed, loop] = await each(world(), [
    run('FINE'),
    run('NOTHING'),
    run('MEGABYTE', '--json'),
    run('GHOST'),
    run('WRONG', '--json'),
    run('UNPARSED', '--json'),
    run('LOOP', '--json'),
  ])
  assert.is(fine.out, 'There are 42 widgets.\n')
  assert.is(fine.code, 0)
  assert.ok(nothing.code !== 0, 'an empty answer is no success')
  assert.match(nothing.err, /svc: (failed|incomplete): /)
  assert.is(JSON.parse(megabyte.out).summary.length > 900_000 || megabyte.code === 6, true, megabyte.err)
  assert.is(ghost.code, 0, ghost.err)
  assert.match(ghost.out, /42/)
  assert.match(ghost.err, /no_such_tool/)
  for (const outcome of [wrong, unparsed, loop]) {
    assert.is(outcome.code, 6, outcome.err)
    const result = JSON.parse(outcome.out)
    assert.is(result.status, 'incomplete')
    assert.match(result.incomplete.reason, /loop_detected|max_steps|budget_exhausted/)
  }
  for (const { err } of [fine, nothing, megabyte, ghost, wrong, unparsed, loop]) assert.not.match(err, STACK)
})

test('nothing that a model says steers the terminal', async () => {
  const [escapes] = await each(world(), [run('ESCAPES')])
  assert.is(escapes.out, 'red [31malarm]0;title and back\n')
})

test('a write that nobody may approve, or that a rule denies, ends with 7, and --yes approves it', async () => {
  const rules = { policy: { rules: [{ tool: 'write_file', decision: 'deny' }] } }
  const [denied, allowed, rule] = await each(makeWorld({ 'README.md': README, 'deny.json': rules }, ownFiles()), [
    run('WRITE', '-q'),
    run('WRITE', '--yes', '--json'),
    run('WRITE', '-q', '--yes', '--config', 'deny.json'),
  ])
  assert.is(denied.code, 7)
  assert.is(denied.out, 'I could not write it.\n', 'what there is is printed')
  assert.match(denied.err, /^svc: incomplete: write_file may write .*\[approval_denied\]$/m)
  assert.is(JSON.parse(allowed.out).toolCalls.denied, 0)
  assert.is(rule.code, 7)
  assert.match(rule.err, /^svc: incomplete: write_file: rule for write_file: deny \S*\[policy_denied\]$/m)
})

test('a stack is shown by -v alone', async () => {
  const broken = makeWorld({ 'svc.config.mjs': 'throw new Error("on purpose")' })
  const [quiet, verbose] = await Promise.all([svc(broken, 'models --trust'), svc(broken, 'models --trust -v')])
  assert.is(quiet.code, 3)
  assert.not.match(quiet.err, STACK)
  assert.match(verbose.err, STACK)
})

test.run()
