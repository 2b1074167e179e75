/** The index of words of a data file may be missing or damaged, made by several processes, or come from a backup. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Store } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { backUpFile, restoreFile } from '../src/stores/sqlite/file/backup.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { RENEW_WORD_TABLES } from '../src/stores/sqlite/word-tables.ts'
import { indexed } from './fixtures/indexed.ts'
import { newFile, newFolder, newRow, openStore } from './fixtures/run-rows.ts'

const test = suite('the index of words of a data file')

/** As many as are indexed together, and more. */
const RUNS = 300

async function fill(store: Store, from = 0, count = RUNS): Promise<void> {
  const tasks = Array.from({ length: count }, (_, n) => `look at apple ${from + n}.`)
  await Promise.all(tasks.map((task, n) => store.create(newRow(`run_${from + n}`, { task, create: { task } }), [])))
}

async function idsOf(store: Store, q: string): Promise<string[]> {
  return (await store.runs.list({ q, limit: 100 })).data.map(({ id }) => id)
}

async function assertFinds(store: Store, what: string): Promise<void> {
  assert.equal(await idsOf(store, 'apple 17.'), ['run_17'], what)
  assert.equal(
    await idsOf(store, '7.'),
    Array.from({ length: 30 }, (_, n) => `run_${297 - 10 * n}`),
    what,
  )
  assert.equal(await idsOf(store, 'pear'), [], what)
  assert.is((await store.runs.summarize?.({ q: 'apple 2' }))?.total, 111, what)
}

function change(file: string, sql: string): void {
  const db = new Sqlite(file)
  db.exec(sql)
  db.close()
}

/** What the index itself says of a piece of three letters. */
function saidOf(file: string, gram: string): number {
  const db = new Sqlite(file)
  const rows = db.get('SELECT count(*) AS rows FROM run_grams WHERE run_grams MATCH ?', [`"${gram}"`])?.rows
  db.close()
  return Number(rows)
}

const DAMAGE = [
  'DROP TABLE run_grams',
  'DROP TABLE run_grams_said; DROP TABLE run_indexed',
  "UPDATE run_grams_data SET block = x'ffffffffffffffff'",
  'UPDATE run_grams_data SET block = substr(block, 1, 9) WHERE id > 100',
  'DELETE FROM run_grams_data',
  'DROP TABLE run_grams_config',
]

for (const sql of DAMAGE)
  test(`where it is damaged, searches and removals work, and it is made anew: ${sql}`, async () => {
    for (const first of ['search', 'removal', 'start']) {
      const file = newFile()
      let store = openStore(file)
      await fill(store)
      await indexed(file)
      if (first === 'start') await store.close()
      change(file, sql)
      if (first === 'start') store = openStore(file)
      await fill(store, RUNS, 1)
      if (first === 'removal') await store.runs.delete('run_300')
      await assertFinds(store, first).catch((thrown) => assert.unreachable(`${first}: ${thrown.stack}`))
      if (first !== 'removal') await store.runs.delete('run_300')
      await indexed(file)
      assert.is(saidOf(file, 'app'), RUNS, first)
      await assertFinds(store, first)
      await store.runs.delete('run_17')
      assert.equal(await idsOf(store, 'apple 17.'), [], first)
      await store.close()
    }
  })

test('two processes that write it at once index each run once', async () => {
  const file = newFile()
  const store = openStore(file)
  await fill(store, 0, 2_000)
  await store.close()
  change(file, RENEW_WORD_TABLES)
  const processes = Array.from({ length: 2 }, () =>
    spawn(process.execPath, [...argumentsFor(new URL('./fixtures/word-indexer.ts', import.meta.url)), file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const codes = (await Promise.all(processes.map((process) => once(process, 'close')))).map(([code]) => code)
  assert.equal(codes, [0, 0])
  const db = new Sqlite(file)
  const twice = "SELECT doc FROM run_grams_said WHERE term = 'app' GROUP BY doc HAVING count(*) > 1"
  assert.equal(db.all(twice), [])
  db.exec("INSERT INTO run_grams (run_grams) VALUES ('integrity-check')")
  db.close()
  assert.is(saidOf(file, 'app'), 2_000)
})

test('a backup has it, and where one without it is put back it is made anew', async () => {
  const file = newFile()
  const store = openStore(file)
  await fill(store)
  await indexed(file)
  const copy = join(newFolder(), 'copy.db')
  backUpFile(file, copy, false)
  await fill(store, RUNS, 5)
  await store.close()
  assert.is(saidOf(copy, 'app'), RUNS)
  for (const sql of ['', 'DROP TABLE run_grams']) {
    change(copy, sql)
    // The driver lets go of a file some time after it was closed: a place of its own for each.
    const place = newFile()
    restoreFile(copy, place)
    const again = openStore(place)
    await assertFinds(again, sql)
    await indexed(place)
    await again.close()
    assert.is(saidOf(place, 'app'), RUNS)
  }
})

test.run()
