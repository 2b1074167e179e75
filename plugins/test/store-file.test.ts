import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SvcError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DATA_FILE, DataStore, StoredMemory } from '../src/stores/index.ts'
import { loadLibsql } from '../src/stores/load-libsql.ts'
import { SCHEMA_VERSION } from '../src/stores/schema.ts'
import { Sqlite } from '../src/stores/sqlite.ts'

const test = suite('data file')

const folders: string[] = []
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-file-'))
  folders.push(folder)
  return folder
}
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function failureOf(work: () => unknown): SvcError {
  try {
    work()
  } catch (thrown) {
    assert.ok(SvcError.isInstance(thrown), String(thrown))
    return thrown
  }
  throw new Error('it did not fail')
}

test('nothing is made before the first use', () => {
  const dir = join(newFolder(), 'data')
  const store = new DataStore({ dir })
  new StoredMemory(store)
  assert.not.ok(existsSync(dir))
  store.open()
  assert.ok(existsSync(join(dir, DATA_FILE)))
  store.close()
})

test('folder, file and logs are for their owner alone', async () => {
  const dir = join(newFolder(), 'a', 'data')
  const store = new DataStore({ dir })
  const memory = new StoredMemory(store)
  await memory.write({ content: 'something' })
  assert.is(statSync(dir).mode & 0o777, 0o700)
  for (const name of [DATA_FILE, `${DATA_FILE}-wal`, `${DATA_FILE}-shm`]) {
    assert.is(statSync(join(dir, name)).mode & 0o777, 0o600, name)
  }
  await memory.close()
  chmodSync(join(dir, DATA_FILE), 0o644)
  store.open()
  assert.is(statSync(join(dir, DATA_FILE)).mode & 0o777, 0o600)
  store.close()
})

test('commits are durable, and what is deleted is overwritten', () => {
  const db = new DataStore({ dir: newFolder() }).open()
  assert.equal(db.get('PRAGMA journal_mode'), { journal_mode: 'wal' })
  assert.equal(db.get('PRAGMA synchronous'), { synchronous: 2 })
  assert.equal(db.get('PRAGMA secure_delete'), { secure_delete: 1 })
  assert.equal(db.get('PRAGMA busy_timeout'), { timeout: 5000 })
  db.close()
})

test('a file of a newer svc is left alone, and the message says what to do', () => {
  const dir = newFolder()
  const store = new DataStore({ dir })
  const db = store.open()
  assert.is(db.get('SELECT max(version) AS version FROM svc_schema')?.version, SCHEMA_VERSION)
  db.run('INSERT INTO svc_schema (version, applied_at) VALUES (?, ?)', [SCHEMA_VERSION + 1, 0])
  store.close()
  const { code, message, exitCode } = failureOf(() => new DataStore({ dir }).open())
  assert.is(code, 'store_unavailable')
  assert.is(exitCode, 5)
  assert.match(message, 'newer svc')
  assert.match(message, 'SVC_DATA_DIR')
})

test('a file of another program, or none that SQLite can read, is left alone', () => {
  const dir = newFolder()
  const foreign = new Sqlite(join(dir, DATA_FILE))
  foreign.exec('CREATE TABLE songs (title TEXT)')
  foreign.close()
  assert.match(failureOf(() => new DataStore({ dir }).open()).message, 'another program')

  const other = newFolder()
  writeFileSync(join(other, DATA_FILE), 'these are my notes, not a database '.repeat(100))
  assert.match(failureOf(() => new DataStore({ dir: other }).open()).message, 'damaged or no database')
  assert.match(readFileSync(join(other, DATA_FILE), 'utf8'), 'these are my notes')
})

test('where nothing can be written, memory lasts as long as the process and says so once', async () => {
  const file = join(newFolder(), 'plain-file')
  writeFileSync(file, '')
  for (const dir of [join(file, 'data'), '/proc/svc-data']) {
    const memory = new StoredMemory(new DataStore({ dir }))
    const { id } = await memory.write({ content: 'the sky is blue' })
    assert.is((await memory.get(id))?.content, 'the sky is blue')
    assert.is((await memory.query({ query: 'sky' })).data.length, 1)
    assert.is(memory.unconsolidated, 1)
    assert.equal(
      memory.takeWarnings().map(({ code }) => code),
      ['memory_not_stored'],
    )
    assert.equal(memory.takeWarnings(), [])
    assert.is(failureOf(() => memory.assertStored()).code, 'store_unavailable')
    await memory.close()
  }
})

test('a project brings no memories of others along', () => {
  const cases: [string, (project: string) => void, RegExp][] = [
    [
      'a folder that is a link out of it',
      (project) => {
        mkdirSync(join(project, '.svc'))
        symlinkSync(newFolder(), join(project, '.svc', 'data'))
      },
      /link out of/,
    ],
    [
      'a file that is a link',
      (project) => {
        mkdirSync(join(project, '.svc', 'data'), { recursive: true })
        symlinkSync(join(newFolder(), 'notes'), join(project, '.svc', 'data', DATA_FILE))
      },
      /not a plain file/,
    ],
    [
      'a file under version control',
      (project) => {
        mkdirSync(join(project, '.git'))
        writeFileSync(join(project, '.git', 'index'), 'DIRC\0\0.svc/data/svc.db\0\0')
        mkdirSync(join(project, '.svc', 'data'), { recursive: true })
        writeFileSync(join(project, '.svc', 'data', DATA_FILE), '')
      },
      /version control/,
    ],
  ]
  for (const [what, make, reason] of cases) {
    const project = newFolder()
    make(project)
    const error = failureOf(() => new DataStore({ dir: join(project, '.svc', 'data'), project }).open())
    assert.match(error.message, reason, what)
  }
  const project = newFolder()
  const store = new DataStore({ dir: join(project, '.svc', 'data'), project })
  store.open()
  assert.is(readFileSync(join(project, '.svc', 'data', '.gitignore'), 'utf8'), '*\n')
  store.close()
})

test('without the native package the message says what to install', () => {
  const error = failureOf(() =>
    loadLibsql(() => {
      throw new Error("Cannot find module '@libsql/linux-x64-gnu'\nRequire stack: ...")
    }),
  )
  assert.is(error.code, 'store_unavailable')
  assert.match(error.message, 'npm install libsql')
  assert.match(error.message, "Cannot find module '@libsql/linux-x64-gnu'")
})

test('a transaction is all or nothing', () => {
  const db = new Sqlite(join(newFolder(), 'x.db'))
  db.exec('CREATE TABLE t (n INTEGER UNIQUE)')
  assert.throws(() =>
    db.transaction(() => {
      db.run('INSERT INTO t VALUES (?)', [1])
      db.run('INSERT INTO t VALUES (?)', [1])
    }),
  )
  assert.equal(db.all('SELECT * FROM t'), [])
  db.transaction(() => db.run('INSERT INTO t VALUES (?)', [2]))
  assert.equal(db.all('SELECT * FROM t'), [{ n: 2 }])
  db.close()
})

test.run()
