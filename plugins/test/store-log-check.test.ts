/** Which logs of a database are taken for damaged, and which for what a crash, or use by others, leaves. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { loadLibsql } from '../src/stores/sqlite/file/load-libsql.ts'
import { PAGE_BYTES } from '../src/stores/sqlite/file/page-bytes.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { findDamage } from '../src/stores/sqlite/file/wal-check.ts'
import { newFile } from './fixtures/run-rows.ts'
import { until } from './fixtures/until.ts'

const HEADER = 32
const FRAME = 24 + PAGE_BYTES
const isNightly = process.env.SVC_NIGHTLY === '1'
const test = suite('the check of the log before a database is opened')

/** A copy as a crash leaves it. */
function crash(file: string, change: (log: Buffer) => void = () => {}): string {
  const copy = newFile()
  copyFileSync(file, copy)
  const log = readFileSync(`${file}-wal`)
  change(log)
  writeFileSync(`${copy}-wal`, log)
  return copy
}

const insert = (db: Sqlite, pageBytes = PAGE_BYTES): void =>
  db.transaction(() => {
    for (let row = 1; row < 3; row++)
      db.run('INSERT INTO notes (body) VALUES (?)', [Buffer.alloc(Math.round(2.2 * pageBytes), row)])
  })

/** A database with a log of commits of several frames each, as a crash leaves it. */
function makeLog(pageBytes = PAGE_BYTES): string {
  const file = newFile()
  const Driver = loadLibsql()
  const made = new Driver(file)
  made.exec(`PRAGMA page_size=${pageBytes}; CREATE TABLE notes (body BLOB)`)
  made.close()
  const db = new Sqlite(file)
  for (let commit = 0; commit < 6; commit++) insert(db, pageBytes)
  const copy = crash(db.file)
  db.close()
  return copy
}

const framesOf = (log: Buffer, frameBytes = FRAME): number => (log.length - HEADER) / frameBytes
const isCommit = (log: Buffer, frame: number, frameBytes = FRAME): boolean =>
  log.readUInt32BE(HEADER + frame * frameBytes + 4) > 0
const flip = (log: Buffer, at: number): void => {
  log[at] = (log[at] ?? 0) ^ 4
}

function failureOf(file: string): string {
  try {
    new Sqlite(file).close()
    return ''
  } catch (thrown) {
    return String(thrown)
  }
}

// Databases of an earlier svc have larger pages.
for (const pageBytes of [PAGE_BYTES, 4096]) {
  const frameBytes = 24 + pageBytes
  test(`damage to a frame of ${pageBytes} bytes is refused where a commit before the last one is lost`, () => {
    const file = makeLog(pageBytes)
    const whole = readFileSync(`${file}-wal`)
    const frames = Array.from({ length: framesOf(whole, frameBytes) }, (_, frame) => frame)
    assert.ok(frames.length > 15)
    const commits = frames.filter((frame) => isCommit(whole, frame, frameBytes))
    for (const frame of frames) {
      const isLost = commits.filter((commit) => commit >= frame).length > 1
      for (const part of [0, 8, 15, 16, 23, 24, 300, frameBytes - 1]) {
        const at = HEADER + frame * frameBytes
        const spoilt = crash(file, (log) => flip(log, at + part))
        assert.is(findDamage(`${spoilt}-wal`), isLost ? at : undefined, `frame ${frame}, byte ${part}`)
      }
    }
    for (let at = 0; at < HEADER; at++) assert.is(findDamage(`${crash(file, (log) => flip(log, at))}-wal`), 0)
  })
}

test('a log with a damaged header is refused, and the message says how to go on', () => {
  const spoilt = crash(makeLog(), (log) => log.fill(0, 0, 512))
  const [database, log] = [readFileSync(spoilt), readFileSync(`${spoilt}-wal`)]
  const failure = failureOf(spoilt)
  assert.match(failure, 'svc.db-wal is damaged at byte 0')
  assert.match(failure, `truncate -s 0 ${spoilt}-wal`)
  assert.equal([readFileSync(spoilt), readFileSync(`${spoilt}-wal`)], [database, log])
  writeFileSync(`${spoilt}-wal`, '')
  assert.is(failureOf(spoilt), '')
})

