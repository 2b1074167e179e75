/** A file of an earlier svc: what was in it is there afterwards, and goes on. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { definePlugin, type Lesson, type MemoryRecord, type Runtime, type Store, SvcError } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { answerOf } from '@svc/core/text'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { createRuntime, StoredLessons, StoredOutcomes } from '../src/index.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { memoryIn, openMemory } from './fixtures/memories.ts'
import { newFile, openStore } from './fixtures/run-rows.ts'

const test = suite('a data file of an earlier version')

const fixture = (name: string): Buffer => readFileSync(new URL(`fixtures/stores/${name}`, import.meta.url))

/** What version 7 read of each run: how many events, and a digest of row, events, steps and commands. */
const KNOWN: Record<string, { id: string; status: string; events: number; digest: string }> = JSON.parse(
  fixture('version-7.json').toString(),
)

/** What version 8 remembered in two folders, of which one had a run. */
const LEFT: {
  run: string
  memories: Record<string, MemoryRecord[]>
  lessons: Record<string, Lesson[]>
  outcomes: Record<string, unknown[]>
  unconsolidated: Record<string, number>
} = JSON.parse(fixture('version-8.json').toString())

/** What version 10 read of each run, as a digest. */
const READ: Record<string, string> = JSON.parse(fixture('version-10.json').toString())

function oldFile(change: (db: Sqlite) => void = () => {}, version = 7): string {
  const file = newFile()
  writeFileSync(file, gunzipSync(fixture(`version-${version}.db.gz`)))
  const db = new Sqlite(file)
  change(db)
  db.purge()
  db.close()
  return file
}

/** With the fields of each object in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(fields.map(([name, held]) => [name, sorted(held)]))
}

async function digestOf(store: Store, id: string): Promise<string> {
  const read = [await store.runs.get(id), await store.events.list(id), await store.steps(id), await store.commands(id)]
  return createHash('sha256')
    .update(JSON.stringify(sorted(read)))
    .digest('hex')
}

/** When the files were made, and a question in them was still open. */
const MADE_AT = Date.parse('2026-11-24T00:00:00.000Z')
const opened = Date.now()

/** @param onSend called when the tool that waited for an approval acts */
const startOn = (file: string, onSend: () => void): Promise<Runtime> =>
  createRuntime(
    { model: 'scripted/scripted', store: { space: 'fixture' }, components: { consensus: false } },
    {
      env: {},
      clock: () => MADE_AT + Date.now() - opened,
      persist: { dir: dirname(file) },
      plugins: [
        definePlugin('parts', ({ providers, tools }) => {
          providers.add(
            'scripted',
            scriptedProvider('scripted', () => 'It is 42.'),
          )
          const parameters = { type: 'object', properties: { what: { type: 'string' } } }
          tools.add('send', {
            id: 'send',
            description: 'Sends.',
            parameters,
            risk: 'write',
            run: async () => {
              onSend()
              return 'sent'
            },
          })
          tools.add('look', { id: 'look', description: 'Looks.', parameters, risk: 'read', run: async () => 'seen' })
        })(),
      ],
    },
  )

test('each run is read as it was, with its events, steps and result, and what was before is kept beside it', async () => {
  const file = oldFile()
  const store = openStore(file, { space: 'fixture' })
  for (const [name, { id, status, events, digest }] of Object.entries(KNOWN)) {
    assert.is((await store.runs.get(id))?.status, status, name)
    assert.is((await store.events.list(id)).length, events, name)
    assert.is(await digestOf(store, id), digest, name)
  }
  const { data } = await store.runs.list({ limit: 100 })
  assert.is(data.length, Object.keys(KNOWN).length)
  assert.equal(
    (await store.runs.list({ tag: 'files' })).data.map(({ id }) => id),
    [KNOWN['large again']?.id, KNOWN.large?.id],
  )
  assert.is((await store.runs.summarize?.({ minTokens: 1 }))?.byStatus.completed, 5)
  await store.close()
  assert.is(statSync(`${file}.v7.bak`).mode & 0o777, 0o600)
  const fresh = newFile()
  await openStore(fresh).close()
  assert.not.ok(existsSync(`${fresh}.v0.bak`))
})

