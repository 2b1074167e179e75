import { randomBytes } from 'node:crypto'
import { lstatSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** More than the pages that a full log of 4 MB adds to a database: it holds most of them several times. */
const RESERVE_BYTES = 1_048_576
/** What is left to everybody else. */
const LEFT_BYTES = 8 * RESERVE_BYTES
/** What a process needs to open a database: an index of the log, and a few pages. */
const OPEN_BYTES = 131_072

/**
 * Keeps room beside a database: SQLite logs what it overwrites, so that nothing could be removed on a full disk.
 *
 * @param isOpening true: it was given up for a process that opens the database, which needs but a little of it
 */
export function keepReserve(file: string, isOpening = false): void {
  const reserve = reserveOf(file)
  try {
    const size = lstatSync(reserve, { throwIfNoEntry: false })?.size ?? 0
    if (size === RESERVE_BYTES) return
    const bytes = Math.min(RESERVE_BYTES, (freeBytesBeside(file) ?? 0) - (isOpening ? OPEN_BYTES : LEFT_BYTES))
    if (bytes <= size) return
    rmSync(reserve, { force: true })
    // Some file systems give zeros no room. A link that came with a project is not followed.
    writeFileSync(reserve, randomBytes(bytes), { flag: 'wx', mode: 0o600 })
  } catch {
    // Another process made it, or there is no room after all.
  }
}

/** Gives the room to the database. */
export const releaseReserve = (file: string): void => rmSync(reserveOf(file), { force: true })

const reserveOf = (file: string): string => `${file}-reserve`

/** Room on the disk of a file, in bytes; undefined where the system does not say. */
export function freeBytesBeside(file: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize
  } catch {
    return undefined
  }
}
