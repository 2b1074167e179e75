import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
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
import { DATA_FILE, SqliteStore } from '../src/stores/index.ts'
import { prepareFile } from '../src/stores/sqlite/file/data-file.ts'
import { loadLibsql } from '../src/stores/sqlite/file/load-libsql.ts'
import { SCHEMA_VERSION } from '../src/stores/sqlite/file/schema.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { contentsOf, openMemory } from './fixtures/memories.ts'

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

const storeIn = (dir: string): SqliteStore => new SqliteStore({ file: join(dir, DATA_FILE) })

test('folder, file and logs are for their owner alone, and made when the store is opened', async () => {
  const dir = join(newFolder(), 'a', 'data')
  const store = storeIn(dir)
  assert.not.ok(existsSync(dir))
  store.open()
  assert.is(statSync(dir).mode & 0o777, 0o700)
  for (const name of [DATA_FILE, `${DATA_FILE}-wal`, `${DATA_FILE}-shm`]) {
    assert.is(statSync(join(dir, name)).mode & 0o777, 0o600, name)
  }
  await store.close()
  chmodSync(join(dir, DATA_FILE), 0o644)
  store.open()
  assert.is(statSync(join(dir, DATA_FILE)).mode & 0o777, 0o600)
  await store.close()
})

test('commits are durable, and what is deleted is overwritten', () => {
  const db = new Sqlite(join(newFolder(), DATA_FILE))
  assert.equal(db.get('PRAGMA journal_mode'), { journal_mode: 'wal' })
  assert.equal(db.get('PRAGMA synchronous'), { synchronous: 2 })
  assert.equal(db.get('PRAGMA secure_delete'), { secure_delete: 1 })
  assert.equal(db.get('PRAGMA busy_timeout'), { timeout: 5000 })
  db.close()
})

test('a file of a newer svc is left alone, and the message says what to do', async () => {
  const dir = newFolder()
  const store = storeIn(dir)
  store.open()
  await store.close()
  const db = new Sqlite(join(dir, DATA_FILE))
  assert.is(db.get('SELECT max(version) AS version FROM svc_schema')?.version, SCHEMA_VERSION)
  db.run('INSERT INTO svc_schema (version, applied_at) VALUES (?, ?)', [SCHEMA_VERSION + 1, 0])
  db.close()
  const { code, message, exitCode } = failureOf(() => store.open())
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
  assert.match(failureOf(() => storeIn(dir).open()).message, 'another program')

  const other = newFolder()
  writeFileSync(join(other, DATA_FILE), 'these are my notes, not a database '.repeat(100))
  assert.match(failureOf(() => storeIn(other).open()).message, 'damaged or no database')
  assert.match(readFileSync(join(other, DATA_FILE), 'utf8'), 'these are my notes')
})

test('a folder or a file that cannot be used is named with the reason and what to do', () => {
  const plain = join(newFolder(), 'plain-file')
  writeFileSync(plain, '')
  for (const [dir, reason] of [
    [plain, 'its folder is a file'],
    [join(plain, 'data'), 'a part of its path is a file'],
  ] as const) {
    const { code, message, retryable } = failureOf(() => storeIn(dir).open())
    assert.is(code, 'store_unavailable')
    assert.match(message, `${join(dir, DATA_FILE)} cannot be written: ${reason}; set store.dir or SVC_DATA_DIR`)
    assert.is(retryable, false)
  }
  const dir = newFolder()
  mkdirSync(join(dir, 'x.db'))
  const opened = failureOf(() => new Sqlite(join(dir, 'x.db')))
  assert.match(opened.message, /x\.db cannot be opened: .*; set store\.dir or SVC_DATA_DIR/)
  const db = new Sqlite(join(dir, 'y.db'))
  db.exec('CREATE TABLE t (body TEXT)')
  db.exec('PRAGMA query_only=ON')
  const written = failureOf(() => db.run('INSERT INTO t VALUES (1)'))
  assert.match(written.message, /y\.db cannot be written: .*read-only; set store\.dir or SVC_DATA_DIR/)
  assert.is(written.retryable, false)
  db.close()
})

const openIn = (folder: string, userDir: string): void => {
  const file = join(folder, '.svc', 'data', DATA_FILE)
  prepareFile(file, { folder, userDir })
  new Sqlite(file).close()
}

