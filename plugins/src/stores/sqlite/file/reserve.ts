import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** More than the pages that a full log of 4 MB adds to a database, most of which it holds several times. */
const RESERVE_BYTES = 1_048_576
/** Where less is free, all of it is for the runs. */
const FREE_BYTES = 8 * RESERVE_BYTES

/** Room that is kept beside a database: SQLite logs what it overwrites, so that nothing could be removed on a full disk. */
export function keepReserve(file: string): void {
  const reserve = reserveOf(file)
  if (existsSync(reserve)) return
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    if (bavail * bsize < FREE_BYTES) return
    // Some file systems give zeros no room.
    writeFileSync(reserve, randomBytes(RESERVE_BYTES), { flag: 'wx', mode: 0o600 })
  } catch {
    // Another process made it, or there is no room after all.
  }
}

/** Gives the room to the database. */
export const releaseReserve = (file: string): void => rmSync(reserveOf(file), { force: true })

const reserveOf = (file: string): string => `${file}-reserve`
