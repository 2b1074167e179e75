/** `--mode plan`: a run that reads, and changes nothing. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Run, RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Asked, dropIn, type Said, startModelServer } from '../fixtures/model-server.ts'
import { jsonLines, svc } from '../fixtures/svc.ts'
import { makeWorld } from '../fixtures/world.ts'

const test = suite('plan mode')

const CALLS = [
  { name: 'read_file', args: { path: 'a.txt' } },
  { name: 'write_file', args: { path: 'b.txt', content: 'two' } },
  { name: 'run_command', args: { command: ['touch', 'c.txt'] } },
  { name: 'remember', args: { kind: 'fact', content: 'It was one.' } },
]
let say: (asked: Asked) => Said = ({ messages }) => {
  const next = CALLS[messages.filter(({ role }) => role === 'tool').length]
  return next === undefined ? 'Write b.txt.' : { calls: [{ name: next.name, args: JSON.stringify(next.args) }] }
}
const server = await startModelServer((asked) => say(asked))
const denied = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.type === 'tool.denied' ? [[event.data.tool, event.data.rule, event.data.error?.code]] : [],
  )

const ALL_DENIED = ['write_file', 'run_command', 'remember'].map((tool) => [tool, 'mode:plan', 'policy_denied'])

test('what reads is done, every other call is denied whatever is allowed, and neither a fork nor a resumed run may do more', async () => {
  const rules = [{ tool: '*', decision: 'allow' }]
  const here = makeWorld(
    { 'a.txt': 'one' },
    { 'providers/mine.json': dropIn(server), 'svc.config.json': { policy: { rules } } },
  )
  const first = server.asked.length
  const run = await svc(here, ['run', '--mode', 'plan', '--yes', '--output', 'stream-json', 'Change it'])
  const events = jsonLines<RunEvent>(run.out)
  assert.equal(denied(events), ALL_DENIED, run.err)
  assert.match(run.out, /this run only plans: it calls tools of risk read, and write_file is write/)
  assert.match(JSON.stringify(server.asked[first]?.messages[0]), /Plan only: this run reads/)
  assert.ok(events.some(({ type, data }) => type === 'tool.completed' && JSON.stringify(data).includes('one')))
  const id = events[0]?.runId ?? ''
  const shown = JSON.parse((await svc(here, ['runs', 'get', id, '--json'])).out) as Run
  assert.is(shown.readOnly, true)
  assert.match((await svc(here, ['runs', 'get', id])).out, /mode +execute, reading only/)

  const planned = events.find(({ type }) => type === 'plan.created')?.seq ?? 0
  const fork = await svc(here, ['runs', 'fork', id, '--at', String(planned), '--output', 'stream-json'])
  assert.equal(denied(jsonLines<RunEvent>(fork.out)), ALL_DENIED, fork.err)
  say = () => 'Write b.txt.'
  const listed = JSON.parse((await svc(here, 'runs list --json')).out) as { data: Run[] }
  assert.equal(
    listed.data.map(({ readOnly }) => readOnly),
    [true, true],
  )
  assert.not.ok(['b.txt', 'c.txt'].some((name) => existsSync(join(here.work, name))))

  const plain = await svc(here, ['run', '--json', 'Change it'])
  assert.not.match(JSON.stringify(server.asked.at(-1)), /Plan only/)
  assert.is(plain.code, 0, plain.err)
})

test('each turn of a chat is one, and another word is refused', async () => {
  const here = makeWorld({}, { 'providers/mine.json': dropIn(server) })
  say = ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? 'Write b.txt.'
      : { calls: [{ name: 'write_file', args: JSON.stringify({ path: 'b.txt', content: 'two' }) }] }
  const chat = await svc(here, 'chat --mode plan --yes', { input: 'Change it\nAgain\n' })
  assert.is(chat.err.match(/write_file: denied: this run only plans/g)?.length, 2, chat.err)
  assert.not.ok(existsSync(join(here.work, 'b.txt')))
  const wrong = await svc(here, ['run', '--mode', 'plans', 'Change it'])
  assert.is(wrong.code, 2)
  assert.match(wrong.err, /--mode must be one of execute, plan, not "plans": did you mean plan\? \[validation_failed\]/)
})

test.after(() => server.close())
test.run()
