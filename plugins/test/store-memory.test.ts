import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { DATA_FILE, DataStore, type DataStoreOptions, StoredMemory } from '../src/stores/index.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { until } from './fixtures/until.ts'

const test = suite('memory that outlives the process')
const WRITER = new URL('./fixtures/store-writer.ts', import.meta.url)

const folders: string[] = []
const memories: StoredMemory[] = []
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-store-'))
  folders.push(folder)
  return folder
}
function open(dir: string, options: Omit<DataStoreOptions, 'dir'> = {}): StoredMemory {
  const memory = new StoredMemory(new DataStore({ dir, ...options }))
  memories.push(memory)
  return memory
}
test.after.each(async () => {
  for (const memory of memories.splice(0)) await memory.close()
})
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const contents = async (memory: StoredMemory): Promise<string[]> =>
  (await memory.list({ limit: 100, order: 'asc' })).data.map(({ content }) => content)

const bytesOf = (dir: string): string =>
  [DATA_FILE, `${DATA_FILE}-wal`]
    .map((name) => {
      try {
        return readFileSync(join(dir, name), 'latin1')
      } catch {
        return ''
      }
    })
    .join('')

/** A process that writes; resolves when it is at work. */
async function startWriter(dir: string, ...rest: string[]) {
  const child = spawn(process.execPath, [...argumentsFor(WRITER), dir, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  const ended = once(child, 'close')
  return { child, ended, kept: () => said.split('\n').slice(1, -1) }
}

test('what one process remembers, the next one finds', async () => {
  const dir = newFolder()
  const first = open(dir)
  const written = await first.write({
    content: 'The release train leaves on Thursdays',
    kind: 'fact',
    tags: ['release'],
  })
  await first.close()
  const second = open(dir)
  assert.equal(await second.get(written.id), written)
  const { data } = await second.query({ query: 'When does the release train leave?' })
  assert.equal(
    data.map(({ id }) => id),
    [written.id],
  )
  assert.equal(second.takeWarnings(), [])
})

test('how often something was found is kept too, without a commit for each query', async () => {
  const dir = newFolder()
  const first = open(dir)
  const { id } = await first.write({ content: 'The release train leaves on Thursdays' })
  for (let round = 0; round < 3; round++) await first.query({ query: 'release train' })
  await first.close()
  assert.is((await open(dir).get(id))?.accessCount, 3)
})

test('a process sees what another one adds, changes and deletes while both are at work', async () => {
  const dir = newFolder()
  const [one, other] = [open(dir), open(dir)]
  assert.equal(await contents(one), [])
  const added = await other.write({ content: 'The port is 4000', layer: 'long-term', kind: 'fact' })
  assert.equal(await contents(one), ['The port is 4000'])
  await one.write({ content: 'The port is 5000', layer: 'long-term', kind: 'fact' })
  assert.ok((await other.get(added.id))?.validTo, 'the older fact ends in both')
  assert.ok(await one.forget(added.id))
  assert.is(await other.get(added.id), undefined)
  // What is deleted stays so, also where a copy of it was in use.
  await other.query({ query: 'port' })
  await other.close()
  assert.equal(await contents(open(dir)), ['The port is 5000'])
})

test('calls at once are answered as if they came one after the other', async () => {
  const dir = newFolder()
  const [one, other] = [open(dir), open(dir)]
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? one : other).write({ content: `note number ${index}` }),
    ),
  )
  assert.is((await contents(one)).length, 20)
  assert.equal(await contents(one), await contents(other))
})

test('what runs wrote in one folder is not seen from another, what people said is', async () => {
  const dir = newFolder()
  const here = open(dir, { space: '/here' })
  const there = open(dir, { space: '/there' })
  await here.write({ content: 'Asked: who owns the ledger?', source: { runId: 'run_1', origin: 'model' } })
  await here.write({ content: 'remembered by a model', source: { origin: 'model' } })
  await here.write({ content: 'said by a person' })
  assert.equal(await contents(there), ['said by a person'])
  assert.is((await contents(open(dir, { space: '/here' }))).length, 3)
  assert.equal(await contents(open(dir, { space: '/there' })), ['said by a person'])
})

test('one id may stand for different records of two folders', async () => {
  const dir = newFolder()
  const ports = { newId: () => 'mem_same' }
  const source = { runId: 'run_1', origin: 'model' as const }
  await open(dir, { space: '/here' }).write({ content: 'of here', source }, ports)
  await open(dir, { space: '/there' }).write({ content: 'of there', source }, ports)
  assert.equal(await contents(open(dir, { space: '/here' })), ['of here'])
  assert.equal(await contents(open(dir, { space: '/there' })), ['of there'])
})

test('what is forgotten is gone from the files', async () => {
  const dir = newFolder()
  const memory = open(dir)
  for (let index = 0; index < 50; index++) await memory.write({ content: `padding ${index} `.repeat(40) })
  const { id } = await memory.write({ content: 'the password is hunter2-xyzzy' })
  await memory.query({ query: 'password' })
  assert.match(bytesOf(dir), 'hunter2-xyzzy')
  assert.ok(await memory.forget(id))
  assert.not.match(bytesOf(dir), 'hunter2-xyzzy')
  assert.not.ok(await memory.forget(id))
  await memory.close()
  assert.not.match(bytesOf(dir), 'hunter2-xyzzy')
})

