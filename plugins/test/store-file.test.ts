import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { SvcError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DATA_FILE, SqliteStore } from '../src/stores/index.ts'
import { prepareFile } from '../src/stores/sqlite/file/data-file.ts'
import { loadLibsql } from '../src/stores/sqlite/file/load-libsql.ts'
import { SCHEMA_VERSION } from '../src/stores/sqlite/file/schema.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('data file')

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
  const dir = join(folderOf(), 'a', 'data')
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
  const db = new Sqlite(join(folderOf(), DATA_FILE))
  assert.equal(db.get('PRAGMA journal_mode'), { journal_mode: 'wal' })
  assert.equal(db.get('PRAGMA synchronous'), { synchronous: 2 })
  assert.equal(db.get('PRAGMA secure_delete'), { secure_delete: 1 })
  assert.equal(db.get('PRAGMA busy_timeout'), { timeout: 5000 })
  db.close()
})

test('a file of a newer svc is left alone, and the message says what to do', async () => {
  const dir = folderOf()
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
  const dir = folderOf()
  const foreign = new Sqlite(join(dir, DATA_FILE))
  foreign.exec('CREATE TABLE songs (title TEXT)')
  foreign.close()
  assert.match(failureOf(() => storeIn(dir).open()).message, 'another program')

  const other = folderOf()
  writeFileSync(join(other, DATA_FILE), 'these are my notes, not a database '.repeat(100))
  assert.match(failureOf(() => storeIn(other).open()).message, 'damaged or no database')
  assert.match(readFileSync(join(other, DATA_FILE), 'utf8'), 'these are my notes')
})

test('a folder or a file that cannot be used is named with the reason and what to do', () => {
  const plain = join(folderOf(), 'plain-file')
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
  const dir = folderOf()
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
  const userDir = folderOf()
  const git = (folder: string, ...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' })
  const dataIn = (project: string, ...name: string[]) => join(project, '.svc', 'data', ...name)
  const tracked = (project: string, name: string, version = 2): void => {
    git(project, 'init')
    git(project, 'config', 'index.version', String(version))
    openIn(project, userDir) // with the mark: it was pushed and pulled again
    if (!existsSync(dataIn(project, name))) writeFileSync(dataIn(project, name), '')
    git(project, 'add', '--force', `.svc/data/${name}`)
  }
  const cases: [string, (project: string) => void, RegExp][] = [
    [
      'a folder that is a link out of it',
      (project) => {
        mkdirSync(join(project, '.svc'))
        symlinkSync(folderOf(), dataIn(project))
      },
      /link out of/,
    ],
    ['a link above the folder', (project) => symlinkSync(folderOf(), join(project, '.svc')), /link out of/],
    [
      'a file that is a link',
      (project) => {
        mkdirSync(dataIn(project), { recursive: true })
        symlinkSync(join(folderOf(), 'notes'), dataIn(project, DATA_FILE))
      },
      /not a plain file/,
    ],
    ['a file that git knows', (project) => tracked(project, 'svc.db'), /svc\.db is not used .* under version control/],
    ['in an index of version 4', (project) => tracked(project, 'svc.db', 4), /under version control/],
    ['a log that git knows', (project) => tracked(project, 'svc.db-journal'), /svc\.db-journal is not used .* version/],
    ['a file that somebody else made', (project) => openIn(project, folderOf()), /lacks the mark of your own files/],
    ...[
      ['an empty file', DATA_FILE, /lacks the mark/] as const,
      [
        'a log without its file',
        `${DATA_FILE}-wal`,
        /svc\.db-wal is not used because the file .* is not there/,
      ] as const,
    ].map(([what, name, reason]): [string, (project: string) => void, RegExp] => [
      what,
      (project) => {
        mkdirSync(dataIn(project), { recursive: true })
        writeFileSync(dataIn(project, name), '')
      },
      reason,
    ]),
  ]
  for (const [what, make, reason] of cases) {
    const project = folderOf()
    make(project)
    const error = failureOf(() => openIn(project, userDir))
    assert.match(error.message, reason, what)
  }
  const project = folderOf()
  openIn(project, userDir)
  openIn(project, userDir)
  assert.is(readFileSync(join(project, '.svc', 'data', '.gitignore'), 'utf8'), '*\n')
  assert.is(statSync(join(userDir, 'data-mark')).mode & 0o777, 0o600)
  const drafts = readdirSync(join(project, '.svc', 'data')).filter((name) => /\.[0-9a-f]{12}$/.test(name))
  assert.equal(drafts, [])
})

test('git is asked without running what the repository names', () => {
  const project = folderOf()
  const ran = join(folderOf(), 'ran')
  const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { stdio: 'ignore' })
  git('init')
  openIn(project, folderOf())
  git('config', 'core.fsmonitor', `touch ${ran}`)
  git('config', 'core.worktree', '/')
  failureOf(() => openIn(project, folderOf()))
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

test('a disk that is full is called so', () => {
  const db = new Sqlite(join(folderOf(), 'x.db'))
  db.exec('CREATE TABLE t (body TEXT)')
  db.get('PRAGMA max_page_count=4')
  const error = failureOf(() => db.run('INSERT INTO t VALUES (?)', ['x'.repeat(100_000)]))
  assert.is(error.code, 'disk_full')
  assert.is(error.exitCode, 5)
  db.close()
})

test.run()
