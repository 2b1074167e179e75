import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { SvcError } from '@svc/core'
import { PAGE_BYTES } from './page-bytes.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** Of new databases, and of those that an earlier svc has made. */
const PAGE_SIZES = [PAGE_BYTES, 4096]
const MAGIC = 0x377f0682
/** Those who may be writing have finished what was half written at the look before. */
const LOOKS = 3
const BETWEEN_LOOKS_MS = 100
/** Every connection to a database in WAL mode holds this byte of its `-shm`. */
const CONNECTED_BYTE = 128

/** The two running sums of SQLite's checksum. */
type Sums = readonly [number, number]

/**
 * Refuses a database whose log is damaged before a commit that was acknowledged: SQLite would end the log there, silently,
 * and the database would be one that was never longer, so that nothing in it can tell.
 *
 * Damage after which only one commit stands is let through: a crash while that commit was made leaves the same. So is a
 * log that another process has open, since SQLite reads the whole log only when nobody else has.
 *
 * @param file the database
 * @param isInUse whether a process has it open, as far as the system says
 * @throws SvcError `store_unavailable`; no file is changed
 */
export function refuseDamagedLog(file: string, isInUse = isConnected): void {
  const log = `${file}-wal`
  let found: number | undefined
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_LOOKS_MS)
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) <= HEADER_BYTES || isInUse(file)) return
    const at = findDamage(log)
    if (at === undefined || (found !== undefined && at !== found)) return
    found = at
  }
  throw new SvcError(
    'store_unavailable',
    `${log} is damaged at byte ${found}: what was recorded after it cannot be read. Nothing was changed. Copy the folder ${dirname(file)}; then run truncate -s ${found} ${log} to go on with what was recorded before`,
    { retryable: false },
  )
}

/**
 * One look at a log. A process that writes meanwhile may make it look damaged.
 *
 * Each checksum goes on from that of the frame before, up to the first frame that does not follow. Two commits of the same
 * use of the file at that frame or after it say that the first of them was in the log for good.
 *
 * @returns the byte at which that frame begins, where there are two such commits; 0 for a damaged header
 * @see https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */
export function findDamage(log: string): number | undefined {
  const bytes = read(log)
  if (bytes.length < HEADER_BYTES) return undefined
  // One that is damaged tells nothing, and little-endian is what nearly all machines are.
  const isLittle = bytes.readUInt32BE(0) !== MAGIC + 1
  const storedSums = (at: number): Sums => [bytes.readInt32BE(at), bytes.readInt32BE(at + 4)]
  const sumUp = (from: number, to: number, [first, second]: Sums): Sums => {
    let [one, two] = [first, second]
    for (let at = from; at < to; at += 8) {
      one = (one + (isLittle ? bytes.readInt32LE(at) : bytes.readInt32BE(at)) + two) | 0
      two = (two + (isLittle ? bytes.readInt32LE(at + 4) : bytes.readInt32BE(at + 4)) + one) | 0
    }
    return [one, two]
  }
  let sums = sumUp(0, 24, [0, 0])
  const isHeader = (bytes.readUInt32BE(0) & ~1) === MAGIC && isSame(sums, storedSums(24))
  /** Whether the third frame goes on from the second: those that the damage to a header does not reach. */
  const isPageSize = (size: number): boolean => {
    const [second, third] = [1, 2].map((n) => HEADER_BYTES + n * (FRAME_HEADER_BYTES + size)) as [number, number]
    const end = third + FRAME_HEADER_BYTES + size
    if (end > bytes.length) return false
    const before = storedSums(second + 16)
    const after = sumUp(third + FRAME_HEADER_BYTES, end, sumUp(third, third + 8, before))
    return isSame(after, storedSums(third + 16)) && !isSame(before, [0, 0]) // zeros would go on from zeros
  }
  const said = bytes.readUInt32BE(8)
  const pageSize = PAGE_SIZES.includes(said) ? said : (PAGE_SIZES.find(isPageSize) ?? PAGE_BYTES)
  const frameBytes = FRAME_HEADER_BYTES + pageSize
  // Where the header is damaged, and perhaps what follows it, the second frame says which use of the file this is.
  const salts = isHeader ? bytes.subarray(16, 24) : saltsAt(bytes, HEADER_BYTES + frameBytes)
  let damagedAt = isHeader ? undefined : 0
  let commits = 0
  for (let at = HEADER_BYTES; at + frameBytes <= bytes.length; at += frameBytes) {
    let isOurs = salts.equals(saltsAt(bytes, at))
    if (damagedAt === undefined) {
      sums = sumUp(at + FRAME_HEADER_BYTES, at + frameBytes, sumUp(at, at + 8, sums))
      const follows = isSame(sums, storedSums(at + 16))
      if (follows && isOurs) continue
      damagedAt = at
      isOurs ||= follows // the salts are not in the checksum
    }
    if (isOurs && bytes.readUInt32BE(at + 4) !== 0) commits++
    if (commits === 2) return damagedAt
  }
  return undefined
}

/** The salts of a frame: the same in all frames of one use of the file. */
const saltsAt = (bytes: Buffer, frame: number): Buffer => bytes.subarray(frame + 8, frame + 16)

function read(log: string): Buffer {
  try {
    return readFileSync(log)
  } catch {
    return Buffer.alloc(0) // who opens it says what is wrong
  }
}

/** Linux says which processes of this process namespace hold which bytes; elsewhere several looks have to do. */
export function isConnected(file: string): boolean {
  try {
    const { ino } = statSync(`${file}-shm`)
    return readFileSync('/proc/locks', 'latin1').includes(`:${ino} ${CONNECTED_BYTE} ${CONNECTED_BYTE}\n`)
  } catch {
    return false
  }
}

const isSame = (one: Sums, other: Sums): boolean => one[0] === other[0] && one[1] === other[1]
