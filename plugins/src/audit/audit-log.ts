import {
  closeSync,
  constants,
  createReadStream,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Audit, type AuditEntry, SvcError } from '@svc/core'
import { isForeign } from '@svc/core/support'
import { makeFolder } from '../stores/sqlite/file/durable-files.ts'
import { keepReserve, releaseReserve } from '../stores/sqlite/file/reserve.ts'

/** The folder of the audit log in a data folder. */
export const AUDIT_FOLDER = 'audit'
const FILE = 'audit.jsonl'
/** Where one file is that long, the next one is begun. */
const MOST_BYTES = 5 * 2 ** 20
/** Files that are kept, with the one that is written to. */
const MOST_FILES = 10
/** Texts come from outside too: more of one says nothing more. */
const LONGEST_TEXT = 500
const MOST_TEXTS = 50

/** An entry as it stands in the log. */
export interface AuditLine extends Omit<AuditEntry, 'details'>, Readonly<Record<string, unknown>> {
  /** When it was decided, as an ISO string. */
  readonly time: string
  readonly pid: number
}

/**
 * Writes a line of JSON for each decision, in printable ASCII: whatever a text holds, it ends no line and moves no cursor.
 * Processes that share the folder append to one file. Where the disk is full, the room that is kept beside it is used.
 *
 * @param dir is made, for its owner alone
 */
export function openAuditLog(dir: string, clock: () => number = Date.now): Audit {
  const file = join(dir, FILE)
  try {
    makeFolder(dir)
    keepReserve(file)
  } catch {
    // The first decision says what is wrong.
  }
  return ({ what, who, from, folder, details }) => {
    const time = new Date(clock()).toISOString()
    const line = toLine({ time, what, who, from, folder, ...details, pid: process.pid })
    try {
      append(dir, file, line)
      keepReserve(file)
    } catch (thrown) {
      throw failed(file, thrown)
    }
  }
}

/** Every entry that is kept in files of this user's, the oldest first; undefined for a line that was cut or changed. */
export async function* readAuditLog(dir: string): AsyncGenerator<AuditLine | undefined> {
  for (const name of [...olderFiles(dir), FILE]) {
    const file = join(dir, name)
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true || isTheirs(dir) || isForeign(file)) continue
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
    for await (const line of lines) if (line !== '') yield toEntry(line)
  }
}

function toEntry(line: string): AuditLine | undefined {
  try {
    const entry = JSON.parse(line) as Partial<AuditLine> | null
    const isEntry = [entry?.time, entry?.what, entry?.who, entry?.from].every((text) => typeof text === 'string')
    return isEntry ? (entry as AuditLine) : undefined
  } catch {
    return undefined
  }
}

function toLine(entry: object): Buffer {
  const json = JSON.stringify(entry, (_, value: unknown) => {
    if (typeof value === 'string') return value.slice(0, LONGEST_TEXT)
    return Array.isArray(value) ? value.slice(0, MOST_TEXTS) : value
  })
  const isPlain = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return Buffer.from(`${json.replace(/[^\x20-\x7e]/g, isPlain)}\n`)
}

function append(dir: string, file: string, line: Buffer): void {
  try {
    appendOnce(dir, file, line)
  } catch (thrown) {
    if (!isFull(thrown)) throw thrown
    releaseReserve(file)
    appendOnce(dir, file, line)
  }
}

function appendOnce(dir: string, file: string, line: Buffer): void {
  makeFolder(dir)
  if (isTheirs(dir)) throw notOwn()
  let descriptor = openOwn(file)
  try {
    if (fstatSync(descriptor).size + line.length > MOST_BYTES) {
      rotate(dir, file, descriptor)
      closeSync(descriptor)
      descriptor = openOwn(file)
    }
    // one write, so that lines of several processes do not mix
    const whole = endsWhole(descriptor) ? line : Buffer.concat([Buffer.from('\n'), line])
    if (writeSync(descriptor, whole) < whole.length) throw Object.assign(new Error('cut'), { code: 'ENOSPC' })
  } finally {
    closeSync(descriptor)
  }
}

// Windows has neither
const NO_FOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** @throws for what is no plain file of this user */
function openOwn(file: string): number {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW, 0o600)
  const stats = fstatSync(descriptor)
  const user = process.getuid?.() ?? 0
  if (stats.isFile() && (user === 0 || stats.uid === user)) {
    if ((stats.mode & 0o077) !== 0) fchmodSync(descriptor, 0o600)
    return descriptor
  }
  closeSync(descriptor)
  throw notOwn()
}

const isTheirs = (dir: string): boolean => [dirname(dir), dir].some(isForeign)
const notOwn = (): Error => Object.assign(new Error('not a file of yours'), { code: 'EPERM' })

/** A line that a full disk has cut is not gone on with. */
function endsWhole(descriptor: number): boolean {
  const { size } = fstatSync(descriptor)
  const last = Buffer.alloc(1)
  return size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === 10)
}

/** Puts the file aside under the time, unless another process was faster, and removes the oldest. */
function rotate(dir: string, file: string, descriptor: number): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.ino !== fstatSync(descriptor).ino) return
  const time = new Date().toISOString().replace(/[^\dTZ]/g, '')
  renameSync(file, join(dir, `audit-${time}-${process.pid}.jsonl`))
  for (const old of olderFiles(dir).slice(0, 1 - MOST_FILES)) rmSync(join(dir, old), { force: true })
}

/** By the time until which they reach. */
function olderFiles(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^audit-[\dTZ]+-\d+\.jsonl$/.test(name))
      .sort()
  } catch {
    return []
  }
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)

const isFull = (thrown: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(thrown))

function failed(file: string, thrown: unknown): SvcError {
  const cannot = `nothing was decided, since the audit log ${file} cannot be written`
  if (isFull(thrown)) return new SvcError('disk_full', `${cannot}: the disk is full`, { cause: thrown })
  const code = codeOf(thrown)
  const why = code === 'ELOOP' ? 'it is a link' : code === 'EPERM' ? 'it is no plain file in a folder of yours' : code
  return new SvcError('store_unavailable', `${cannot}: ${why}; set SVC_DATA_DIR to a folder that can be written`, {
    cause: thrown,
    retryable: false,
  })
}