test('a project brings no memories of others along', () => {
  const userDir = newFolder()
  const git = (folder: string, ...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' })
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
      'a link above the folder, in which nothing is made',
      (project) => symlinkSync(newFolder(), join(project, '.svc')),
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
    ...[2, 4].map((version): [string, (project: string) => void, RegExp] => [
      `a file that a git with index version ${version} knows`,
      (project) => {
        git(project, 'init')
        git(project, 'config', 'index.version', String(version))
        openIn(project, userDir) // with the mark: it was pushed and pulled again
        git(project, 'add', '--force', '.svc/data/svc.db')
      },
      /svc\.db is not used because it is under version control/,
    ]),
    [
      'a log beside the file that git knows',
      (project) => {
        git(project, 'init')
        openIn(project, userDir)
        writeFileSync(join(project, '.svc', 'data', 'svc.db-journal'), '')
        git(project, 'add', '--force', '.svc/data/svc.db-journal')
      },
      /svc\.db-journal is not used because it is under version control/,
    ],
    [
      'a file that somebody else made, without git',
      (project) => openIn(project, newFolder()),
      /lacks the mark of your own files/,
    ],
    [
      'the same with a git that does not know it',
      (project) => {
        git(project, 'init')
        openIn(project, newFolder())
      },
      /lacks the mark of your own files/,
    ],
    [
      'an empty file',
      (project) => {
        mkdirSync(join(project, '.svc', 'data'), { recursive: true })
        writeFileSync(join(project, '.svc', 'data', DATA_FILE), '')
      },
      /lacks the mark/,
    ],
    [
      'a log without its file',
      (project) => {
        mkdirSync(join(project, '.svc', 'data'), { recursive: true })
        writeFileSync(join(project, '.svc', 'data', `${DATA_FILE}-wal`), '')
      },
      /svc\.db-wal is not used because the file that it belongs to is not there/,
    ],
  ]
  for (const [what, make, reason] of cases) {
    const project = newFolder()
    make(project)
    const error = failureOf(() => openIn(project, userDir))
    assert.match(error.message, reason, what)
  }
  const project = newFolder()
  openIn(project, userDir)
  openIn(project, userDir)
  assert.is(readFileSync(join(project, '.svc', 'data', '.gitignore'), 'utf8'), '*\n')
  assert.is(statSync(join(userDir, 'data-mark')).mode & 0o777, 0o600)
  const drafts = readdirSync(join(project, '.svc', 'data')).filter((name) => /\.[0-9a-f]{12}$/.test(name))
  assert.equal(drafts, [])
})

test('git is asked without running what the repository names', () => {
  const project = newFolder()
  const ran = join(newFolder(), 'ran')
  const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { stdio: 'ignore' })
  git('init')
  openIn(project, newFolder())
  git('config', 'core.fsmonitor', `touch ${ran}`)
  git('config', 'core.worktree', '/')
  failureOf(() => openIn(project, newFolder()))
  assert.not.ok(existsSync(ran))
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

test('a disk that is full is called so', () => {
  const db = new Sqlite(join(newFolder(), 'x.db'))
  db.exec('CREATE TABLE t (body TEXT)')
  db.get('PRAGMA max_page_count=4')
  const error = failureOf(() => db.run('INSERT INTO t VALUES (?)', ['x'.repeat(100_000)]))
  assert.is(error.code, 'disk_full')
  assert.is(error.exitCode, 5)
  db.close()
})

test('a log that was cut off by a crash loses what came last, and nothing before', async () => {
  const dir = newFolder()
  const { memory, close } = openMemory(dir)
  for (let index = 0; index < 30; index++) await memory.write({ content: `note number ${index}` })
  for (const share of [0.97, 0.6, 0.3]) {
    const copy = newFolder()
    writeFileSync(join(copy, DATA_FILE), readFileSync(join(dir, DATA_FILE)))
    const log = readFileSync(join(dir, `${DATA_FILE}-wal`))
    writeFileSync(join(copy, `${DATA_FILE}-wal`), log.subarray(0, Math.floor(log.length * share)))
    const again = openMemory(copy)
    const found = await contentsOf(again.memory)
    assert.equal(
      found,
      found.map((_, index) => `note number ${index}`),
    )
    assert.ok(found.length < 30)
    await again.memory.write({ content: 'and on it goes' })
    await again.close()
  }
  await close()
})

test.run()
