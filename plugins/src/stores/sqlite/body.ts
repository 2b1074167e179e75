import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { corrupt } from '../damage.ts'
import { toBytes } from '../keys.ts'
import { isDamage, type Row } from './file/sqlite.ts'

/** Shorter records stand as they are. */
const SHORT = 256

/** The body of a log row with its checksum. */
export function toBody(record: string): { body: string | Buffer; crc: number } {
  const body = record.length <= SHORT ? record : deflateRawSync(record, { level: 1 })
  return { body, crc: crc32(body) }
}

/**
 * What a log row says.
 *
 * @param row with `typeof(body)` as its type
 * @throws RunError `log_corrupt`
 */
export function fromBody({ body, crc, type }: Row, runId: string): string {
  const bytes = toBytes(body)
  if (bytes === undefined || isDamaged(bytes, crc)) throw corrupt(runId, 'its log')
  try {
    return (type === 'text' ? bytes : inflateRawSync(bytes)).toString()
  } catch (thrown) {
    throw corrupt(runId, 'its log', thrown)
  }
}

function isDamaged(bytes: Uint8Array, crc: unknown): boolean {
  return crc32(bytes) !== crc
}

/** Reads of one run: a page that SQLite cannot read is damage to this run alone. */
export function guarded<T>(runId: string, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    if (isDamage(thrown)) throw corrupt(runId, 'a page of its file', thrown)
    if (thrown instanceof SyntaxError) throw corrupt(runId, 'a record', thrown)
    throw thrown
  }
}
