/** The log of calls: what stands in it, where it goes, and what never does. */
import { chmodSync, lchownSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropIn, startModelServer } from './fixtures/model-server.ts'
import { svc } from './fixtures/svc.ts'
import { makeWorld } from './fixtures/world.ts'

const test = suite('log')

const KEY = 'canary-key-of-the-provider'

const server = await startModelServer(({ messages }) =>
  messages.some(({ role }) => role === 'tool')
    ? `The crane is old; the key was ${KEY}.`
    : { calls: [{ name: 'read_file', args: '{"path":"notes.md"}' }] },
)
const world = makeWorld(
  { 'notes.md': `The crane is 40 years old. ${KEY}\n` },
  { 'providers/mine.json': { ...dropIn(server), apiKeyEnv: 'MINE_API_KEY' } },
)

const TASK = ['run', '--topology', 'SINGLE', 'How old is the crane?']
const env = { MINE_API_KEY: KEY }
const linesOf = (text: string): { level: string; type: string; data: Record<string, unknown> }[] =>
  text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))

test('debug writes what models and tools were asked and what they said to standard error, without keys', async () => {
  const { code, out, err } = await svc(world, [...TASK, '--log-level', 'debug'], { env })
  assert.is(code, 0, err)
  assert.match(out, /The crane is old/)
  const lines = linesOf(err)
  assert.equal(
    lines.map(({ type }) => type).filter((type) => type !== 'model.started'),
    [
      'model.request',
      'model.completed',
      'tool.requested',
      'tool.started',
      'tool.completed',
      'model.request',
      'model.completed',
      'message.completed',
    ],
  )
  assert.match(JSON.stringify(lines[0]?.data), /How old is the crane\?/)
  assert.match(JSON.stringify(lines.find(({ type }) => type === 'tool.completed')), /The crane is 40 years old/)
  assert.match(JSON.stringify(lines.at(-1)), /The crane is old; the key was \[redacted\]/)
  assert.not.match(err, KEY)
})

test('info writes each call without what was said', async () => {
  const { err } = await svc(world, TASK, { env: { ...env, SVC_LOG: 'info' } })
  const lines = linesOf(err)
  assert.ok(lines.some(({ type, data }) => type === 'tool.completed' && data.tool === 'read_file'))
  assert.not.match(lines.map((line) => JSON.stringify(line)).join(), /years old|How old|is old/)
})

test('SVC_LOG may name a file, which only its owner reads, and which is added to', async () => {
  const file = join(world.work, 'svc.log')
  for (const flags of [[], ['--log-level', 'info']]) {
    const { code, err } = await svc(world, [...TASK, ...flags], { env: { ...env, SVC_LOG: './svc.log' } })
    assert.is(code, 0, err)
    assert.equal(linesOf(err), [])
  }
  const lines = linesOf(readFileSync(file, 'utf8'))
  assert.equal([...new Set(lines.map(({ level }) => level))], ['debug', 'info'])
  assert.is(statSync(file).mode & 0o777, 0o600)
  assert.not.match(readFileSync(file, 'utf8'), KEY)
})

test('what is neither a level nor a path is refused, and so is a file that cannot be written', async () => {
  const [typo, nowhere, flag] = await Promise.all([
    svc(world, TASK, { env: { ...env, SVC_LOG: 'debgu' } }),
    svc(world, TASK, { env: { ...env, SVC_LOG: './no/such/folder/svc.log' } }),
    svc(world, [...TASK, '--log-level', 'verbose'], { env }),
  ])
  assert.match(typo.err, /SVC_LOG must be off, info, debug, or the path.*not "debgu": did you mean debug\?/)
  assert.is(typo.code, 2)
  assert.match(nowhere.err, /SVC_LOG: ENOENT/)
  assert.is(nowhere.code, 3)
  assert.match(flag.err, /--log-level must be one of off, info, debug, not "verbose"/)
})

if (process.getuid?.() === 0)
  test('a file, or a link, that another user has put there is not written to', async () => {
    const shared = makeWorld().work
    chmodSync(shared, 0o1777)
    const [mine, theirs, link, own] = ['mine', 'theirs', 'link', 'own'].map((name) => join(shared, name)) as [
      string,
      string,
      string,
      string,
    ]
    writeFileSync(mine, 'kept')
    writeFileSync(theirs, '', { mode: 0o666 })
    symlinkSync(mine, link)
    symlinkSync(join(shared, 'fresh'), own)
    for (const path of [theirs, link]) lchownSync(path, 65_534, 65_534)
    for (const path of [theirs, link]) {
      const { code, err } = await svc(world, [...TASK, '--log-level', 'debug'], { env: { ...env, SVC_LOG: path } })
      assert.is(code, 3, err)
      assert.match(err, /SVC_LOG: .*\[config_invalid\]/)
    }
    assert.equal([readFileSync(mine, 'utf8'), readFileSync(theirs, 'utf8')], ['kept', ''])
    for (const path of [join(shared, 'new'), own]) {
      const { code, err } = await svc(world, [...TASK, '--log-level', 'debug'], { env: { ...env, SVC_LOG: path } })
      assert.is(code, 0, err)
      assert.match(readFileSync(path, 'utf8'), /"type":"model\.request"/)
    }
  })

test.run()
