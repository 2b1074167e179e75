import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMemoryStore } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { contentsOf, DATA_FILE, memoryIn, openMemory, testMemories } from './fixtures/memories.ts'
import { newFolder } from './fixtures/run-rows.ts'
import { until } from './fixtures/until.ts'

const test = suite('memory that outlives the process')
const WRITER = new URL('./fixtures/store-writer.ts', import.meta.url)

for (const [name, home] of [
  [
    'in a file',
    () => {
      const dir = newFolder()
      return async (options) => openMemory(dir, options)
    },
  ],
  [
    'of a process',
    () => {
      const store = createMemoryStore()
      return async (options) => memoryIn(store, options)
    },
  ],
] satisfies [string, Parameters<typeof testMemories>[1]][]) {
  const ofStore = suite(`memory ${name}`)
  testMemories(ofStore, home)
  ofStore.run()
}

const bytesOf = (dir: string): string =>
  [DATA_FILE, `${DATA_FILE}-wal`].map((name) => readFileSync(join(dir, name), 'latin1')).join('')

/** A process that writes. */
function startWriter(dir: string, ...rest: string[]) {
  const child = spawn(process.execPath, [...argumentsFor(WRITER), dir, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  const ended = once(child, 'close')
  return { child, ended, kept: () => said.split('\n').slice(1, -1) }
}

test('what is forgotten is gone from the files', async () => {
  const dir = newFolder()
  const { memory, close } = openMemory(dir)
  for (let index = 0; index < 50; index++) await memory.write({ content: `padding ${index} `.repeat(40) })
  const { id } = await memory.write({ content: 'the password is hunter2-xyzzy' })
  await memory.query({ query: 'password' })
  assert.match(bytesOf(dir), 'hunter2-xyzzy')
  assert.ok(await memory.forget(id))
  assert.not.match(bytesOf(dir), 'hunter2-xyzzy')
  assert.not.ok(await memory.forget(id))
  await close()
})

test('damaged records are left out, and the others are there', async () => {
  const dir = newFolder()
  const first = openMemory(dir)
  for (const name of ['first', 'second', 'third', 'fourth']) await first.memory.write({ content: `${name} thing` })
  await first.close()
  const db = new Sqlite(join(dir, DATA_FILE))
  db.run("UPDATE records SET body = replace(body, 'second', 'sEcond') WHERE seq = 2")
  db.run('UPDATE records SET body = ?, crc = 0 WHERE seq = 3', ['{"__proto__":{"polluted":1}'])
  db.close()
  const damaged: number[] = []
  const again = openMemory(dir, { onDamage: (count) => damaged.push(count) })
  assert.equal(await contentsOf(again.memory), ['first thing', 'fourth thing'])
  await again.memory.write({ content: 'fifth thing' })
  assert.equal(damaged, [2])
  assert.is(({} as { polluted?: number }).polluted, undefined)
  await again.close()
})

test('two processes that write at once lose nothing, nor does one that is killed what it had reported', async () => {
  const dir = newFolder()
  const writers = [startWriter(dir, 'one', '40'), startWriter(dir, 'two', '40'), startWriter(dir, 'killed')]
  const [one, two, killed] = writers
  await until(() => (killed?.kept().length ?? 0) >= 15)
  killed?.child.kill('SIGKILL')
  assert.equal((await one?.ended)?.[0], 0)
  assert.equal((await two?.ended)?.[0], 0)
  await killed?.ended
  const kept = writers.flatMap((writer) => writer.kept())
  const db = new Sqlite(join(dir, DATA_FILE))
  assert.equal(db.get('PRAGMA integrity_check'), { integrity_check: 'ok' })
  const ids = new Set(db.all("SELECT id FROM records WHERE kind = ':memory'").map(({ id }) => id))
  db.close()
  assert.equal(
    kept.filter((id) => !ids.has(id)),
    [],
  )
  assert.ok(ids.size <= kept.length + 1, 'at most the one that was being written')
  const { memory, close } = openMemory(dir)
  await memory.write({ content: 'and on it goes' })
  await close()
})

test.run()
