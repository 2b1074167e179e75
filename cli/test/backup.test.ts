/** A copy of what is kept, made while a server works, and put back. */
import { chmodSync, copyFileSync, existsSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Run } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../server/test/fixtures/until.ts'
import { callsOf, hanging, json, notesWorld, runsOf, startNotesServer } from './fixtures/notes.ts'
import { each, svc } from './fixtures/svc.ts'
import { addFiles, begin, makeWorld, type Outcome, type Running, type Words, type World } from './fixtures/world.ts'

const test = suite('svc backup, svc restore')

const model = await startNotesServer()
test.after(() => model.close())

/** In a process of its own, as what a person calls: a process has its files open until the end. */
const own = (here: World, args: Words, env = {}): Promise<Outcome> => begin(here, args, { env }).outcome

const ownRuns = async (here: World): Promise<string[]> =>
  json<{ data: Run[] }>(await own(here, 'runs list --json')).data.map(({ id }) => id)

const fileOf = ({ home }: World): string => join(home, '.local/svc/svc.db')

async function serve(here: World): Promise<{ serving: Running; url: string }> {
  const serving = begin(here, 'serve -q --port 0')
  let url = ''
  serving.child.stdout?.once('data', (text: string) => (url = text.trim()))
  await until(() => url !== '')
  return { serving, url }
}

