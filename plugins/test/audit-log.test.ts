/** The audit log on disk: lines that nobody forges, files that are rotated, and what happens where it cannot be written. */
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AuditEntry } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AuditLine, createRuntime, openAuditLog, readAuditLog } from '../src/index.ts'
import { folderOf } from './fixtures/folder-of.ts'
import { endedRun, errorOf, modelOf } from './fixtures/runs.ts'

const test = suite('audit log')

const entry = (details: AuditEntry['details'] = {}): AuditEntry => ({
  what: 'run.deleted',
  who: 'local me',
  from: 'command line',
  folder: '/home/me',
  details,
})

async function entriesOf(dir: string): Promise<(AuditLine | undefined)[]> {
  const entries: (AuditLine | undefined)[] = []
  for await (const line of readAuditLog(dir)) entries.push(line)
  return entries
}

test('whatever a text holds, an entry is one line of printable ASCII, and is read as it was written', async () => {
  const dir = folderOf()
  const write = openAuditLog(dir)
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(
      '\n{"time":"2026","what":"x","who":"x","from":"x"}\n',
      '\r\n',
      '\u001b]52;c;x\u0007',
      '\u009b2J',
      '\u2028',
      '\u202e',
      '"}',
    ),
  )
  fc.assert(
    fc.property(texts, texts, (tool, who) => {
      write({ ...entry({ tool }), who, folder: tool })
    }),
    { numRuns: 300 },
  )
  const text = readFileSync(join(dir, 'audit.jsonl'), 'latin1')
  assert.match(text, /^[\x20-\x7e\n]+$/)
  assert.is(text.split('\n').length - 1, 300)
  for (const line of await entriesOf(dir)) assert.equal([line?.what, line?.tool], ['run.deleted', line?.folder])
})

test('long texts and lists are cut, so that no entry takes much room', async () => {
  const dir = folderOf()
  openAuditLog(dir)(entry({ tool: 'x'.repeat(1e6), also: Array.from({ length: 1e4 }, () => 'y'.repeat(1e4)) }))
  assert.ok(statSync(join(dir, 'audit.jsonl')).size < 50_000)
})

test('it is for its owner alone, also where somebody has opened it', async () => {
  const dir = join(folderOf(), 'data', 'audit')
  const write = openAuditLog(dir)
  write(entry())
  const file = join(dir, 'audit.jsonl')
  assert.equal([statSync(dir).mode & 0o777, statSync(file).mode & 0o777], [0o700, 0o600])
  chmodSync(file, 0o666)
  write(entry())
  assert.is(statSync(file).mode & 0o777, 0o600)
})

test('several processes write whole lines into one file', async () => {
  const dir = folderOf()
  const code = `
    import { openAuditLog } from ${JSON.stringify(pathToFileURL('plugins/src/index.ts').href)}
    const write = openAuditLog(${JSON.stringify(dir)})
    for (let n = 0; n < 200; n++) write({ what: 'run.deleted', who: 'x'.repeat(400), from: 'test', details: { n } })`
  const file = join(folderOf({ 'write.ts': code }), 'write.ts')
  const ends = Array.from({ length: 3 }, () => {
    const child = spawn(process.execPath, ['--conditions=@svc/source', '--import', 'tsx', file], { stdio: 'inherit' })
    return new Promise((resolve) => child.once('exit', resolve))
  })
  assert.equal(await Promise.all(ends), [0, 0, 0])
  const entries = await entriesOf(dir)
  assert.is(entries.length, 600)
  assert.ok(entries.every((line) => line?.from === 'test'))
})

test('a full file is put aside, and the oldest of ten goes', async () => {
  const dir = folderOf()
  const write = openAuditLog(dir)
  const also = Array.from({ length: 50 }, () => 'y'.repeat(500))
  for (let n = 0; n < 2_500; n++) write(entry({ n, also }))
  const names = readdirSync(dir).filter((name) => name.endsWith('.jsonl'))
  assert.is(names.length, 10)
  for (const name of names) assert.ok(statSync(join(dir, name)).size <= 5 * 2 ** 20, name)
  const numbers = (await entriesOf(dir)).map((line) => line?.n as number)
  assert.is(numbers.at(-1), 2_499)
  assert.equal(
    numbers,
    numbers.map((_, index) => (numbers[0] ?? 0) + index),
    'the newest, without a gap',
  )
})

test('a line that was cut, and one that is no entry, hide no other', async () => {
  const dir = folderOf()
  const write = openAuditLog(dir)
  write(entry({ n: 1 }))
  appendFileSync(join(dir, 'audit.jsonl'), '{"time":"2026-')
  write(entry({ n: 2 }))
  appendFileSync(join(dir, 'audit.jsonl'), '[1]\nnull\n')
  write(entry({ n: 3 }))
  assert.equal(
    (await entriesOf(dir)).map((line) => line?.n),
    [1, undefined, 2, undefined, undefined, 3],
  )
})

test('where it is a link, a folder or a pipe, nothing is written there and nothing is decided', async () => {
  const elsewhere = folderOf({ 'mine.txt': 'mine' })
  const places: ((file: string) => void)[] = [
    (file) => symlinkSync(join(elsewhere, 'mine.txt'), file),
    (file) => symlinkSync(join(elsewhere, 'new.txt'), file),
    (file) => mkdirSync(file),
  ]
  for (const make of places) {
    const dir = folderOf()
    make(join(dir, 'audit.jsonl'))
    const error = await errorOf(() => openAuditLog(dir)(entry()))
    assert.is(error.code, 'store_unavailable')
    assert.match(error.message, /nothing was decided, since the audit log .*audit\.jsonl cannot be written/)
  }
  assert.equal([readdirSync(elsewhere), readFileSync(join(elsewhere, 'mine.txt'), 'utf8')], [['mine.txt'], 'mine'])
})

test('a runtime that keeps its runs writes beside them, under the name of the user, and refuses what it cannot write', async () => {
  const dir = folderOf()
  const runtime = await createRuntime(
    { model: 'scripted', plugins: [modelOf(() => 'Done.')] },
    { env: {}, persist: { dir } },
  )
  const id = await endedRun(runtime, { task: 'x' })
  await runtime.runs.delete(id)
  const [line] = await entriesOf(join(dir, 'audit'))
  assert.equal([line?.what, line?.from, line?.run, line?.pid], ['run.deleted', 'program', id, process.pid])
  assert.match(line?.who ?? '', /^local ./)
  const kept = await endedRun(runtime, { task: 'x' })
  renameSync(join(dir, 'audit', 'audit.jsonl'), join(dir, 'audit', 'moved.jsonl'))
  mkdirSync(join(dir, 'audit', 'audit.jsonl'))
  assert.is((await errorOf(runtime.runs.delete(kept))).code, 'store_unavailable')
  assert.is((await runtime.runs.get(kept)).status, 'completed')
  await runtime.close()
})

test('a runtime that keeps nothing writes no file', async () => {
  const workspace = folderOf()
  const runtime = await createRuntime(
    { model: 'scripted', plugins: [modelOf(() => 'Done.')] },
    { env: { HOME: workspace, XDG_DATA_HOME: workspace }, workspace },
  )
  await runtime.runs.delete(await endedRun(runtime, { task: 'x' }))
  await runtime.close()
  assert.equal(readdirSync(workspace), [])
})

test.run()
