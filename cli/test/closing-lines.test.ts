/** What stands below an answer: how the run ended and what it did, each thing once, also later and in a pipe. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropIn, startModelServer } from './fixtures/model-server.ts'
import { svc } from './fixtures/svc.ts'
import { makeWorld } from './fixtures/world.ts'

const test = suite('closing lines')

const CALLS = [
  ['write_file', { path: 'a.txt', content: 'a' }],
  ['run_command', { command: ['false'] }],
  ['run_command', { command: ['true'] }],
  ['write_file', { path: 'secret.txt', content: 'b' }],
  ['read_file', { path: 'gone.txt' }],
] as const

const NAMING = 'Creé out/x.md, ejecuté `npm test` y envié el informe a bob@acme.io.'

const server = await startModelServer(({ messages }) => {
  const said = JSON.stringify(messages)
  if (said.includes('Haz el trabajo')) return NAMING
  if (said.includes('Read and break'))
    return said.includes('does not exist')
      ? (_, response) => response.writeHead(401).end('{}')
      : { calls: [{ name: 'read_file', args: JSON.stringify({ path: 'gone.txt' }) }] }
  const [name, args] = CALLS[messages.filter(({ role }) => role === 'tool').length] ?? []
  if (name === undefined) return 'I wrote a.txt. I wrote to bob@example.org. 2 + 2 = 5.'
  return { calls: [{ name, args: JSON.stringify(args) }] }
})

const world = makeWorld(
  {},
  {
    'providers/mine.json': dropIn(server),
    'svc.config.json': {
      policy: {
        rules: [
          { tool: 'write_file', decision: 'deny', paths: ['secret.txt'] },
          { tool: 'write_file', decision: 'allow' },
          { tool: 'run_command', decision: 'allow' },
        ],
      },
    },
  },
)

test('each thing that a run did stands once, with its verdict, also where another command shows it', async () => {
  const { err, code } = await svc(world, ['run', 'Write a.txt and mail it to bob@example.org'])
  assert.is(code, 7, err)
  const lines = err
    .split('\n')
    .filter((line) => /^svc: (?:ran|files|sent|not done|named|warning|incomplete)\b/.test(line))
  assert.match(err, /try 2/)
  const id = /svc: (run_\w+)/.exec(err)?.[1] ?? ''
  assert.equal(
    lines.filter((line) => /^svc: (?:ran|files|sent|not done|named)/.test(line)),
    [
      'svc: ran: false (failed, exit 1, run 2 times); true (exit 0, run 2 times)',
      'svc: files: a.txt created',
      'svc: named, not touched in this run: bob@example.org',
    ],
  )
  for (const why of [/does not exist/, /rule for write_file/]) {
    assert.is(lines.filter((line) => why.test(line)).length, 1, String(why))
  }
  assert.match(lines.at(-1) ?? '', /^svc: incomplete, fail \(policy_denied\), .*run_\w+$/)
  const got = await svc(world, ['runs', 'get', id])
  assert.equal(got.err.trimEnd().split('\n'), lines.slice(0, -1))
  assert.is((await svc(world, ['runs', 'get', id, '--json'])).err, '')
})

test('where no tool was called, one line says so and what the answer names', async () => {
  const { err } = await svc(world, ['run', 'Haz el trabajo'])
  const line = 'svc: no tool was called in this run; the answer names: out/x.md; bob@acme.io; npm test\n'
  assert.ok(err.includes(line), err)
  const id = /svc: (run_\w+)/.exec(err)?.[1] ?? ''
  assert.ok((await svc(world, ['runs', 'get', id])).err.includes(line))
})

test('what a run without an answer did and missed is shown later too', async () => {
  const { err } = await svc(world, ['run', 'Read and break'])
  const id = /svc: (run_\w+)/.exec(err)?.[1] ?? ''
  const missed = /svc: not done: read_file gone\.txt failed: .*does not exist/
  assert.match(err, missed)
  assert.match((await svc(world, ['runs', 'get', id])).err, missed)
})

test.run()