test('cutting the log where the message says keeps what was recorded before', () => {
  const spoilt = crash(makeLog(), (log) => flip(log, HEADER + (framesOf(log) - 12) * FRAME + 100))
  const at = Number(/truncate -s (\d+)/.exec(failureOf(spoilt))?.[1])
  writeFileSync(`${spoilt}-wal`, readFileSync(`${spoilt}-wal`).subarray(0, at))
  const db = new Sqlite(spoilt)
  const count = Number(db.get('SELECT count(*) AS count FROM notes')?.count)
  assert.ok(count > 0 && count < 12)
  db.close()
})

test('what a crash leaves of the last commit is no damage, nor is what is left behind the commits after it', () => {
  const file = makeLog()
  const log = readFileSync(`${file}-wal`)
  let begin = framesOf(log) - 1
  while (!isCommit(log, begin - 1)) begin--
  for (let round = 0; round < 3; round++) {
    const torn = crash(file, (bytes) => bytes.fill(round, HEADER + begin * FRAME, HEADER + begin * FRAME + 80))
    const db = new Sqlite(torn)
    db.run('DELETE FROM notes WHERE rowid = 1')
    assert.is(failureOf(crash(torn)), '')
    db.close()
  }
  for (let cut = HEADER + begin * FRAME; cut < log.length; cut += 97) {
    const torn = crash(file)
    writeFileSync(`${torn}-wal`, log.subarray(0, cut))
    assert.is(findDamage(`${torn}-wal`), undefined)
  }
})

test('frames from before the log was begun again are no damage, whatever is in them', () => {
  const db = new Sqlite(newFile())
  db.exec('CREATE TABLE notes (body BLOB)')
  for (let commit = 0; commit < 8; commit++) insert(db)
  db.all('PRAGMA wal_checkpoint(RESTART)')
  insert(db)
  const frames = framesOf(readFileSync(`${db.file}-wal`))
  for (let frame = 10; frame < frames; frame++)
    assert.is(findDamage(`${crash(db.file, (log) => flip(log, HEADER + frame * FRAME + 99))}-wal`), undefined)
  assert.is(findDamage(`${db.file}-wal`), undefined)
  db.close()
})

test('a log that another connection has open is left to it', () => {
  if (process.platform !== 'linux') return
  const db = new Sqlite(makeLog())
  const log = readFileSync(`${db.file}-wal`)
  flip(log, HEADER + 100)
  writeFileSync(`${db.file}-wal`, log)
  assert.is(findDamage(`${db.file}-wal`), HEADER)
  assert.is(failureOf(db.file), '')
  db.close()
})

test('no log is taken for damaged while processes write to it, are killed, and others open it', async () => {
  const file = newFile()
  const db = new Sqlite(file)
  db.exec('CREATE TABLE notes (body BLOB)')
  db.close()
  const fixture = argumentsFor(new URL('./fixtures/log-user.ts', import.meta.url))
  let isOver = false
  let kills = 0
  let tens = 0
  const writers = new Set<ChildProcess>()
  const startWriter = (): void => {
    const child = spawn(process.execPath, [...fixture, file], { stdio: ['ignore', 'pipe', 'inherit'] })
    writers.add(child)
    child.stdout.on('data', (marks: Buffer) => {
      tens += marks.length
    })
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), 500 + ((kills++ * 377) % 1_000)).unref())
    child.on('close', () => {
      writers.delete(child)
      if (!isOver) startWriter()
    })
  }
  for (let count = 0; count < 2; count++) startWriter()
  let largest = 0
  const sizer = setInterval(() => {
    largest = Math.max(largest, statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)
  }, 50)
  try {
    await until(() => largest > 100_000)
    const open = async (): Promise<string> => {
      const child = spawn(process.execPath, [...fixture, file, isNightly ? '5000' : '100'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = ''
      child.stdout.on('data', (chunk) => (said += chunk))
      await once(child, 'close')
      return said
    }
    for (const said of await Promise.all([open(), open()])) {
      const counts = JSON.parse(said)
      if (isNightly) console.log(counts, { kills, tens, largest })
      assert.equal(counts.refused, [])
      assert.ok(counts.opened > 0)
    }
    assert.ok(tens > 0)
  } finally {
    isOver = true
    clearInterval(sizer)
    for (const child of writers) child.kill('SIGKILL')
  }
})

test.run()
