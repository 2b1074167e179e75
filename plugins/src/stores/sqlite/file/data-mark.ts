import { randomBytes } from 'node:crypto'
import { closeSync, linkSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SvcError } from '@svc/core'
import { makeFolder, syncToDisk } from './durable-files.ts'
import { loadLibsql } from './load-libsql.ts'
import { PAGE_BYTES } from './page-bytes.ts'

/**
 * How a data file in a project shows that this person's svc made it, and it did not come with the project: two numbers in
 * the head of the database that SQLite keeps for its users, the same in all files of a person, and a secret of theirs.
 */
const MARK_FILE = 'data-mark'
const MARK_BYTES = 8
/** Places in the head of a database. @see https://www.sqlite.org/fileformat.html 1.3, `user_version`, `application_id` */
const USER_VERSION = 60
const APPLICATION_ID = 68

/** Whether a file has the mark. The file is not opened as a database. @param userDir the person's own folder */
export function hasMark(file: string, userDir: string): boolean {
  const mark = readMark(userDir)
  return mark !== undefined && markOf(file).equals(mark)
}

/** The marks of files that this process has looked into. */
const known = new Map<string, Buffer>()

/**
 * What stands in the place of the mark. A file is looked into once: closing any descriptor of it ends every lock that the
 * process has on it, those of an open database too (POSIX, fcntl), and then another process takes itself for the last one and
 * removes the log.
 */
function markOf(file: string): Buffer {
  const { dev, ino, birthtimeMs } = statSync(file)
  const id = `${dev} ${ino} ${birthtimeMs}`
  const found = known.get(id) ?? readHead(file)
  known.set(id, found)
  return found
}

function readHead(file: string): Buffer {
  const head = Buffer.alloc(100)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, head, 0, head.length, 0)
  } finally {
    closeSync(descriptor)
  }
  return Buffer.concat([
    head.subarray(USER_VERSION, USER_VERSION + 4),
    head.subarray(APPLICATION_ID, APPLICATION_ID + 4),
  ])
}

/** Makes an empty database with the mark, where there is none yet: another process may be faster. */
export function makeMarked(file: string, userDir: string): void {
  makeWhole(file, (draft) => {
    const Driver = loadLibsql()
    const db = new Driver(draft)
    db.exec(`PRAGMA page_size=${PAGE_BYTES}`)
    setMark(db, userDir)
    db.close()
  })
  markOf(file) // before it is opened
}

/** Says of a database that it is this person's own. */
export function setMark(db: { exec(sql: string): void }, userDir: string): void {
  const mark = readMark(userDir) ?? makeMark(userDir)
  db.exec(`PRAGMA user_version=${mark.readInt32BE(0)}; PRAGMA application_id=${mark.readInt32BE(4)}`)
}

function readMark(userDir: string): Buffer | undefined {
  try {
    const mark = Buffer.from(readFileSync(join(userDir, MARK_FILE), 'utf8').trim(), 'hex')
    return mark.length === MARK_BYTES ? mark : undefined
  } catch {
    return undefined
  }
}

function makeMark(userDir: string): Buffer {
  makeFolder(userDir)
  const file = join(userDir, MARK_FILE)
  makeWhole(file, (draft) => writeFileSync(draft, `${randomBytes(MARK_BYTES).toString('hex')}\n`))
  const mark = readMark(userDir)
  if (mark === undefined) throw new SvcError('store_unavailable', `${file} is damaged: remove it`, { retryable: false })
  return mark
}

/** Makes a file that nobody sees half of, not after a loss of power either, unless there is one already. */
function makeWhole(file: string, fill: (draft: string) => void): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  closeSync(openSync(draft, 'wx', 0o600))
  try {
    fill(draft)
    syncToDisk(draft)
    linkSync(draft, file)
    syncToDisk(dirname(file))
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown
  } finally {
    rmSync(draft, { force: true })
  }
}