/** A run that a server has acknowledged. */
async function make(url: string, word: string, query = ''): Promise<string> {
  const response = await fetch(`${url}/v1/runs${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ task: `How old is the crane? ${word}`, topology: 'SINGLE' }),
  })
  assert.ok(response.ok, String(response.status))
  return ((await response.json()) as { id: string }).id
}

test('a server is copied while it works and is killed; restored, each run of before is there, and what was at work ends', async () => {
  const here = notesWorld(model)
  const { serving, url } = await serve(here)
  const ended = await make(url, 'WORD-ended', '?wait=60000')
  hanging.add('WORD-work')
  const atWork = await make(url, 'WORD-work')
  await until(() => callsOf(model, 'WORD-work')[1] > 0)
  const copied = await own(here, 'backup --json copy.db')
  assert.is(copied.code, 0, copied.err)
  const copy = join(here.work, 'copy.db')
  assert.equal(json(copied), { file: copy, runs: 2, bytes: statSync(copy).size })
  assert.is(statSync(copy).mode & 0o777, 0o600)
  const later = await make(url, 'WORD-later', '?wait=60000')

  const early = await own(here, 'restore copy.db')
  assert.is(early.code, 5)
  assert.match(early.err, /svc\.db is used by another process: end svc serve.*\[store_unavailable\]/)
  assert.is((await fetch(`${url}/v1/runs/${later}`)).status, 200, 'the server goes on')

  serving.child.kill('SIGKILL')
  await serving.outcome
  hanging.delete('WORD-work')
  const restored = await own(here, 'restore copy.db --json')
  assert.is(restored.code, 0, restored.err)
  const { replaced, runs } = json<{ replaced: string; runs: number }>(restored)
  assert.is(runs, 2)
  const next = await serve(here)
  const listed = (await (await fetch(`${next.url}/v1/runs`)).json()) as { data: Run[] }
  assert.equal(
    listed.data.map(({ id }) => id),
    [atWork, ended],
  )
  const response = await fetch(`${next.url}/v1/runs/${atWork}?wait=60000`)
  assert.is(((await response.json()) as { status: string }).status, 'completed')
  assert.is(callsOf(model, 'WORD-work')[0], 1, 'the recorded call was not made again')
  next.serving.child.kill('SIGTERM')
  await next.serving.outcome

  // What was replaced is whole: a restore is undone by another one.
  const back = await own(here, ['restore', replaced])
  assert.is(back.code, 0, back.err)
  assert.equal((await ownRuns(here)).sort(), [ended, atWork, later].sort())
})

test('a copy replaces a file only where that is asked for, and never the store', async () => {
  const here = makeWorld({ 'notes.txt': 'mine' })
  const nothing = await svc(here, 'backup copy.db')
  assert.is(nothing.code, 2)
  assert.match(nothing.err, /svc\.db is not there: nothing was kept here yet/)
  await svc(here, ['analyze', 'How old is this folder?'])
  const [taken, forced, store, nowhere, missing] = await each(here, [
    'backup notes.txt',
    'backup --force notes.txt',
    ['backup', '--force', fileOf(here)],
    'backup none/copy.db',
    'backup',
  ])
  assert.equal(
    [taken, forced, store, nowhere, missing].map(({ code }) => code),
    [2, 0, 2, 2, 2],
  )
  assert.match(taken.err, /notes\.txt is there already: name a new file, or replace it with --force/)
  assert.match(store.err, /svc\.db is of the store itself/)
  assert.match(nowhere.err, /copy\.db cannot be written: ENOENT/)
  assert.match(missing.err, /svc backup needs a file/)
  assert.equal(readdirSync(here.work).sort(), ['.git', 'notes.txt'], 'no draft is left')
})

test('what is no whole copy is refused, and what is kept stays as it was', async () => {
  const here = makeWorld({ 'text.db': 'no database', 'empty.db': '' })
  await each(here, [['analyze', 'How old is this folder?'], 'backup copy.db'])
  const copy = join(here.work, 'copy.db')
  const damaged = join(here.work, 'damaged.db')
  copyFileSync(copy, damaged)
  truncateSync(damaged, Math.floor(statSync(damaged).size / 1_024) * 512)
  const refused = async (name: string, why: RegExp): Promise<void> => {
    const outcome: Outcome = await svc(here, ['restore', name])
    assert.is(outcome.code, 2, outcome.err)
    assert.match(outcome.err, why)
    assert.match(outcome.err, /\[validation_failed\]/)
  }
  await refused('none.db', /none\.db is no file/)
  await refused('text.db', /text\.db is no whole store of svc: file is not a database/)
  await refused('empty.db', /empty\.db is no store of svc/)
  await refused('damaged.db', /damaged\.db is (damaged|no whole store)/)
  await refused(fileOf(here), /is the store itself/)
  assert.is((await runsOf(here)).length, 1)
  assert.equal(
    readdirSync(dirname(fileOf(here))).filter((name) => !name.startsWith('svc.db') && name !== 'audit'),
    [],
  )
  assert.not.ok(existsSync(`${copy}-wal`))
})

test('a store that is damaged is replaced, and a copy restores the runs of a folder that has none', async () => {
  const here = makeWorld()
  await own(here, ['analyze', 'How old is this folder?'])
  await own(here, 'backup copy.db')
  writeFileSync(fileOf(here), 'damaged')
  const restored = await own(here, 'restore copy.db')
  assert.is(restored.code, 0, restored.err)
  assert.match(
    restored.out,
    /^restored 1 run from .*copy\.db\nwhat was there is now .*svc\.db\.replaced-\d+T\d+\.\d+Z\n$/,
  )
  assert.is((await ownRuns(here)).length, 1)

  // In a project only a person's own file is used: what a person restores is.
  const there = { ...makeWorld({ 'svc.config.json': {} }), work: here.work }
  addFiles(there.work, { 'svc.config.json': {} })
  assert.is((await own(there, 'trust')).code, 0)
  chmodSync(join(here.work, 'copy.db'), 0o644)
  const again = await own(there, 'restore copy.db')
  assert.is(again.code, 0, again.err)
  assert.is((await ownRuns(there)).length, 1)
  const kept = join(there.work, '.svc/data/svc.db')
  assert.is(statSync(kept).mode & 0o777, 0o600)
})

test('svc migrate makes a store, and does nothing to one of its own format', async () => {
  const here = makeWorld()
  const first = json<{ before: number; format: number }>(await own(here, 'migrate --json'))
  assert.is(first.before, 0)
  assert.equal(json(await own(here, 'migrate --json')), { before: first.format, format: first.format })
  assert.match((await own(here, 'migrate')).out, /has format \d+ already/)
  assert.equal(await ownRuns(here), [])
})

test('where runs are in PostgreSQL, the commands of PostgreSQL are named without the password', async () => {
  const here = makeWorld()
  const env = { SVC_DATABASE_URL: 'postgres://svc:secret-word@127.0.0.1:9/runs' }
  const [backup, restore] = await each(here, ['backup copy.sql', 'restore copy.sql'], env)
  assert.equal([backup.code, restore.code], [2, 2])
  assert.match(backup.err, /pg_dump --schema=svc --schema=svc_dbos --file="[^"]*copy\.sql" "\$SVC_DATABASE_URL"/)
  assert.match(
    restore.err,
    /psql --set=ON_ERROR_STOP=1 --single-transaction --file="[^"]*copy\.sql" "\$SVC_DATABASE_URL"/,
  )
  assert.not.match(backup.err + restore.err, /secret-word/)
})

test.run()
