import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { SvcError, ValidationError } from '@svc/core'
import { isForeign } from '@svc/core/support'
import { type DataProject, prepareFile } from './data-file.ts'
import { setMark } from './data-mark.ts'
import { OLDEST_VERSION, SCHEMA_VERSION, versionOf } from './schema.ts'
import { isBusy, isFull, Sqlite } from './sqlite.ts'
import { isConnected } from './wal-check.ts'

/** A whole copy of a database. */
export interface Backup {
  bytes: number
  runs: number
}

/** A database that was put in the place of another. */
export interface Restored extends Backup {
  /** The file that was there before; absent where there was none. */
  replaced?: string
}

/** What SQLite keeps beside a database. */
const LOGS = ['-wal', '-shm']

/**
 * Copies a database, also while processes use it, into a file for its owner alone, and looks whether the copy is whole.
 *
 * @param isForced true: it takes the place of what is there
 * @throws ValidationError for a place that is taken, or that cannot be written; SvcError `store_unavailable`, `disk_full`
 */
export function backUpFile(file: string, to: string, isForced: boolean): Backup {
  if (!existsSync(file)) throw refused(file, 'is not there: nothing was kept here yet')
  if (['', ...LOGS].some((ending) => isSame(file + ending, to)))
    throw refused(to, 'is of the store itself: name a new file')
  if (!isForced && existsSync(to)) throw refused(to, 'is there already: name a new file, or replace it with --force')
  return withDraft(to, (draft) => {
    const db = new Sqlite(file)
    try {
      db.all('VACUUM INTO ?', [draft])
    } finally {
      db.close()
    }
    const backup = check(draft, to)
    // A link replaces nothing that somebody else has made meanwhile.
    if (isForced) renameSync(draft, to)
    else linkSync(draft, to)
    makeDurable(dirname(to))
    return backup
  })
}

/**
 * Puts a backup in the place of a database that no process uses.
 *
 * @param project where the place was chosen because it lies in one
 * @throws ValidationError for what is no whole backup; SvcError `store_unavailable` for a database in use, `disk_full`
 */
export function restoreFile(from: string, file: string, project?: DataProject): Restored {
  if (!statSync(from, { throwIfNoEntry: false })?.isFile())
    throw refused(from, 'is no file: name one that svc backup made')
  if (!isForeign(from) && isForeign(`${from}-wal`))
    throw refused(`${from}-wal`, 'belongs to another user, and would be read as a part of it: remove it')
  if (isSame(from, file)) throw refused(from, 'is the store itself: name a file that svc backup made')
  const wasThere = existsSync(file)
  prepareFile(file, project)
  return withDraft(file, (draft) => {
    for (const ending of ['', '-wal']) if (existsSync(from + ending)) copyFileSync(from + ending, draft + ending)
    chmodSync(draft, 0o600)
    const backup = check(draft, from, project)
    const isWhole = leaveAlone(file)
    const replaced = `${file}.replaced-${new Date().toISOString().replace(/[-:]/g, '')}`
    for (const ending of isWhole ? [] : LOGS) {
      if (existsSync(file + ending)) renameSync(file + ending, replaced + ending)
    }
    if (wasThere) linkSync(file, replaced)
    renameSync(draft, file)
    makeDurable(dirname(file))
    return { ...backup, ...(wasThere && { replaced }) }
  })
}

/**
 * Makes one file of a database and its log, where no other process has it open.
 *
 * @returns false for one that cannot be opened: it is left as it is
 */
function leaveAlone(file: string): boolean {
  let db: Sqlite | undefined
  try {
    db = new Sqlite(file)
    db.waitAtMost(0)
    // Only who is alone with a database can take it out of this mode.
    db.all('PRAGMA journal_mode=DELETE')
    return true
  } catch (thrown) {
    if (!isBusy(thrown) && !isConnected(file)) return false
    throw new SvcError(
      'store_unavailable',
      `${file} is used by another process: end svc serve, svc worker and svc run there`,
      {
        cause: thrown,
      },
    )
  } finally {
    db?.close()
  }
}

/**
 * Looks whether a copy is a whole store of svc, and makes one durable file of it.
 *
 * @param name as a person knows it
 */
function check(draft: string, name: string, project?: DataProject): Backup {
  let db: Sqlite | undefined
  try {
    db = new Sqlite(draft)
    const version = versionOf(db) ?? 0
    if (version === 0) throw refused(name, 'is no store of svc')
    if (version > SCHEMA_VERSION || version < OLDEST_VERSION)
      throw refused(name, `has the format ${version}, and this svc reads ${OLDEST_VERSION} to ${SCHEMA_VERSION}`)
    const found = String(db.get('PRAGMA integrity_check(1)')?.integrity_check)
    if (found !== 'ok') throw refused(name, `is damaged: ${found}`)
    if (project !== undefined) setMark(db, project.userDir)
    const runs = Number(db.get('SELECT count(*) AS runs FROM runs')?.runs)
    db.all('PRAGMA journal_mode=DELETE')
    makeDurable(draft)
    return { bytes: statSync(draft).size, runs }
  } catch (thrown) {
    if (thrown instanceof ValidationError || !(thrown instanceof SvcError) || isFull(thrown)) throw thrown
    const said = thrown.cause instanceof Error ? `: ${thrown.cause.message}` : ''
    throw refused(name, `is no whole store of svc${said}`, thrown)
  } finally {
    db?.close()
  }
}

/** Works on a file beside another, for its owner alone, that is gone afterwards unless it got another name. */
function withDraft<Result>(target: string, work: (draft: string) => Result): Result {
  const draft = `${target}.${randomBytes(6).toString('hex')}`
  try {
    closeSync(openSync(draft, 'wx', 0o600))
    return work(draft)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    if (code === 'ENOSPC' || isFull(thrown))
      throw new SvcError('disk_full', `${target} cannot be written: its disk is full`, { cause: thrown })
    if (thrown instanceof SvcError || code === '') throw thrown
    throw refused(target, `cannot be written: ${code}`, thrown)
  } finally {
    for (const ending of ['', ...LOGS]) rmSync(draft + ending, { force: true })
  }
}

function makeDurable(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }))
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino
}

const refused = (path: string, why: string, cause?: unknown): ValidationError =>
  new ValidationError('validation_failed', `${path} ${why}`, {
    errors: [{ path: '/file', message: why }],
    ...(cause !== undefined && { cause }),
  })
