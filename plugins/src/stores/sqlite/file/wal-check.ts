import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { SvcError } from '@svc/core'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682
const DEFAULT_PAGE_BYTES = 4096
const CHUNK_BYTES = 1024 * 1024
/** Those who may be writing have finished what was half written at the look before. */
const LOOKS = 3
const BETWEEN_LOOKS_MS = 100
/** Every connection to a database in WAL mode holds this byte of its `-shm`. */
const CONNECTED_BYTE = 128

const isHostLittle = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/** The two running sums of SQLite's checksum. */
type Sums = readonly [number, number]

/** How to read the frames of a log. */
interface LogShape {
  pageBytes: number
  isLittle: boolean
  /** The eight bytes that each frame since the log was last begun has; undefined where the header is damaged. */
  salts?: bigint
  /** The checksum of the header; undefined where it is damaged. */
  sums?: Sums
}

/**
 * Refuses a database whose log is damaged before a commit that was acknowledged: SQLite would end the log there, silently.
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
 * @returns the byte at which the frame begins that ends the log, where a commit that was acknowledged stands in it or after
 *   it; 0 for a damaged header
 * @see https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */
export function findDamage(log: string): number | undefined {
  let handle: number | undefined
  try {
    handle = openSync(log, 'r')
    const header = Buffer.from(new ArrayBuffer(HEADER_BYTES))
    if (!fstatSync(handle).isFile() || readSync(handle, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined
    const shape = shapeOf(header)
    if (shape !== undefined) return findLostCommit(handle, shape)
    for (const pageBytes of new Set([pageBytesOf(header) ?? DEFAULT_PAGE_BYTES, DEFAULT_PAGE_BYTES]))
      for (const isLittle of [true, false]) if (findLostCommit(handle, { pageBytes, isLittle }) !== undefined) return 0
    return undefined
  } catch {
    return undefined // who opens it says what is wrong
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** Linux says which processes of this process namespace hold which bytes; elsewhere several looks have to do. */
function isConnected(file: string): boolean {
  try {
    const { ino } = statSync(`${file}-shm`)
    return readFileSync('/proc/locks', 'latin1').includes(`:${ino} ${CONNECTED_BYTE} ${CONNECTED_BYTE}\n`)
  } catch {
    return false
  }
}

function pageBytesOf(header: Buffer): number | undefined {
  const bytes = header.readUInt32BE(8)
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0 ? bytes : undefined
}

/** Undefined for a header that SQLite takes for none. */
function shapeOf(header: Buffer): LogShape | undefined {
  const magic = header.readUInt32BE(0)
  const pageBytes = pageBytesOf(header)
  if ((magic & ~1) !== MAGIC || pageBytes === undefined) return undefined
  const isLittle = magic === MAGIC
  const sums = sumUp(wordsOf(header, isLittle), 0, 6, [0, 0])
  return isSame(sums, storedSums(header, 24))
    ? { pageBytes, isLittle, salts: header.readBigUInt64BE(16), sums }
    : undefined
}

/**
 * Each checksum goes on from that of the frame before. Frames after the damage still follow from one another: where two of
 * them end a commit and all between them follow, the second was begun when the first was in the log for good. What an
 * earlier use of the file, or a commit that failed, has left after the end has other salts or does not follow.
 */
function findLostCommit(handle: number, { pageBytes, isLittle, salts, sums }: LogShape): number | undefined {
  const frameBytes = FRAME_HEADER_BYTES + pageBytes
  const chunk = Buffer.from(new ArrayBuffer(frameBytes * Math.ceil(CHUNK_BYTES / frameBytes)))
  let damagedAt = sums === undefined ? 0 : undefined
  let before = sums === undefined ? [] : [sums]
  let hasCommit = false
  for (let offset = HEADER_BYTES; ; offset += chunk.length) {
    const length = readSync(handle, chunk, 0, chunk.length, offset)
    const words = wordsOf(chunk, isLittle)
    for (let start = 0; start + frameBytes <= length; start += frameBytes) {
      const stored = storedSums(chunk, start + 16)
      const computed = before.map((each) => {
        const ofHeader = sumUp(words, start / 4, start / 4 + 2, each)
        return sumUp(words, (start + FRAME_HEADER_BYTES) / 4, (start + frameBytes) / 4, ofHeader)
      })
      const follows = computed.some((each) => isSame(each, stored))
      const frameSalts = chunk.readBigUInt64BE(start + 8)
      const isOurs = salts === undefined || frameSalts === salts
      const isCommit = chunk.readUInt32BE(start + 4) !== 0
      before = [stored]
      if (damagedAt === undefined) {
        if (follows && isOurs) continue
        damagedAt = offset + start
        hasCommit = isCommit && (follows || isOurs)
        before.push(...computed) // its checksum may be what is damaged
      } else if (isOurs) {
        if (follows && hasCommit && isCommit) return damagedAt
        hasCommit = isCommit || (follows && hasCommit)
        if (follows) salts ??= frameSalts
      } else {
        before = []
        hasCommit = false
      }
    }
    if (length < chunk.length) return undefined
  }
}

/** The words of bytes that begin their memory, as numbers of this host. */
const wordsOf = ({ buffer }: Buffer, isLittle: boolean): Int32Array =>
  new Int32Array(isLittle === isHostLittle ? buffer : Buffer.from(buffer.slice(0)).swap32().buffer)

const storedSums = (bytes: Buffer, at: number): Sums => [bytes.readInt32BE(at), bytes.readInt32BE(at + 4)]

const isSame = (one: Sums, other: Sums): boolean => one[0] === other[0] && one[1] === other[1]

function sumUp(words: Int32Array, from: number, to: number, [first, second]: Sums): Sums {
  let one = first
  let two = second
  for (let at = from; at < to; at += 2) {
    one = (one + (words[at] as number) + two) | 0
    two = (two + (words[at + 1] as number) + one) | 0
  }
  return [one, two]
}