test('its tables become those of a new file', async () => {
  const tablesOf = async (file: string): Promise<unknown[]> => {
    await openStore(file).close()
    const db = new Sqlite(file)
    const names = db.all("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
    const columns: unknown[] = names.map(({ type, name }) => {
      const all = db.all(`SELECT name, type, "notnull" FROM pragma_table_info('${name}')`)
      return [type, name, all.map((column) => JSON.stringify(column)).sort()]
    })
    db.close()
    return columns
  }
  const made = await tablesOf(newFile())
  for (const version of [7, 8, 10]) assert.equal(await tablesOf(oldFile(() => {}, version)), made)
})

test('runs whose checksums did not cover all columns are read as they were, found by their words, and kept beside', async () => {
  const file = oldFile((db) => db.exec("UPDATE runs SET state = '{}' WHERE id = 'run_2'"), 10)
  const store = openStore(file)
  for (const [id, digest] of Object.entries(READ)) if (id !== 'run_2') assert.is(await digestOf(store, id), digest)
  const { data } = await store.runs.list({ limit: 100 })
  assert.equal(
    data.map(({ id, error }) => [id, error?.code]),
    [
      ['run_3', undefined],
      ['run_2', 'log_corrupt'],
      ['run_1', undefined],
      ['run_0', undefined],
    ],
  )
  for (const [q, ids] of Object.entries({ count: ['run_3', 'run_0'], 天気: ['run_1'], pear: ['run_2'], plum: [] }))
    assert.equal(
      (await store.runs.list({ q })).data.map(({ id }) => id),
      ids,
      q,
    )
  await store.runs.delete('run_2')
  assert.equal((await store.runs.list({ q: 'pear' })).data, [])
  await store.close()
  const kept = new Sqlite(`${file}.v10.bak`)
  assert.is(kept.get('SELECT max(version) AS version FROM svc_schema')?.version, 10)
  assert.is(kept.get('SELECT count(*) AS runs FROM runs')?.runs, 4)
  kept.close()
})

test('what waited or was queued goes on, and what was remembered and learnt is there', async () => {
  const file = oldFile()
  let sent = 0
  const runtime = await startOn(file, () => {
    sent++
  })
  const waiting = KNOWN.waiting?.id ?? ''
  const { data } = await runtime.approvals.list({ status: 'pending' })
  assert.equal(
    data.map(({ runId }) => runId),
    [waiting],
  )
  await runtime.approvals.resolve(data[0]?.id ?? '', { decision: 'approve' })
  for (const name of ['queued', 'queued second']) {
    const { status, result } = await runtime.runs.wait(KNOWN[name]?.id ?? '')
    assert.is(status, 'completed')
    assert.is((result as { summary: string }).summary, 'It is 42.')
  }
  assert.ok((await runtime.runs.wait(waiting)).finishedAt)
  assert.is(sent, 1)
  const { data: remembered } = await runtime.memory.query({ query: 'office closed' })
  assert.is(remembered[0]?.content, 'The office is closed on Fridays.')
  const again = await runtime.runs.create(
    { task: 'What is 6 times 7?', tags: ['sums'], priority: 3 },
    { idempotencyKey: 'first' },
  )
  assert.is(again.id, KNOWN.short?.id)
  await runtime.close()
  const store = openStore(file)
  assert.ok((await new StoredOutcomes(store, 'fixture').list()).length >= 6)
  const lessons = await new StoredLessons(store, 'fixture').list()
  assert.ok(lessons.some(({ trigger }) => trigger === 'a test needs the network'))
  await store.close()
})

test('memories, lessons and outcomes that had tables of their own are there, each in its folder', async () => {
  const file = oldFile(() => {}, 8)
  for (const space of ['fixture', 'elsewhere']) {
    const store = openStore(file)
    const { memory, close } = memoryIn(store, { space })
    assert.equal((await memory.list({ limit: 100, order: 'asc' })).data, LEFT.memories[space])
    assert.is(memory.unconsolidated, LEFT.unconsolidated[space])
    assert.equal(await new StoredLessons(store, space).list(), LEFT.lessons[space])
    assert.equal(await new StoredOutcomes(store, space).list(), LEFT.outcomes[space])
    assert.is((await store.runs.get(LEFT.run))?.status, 'completed')
    // Both are found again under their ids.
    await new StoredLessons(store, space).add(LEFT.lessons[space]?.[0] as Lesson)
    assert.is((await new StoredLessons(store, space).list()).length, 2)
    await close()
  }
  assert.ok(existsSync(`${file}.v8.bak`))
})

test('of what was remembered, only what is damaged is left out', async () => {
  const file = oldFile((db) => {
    db.exec('UPDATE memories SET crc = crc + 1 WHERE seq = 1')
    db.exec("UPDATE lessons SET crc = crc + 1 WHERE seq = 1; UPDATE outcomes SET body = '{' WHERE seq = 2")
  }, 8)
  const damaged: number[] = []
  const { memory, store, close } = openMemory(dirname(file), {
    space: 'fixture',
    onDamage: (count) => damaged.push(count),
  })
  assert.equal((await memory.list({ limit: 100, order: 'asc' })).data, LEFT.memories.fixture?.slice(1))
  assert.equal(damaged, [1])
  assert.is((await new StoredLessons(store, 'fixture').list()).length, 1)
  assert.is((await new StoredOutcomes(store, 'fixture').list()).length, 2)
  await close()
})

test('processes that open it at once, and are killed at it, leave it whole: as it was, or brought up to date', async () => {
  for (const delayMs of [undefined, 0, 3, 10, 25]) {
    const file = oldFile(() => {}, 8)
    const processes = Array.from({ length: 2 }, () =>
      spawn(process.execPath, [...argumentsFor(new URL('./fixtures/store-opener.ts', import.meta.url)), file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    const ended = processes.map((process) => once(process, 'close'))
    if (delayMs !== undefined) {
      await Promise.all(processes.map(({ stdout }) => once(stdout, 'data')))
      setTimeout(() => processes.map((process) => process.kill('SIGKILL')), delayMs)
    }
    const codes = (await Promise.all(ended)).map(([code]) => code)
    if (delayMs === undefined) assert.equal(codes, [0, 0])
    const { memory, close } = openMemory(dirname(file), { space: 'fixture' })
    assert.equal((await memory.list({ limit: 100, order: 'asc' })).data, LEFT.memories.fixture)
    await close()
  }
})

test('runs that ended before are found by what they answered and by model, and their costs are added up', async () => {
  for (const version of [7, 8]) {
    const store = openStore(oldFile(undefined, version))
    const { data } = await store.runs.list({ limit: 100 })
    const ended = data.filter(({ result }) => answerOf(result) !== '')
    assert.ok(ended.length > 0)
    for (const { id, result } of ended) {
      const found = await store.runs.list({ limit: 100, q: answerOf(result).slice(0, 400).toUpperCase() })
      assert.ok(found.data.map((run) => run.id).includes(id), `${version}: ${id}`)
    }
    const used = data.filter(({ usage }) => usage.inputTokens > 0)
    const costs = (await store.runs.costs?.({ per: 'month', by: 'model', utcOffsetMinutes: 0, limit: 9 })) ?? []
    assert.equal(
      costs.map(({ name, runs, tokens }) => [name, runs, tokens]),
      [
        [
          'scripted/scripted',
          used.length,
          used.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0),
        ],
      ],
    )
    assert.is((await store.runs.list({ limit: 100, model: 'scripted/scripted' })).data.length, used.length)
    await store.close()
  }
})

test('a damaged run stays so, with what stands before the damage, and takes no other along', async () => {
  const ids = { log: KNOWN.long?.id ?? '', texts: KNOWN.large?.id ?? '', row: KNOWN.short?.id ?? '' }
  const file = oldFile((db) => {
    const rowsOf = (id: string): string => {
      const seq = Number(db.get('SELECT seq FROM runs WHERE id = ?', [id])?.seq)
      return `id BETWEEN ${seq * 2 ** 24} AND ${(seq + 1) * 2 ** 24 - 1}`
    }
    const fifth = `(SELECT id FROM run_log WHERE ${rowsOf(ids.log)} ORDER BY id LIMIT 1 OFFSET 4)`
    db.exec(`UPDATE run_log SET crc = crc + 1 WHERE id = ${fifth}`)
    db.exec(`UPDATE run_texts SET crc = crc + 1 WHERE ${rowsOf(ids.texts)}`)
    db.run('UPDATE runs SET crc = crc + 1 WHERE id = ?', [ids.row])
  })
  const store = openStore(file)
  const codeOf = async (work: () => unknown): Promise<string> => {
    try {
      await work()
      return 'nothing thrown'
    } catch (thrown) {
      return SvcError.isInstance(thrown) ? thrown.code : String(thrown)
    }
  }
  for (const id of [ids.log, ids.texts]) {
    assert.is(await codeOf(() => store.events.list(id)), 'log_corrupt')
    const before = await store.events.list(id, { upToDamage: true })
    assert.ok(before.length > 0 && before.length < 34)
  }
  assert.is(await codeOf(() => store.runs.get(ids.row)), 'log_corrupt')
  for (const { id, digest } of Object.values(KNOWN)) {
    if (!Object.values(ids).includes(id)) assert.is(await digestOf(store, id), digest)
  }
  await store.close()
})

test('a file of before the first release is left alone, and the message says what to do', () => {
  const file = oldFile((db) => db.exec('DELETE FROM svc_schema WHERE version > 4'))
  const before = readFileSync(file)
  assert.throws(() => openStore(file), /before the first release of svc \(format 4; .* move it away/)
  assert.equal(readFileSync(file), before)
  assert.not.ok(existsSync(join(dirname(file), 'svc.db.v4.bak')))
})

test.run()