test('only what is new since the last consolidation counts, whichever process asks', async () => {
  const dir = newFolder()
  const first = open(dir)
  for (let index = 0; index < 5; index++) await first.write({ content: `event number ${index}` })
  assert.is(first.unconsolidated, 5)
  await first.consolidate()
  assert.is(first.unconsolidated, 0)
  await first.close()
  const second = open(dir)
  await second.write({ content: 'one more' })
  assert.is(second.unconsolidated, 1)
})

test('damaged records are left out with a warning, and the others are there', async () => {
  const dir = newFolder()
  const memory = open(dir)
  for (const content of ['first thing', 'second thing', 'third thing', 'fourth thing', 'fifth thing']) {
    await memory.write({ content })
  }
  await memory.close()
  const db = new Sqlite(join(dir, DATA_FILE))
  db.run("UPDATE memories SET body = replace(body, 'second', 'sEcond') WHERE seq = 2")
  db.run('UPDATE memories SET body = ?, crc = 0 WHERE seq = 3', ['{"__proto__":{"polluted":1}'])
  db.run('UPDATE memories SET body = NULL WHERE 0')
  db.close()
  const again = open(dir)
  assert.equal(await contents(again), ['first thing', 'fourth thing', 'fifth thing'])
  assert.equal(
    again.takeWarnings().map(({ code }) => code),
    ['memory_damaged'],
  )
  assert.equal(again.takeWarnings(), [])
  assert.is(({} as { polluted?: number }).polluted, undefined)
  await again.write({ content: 'sixth thing' })
})

test('summaries of runs beyond the quota go, and nothing that a person said', async () => {
  const dir = newFolder()
  const source = { runId: 'run_1', origin: 'model' as const }
  const memory = open(dir, { space: '/here' })
  await memory.write({ content: 'said by a person', kind: 'summary' })
  for (let index = 0; index < 12; index++) await memory.write({ content: `Asked: ${index}`, kind: 'summary', source })
  await memory.close()
  const kept = await contents(open(dir, { space: '/here', quotas: { summaries: 3 } }))
  assert.equal(kept, ['said by a person', 'Asked: 9', 'Asked: 10', 'Asked: 11'])
})

test('what runs wrote goes after the days that it is kept, and when the file is too large', async () => {
  const source = { runId: 'run_1', origin: 'model' as const }
  for (const [quotas, left] of [
    [{ retainDays: 30 }, ['said by a person']],
    [{ retainDays: 400 }, ['said by a person', 'found by a run']],
    [{ bytes: 20_000 }, ['said by a person']],
  ] as const) {
    const dir = newFolder()
    const yearAgo = Date.now() - 365 * 86_400_000
    const memory = open(dir)
    const time = { now: () => yearAgo }
    await memory.write({ content: 'said by a person' }, time)
    await memory.write({ content: 'found by a run', source }, time)
    await memory.close()
    assert.equal(await contents(open(dir, { quotas })), left)
  }
})

test('two processes that write at once lose nothing', async () => {
  const dir = newFolder()
  const writers = await Promise.all([startWriter(dir, 'one', '40'), startWriter(dir, 'two', '40')])
  for (const { ended } of writers) assert.equal((await ended)[0], 0)
  const found: string[] = []
  const memory = open(dir)
  for (let after: string | undefined, more = true; more; ) {
    const page = await memory.list({ limit: 100, ...(after === undefined ? {} : { after }) })
    found.push(...page.data.map(({ id }) => id))
    after = page.nextCursor
    more = page.hasMore
  }
  const kept = writers.flatMap((writer) => writer.kept())
  assert.is(kept.length, 80)
  assert.equal([...found].sort(), [...kept].sort())
})

test('a writer that is killed in the middle loses nothing that it had reported, and damages nothing', async () => {
  const dir = newFolder()
  const kept: string[] = []
  for (let round = 0; round < 2; round++) {
    const writer = await startWriter(dir, `round ${round}`)
    await until(() => writer.kept().length >= 15 + 7 * round)
    writer.child.kill('SIGKILL')
    await writer.ended
    kept.push(...writer.kept())
  }
  const db = new Sqlite(join(dir, DATA_FILE))
  assert.equal(db.get('PRAGMA integrity_check'), { integrity_check: 'ok' })
  const ids = new Set(db.all('SELECT id FROM memories').map(({ id }) => id))
  db.close()
  assert.equal(
    kept.filter((id) => !ids.has(id)),
    [],
  )
  assert.ok(ids.size <= kept.length + 2, 'at most the one that was being written, each time')
  const memory = open(dir)
  await memory.write({ content: 'and on it goes' })
  assert.equal(memory.takeWarnings(), [])
})

test('of 10 000 records the one that is asked for is found', async () => {
  const dir = newFolder()
  const store = new DataStore({ dir })
  const db = store.open()
  const seed = await open(newFolder()).write({ content: 'seed' })
  const { seal } = await import('../src/stores/seal.ts')
  db.transaction(() => {
    for (let index = 0; index < 10_000; index++) {
      const id = `mem_${String(index).padStart(26, '0')}`
      const content = `In week ${index % 52} team ${index % 17} moved service ${index} to region ${index % 5} of the cluster`
      const { body, crc } = seal({ ...seed, id, content })
      db.run(
        "INSERT INTO memories (id, space, layer, kind, created_at, body, crc) VALUES (?, '', 'episodic', 'event', ?, ?, ?)",
        [id, index, body, crc],
      )
    }
  })
  store.close()
  const memory = open(dir)
  for (const service of [4711, 4712]) {
    const { data } = await memory.query({ query: `Where was service ${service} moved to?` })
    assert.match(data[0]?.content ?? '', `service ${service}`)
  }
})

test.run()
