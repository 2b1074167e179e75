import { crc32 } from 'node:zlib'
import { corrupt } from '../../damage.ts'
import { textOf } from '../../keys.ts'
import { bytesOf, type Row } from './sqlite.ts'

/** The columns of a run `r` of which something is read, and what finds damage to them. */
export const CHECKED_COLUMNS = `${bytesOf('r.id', 'id')}, r.format, ${bytesOf('r.status', 'status')}, ${bytesOf('r.mode', 'mode')},
  ${bytesOf('r.created_at', 'created_at')}, r.version, r.last_seq, ${bytesOf('r.state', 'body')}, r.crc`

/** The checksum of a run's columns, under the names that they are selected by. */
export const checksumOf = ({ id, format, status, mode, created_at, version, last_seq, body }: Row): number =>
  crc32([id, format, status, mode, created_at, version, last_seq, body].map(textOf).join('\n'))

/**
 * The state in a run's row that is as it was written.
 *
 * @throws RunError `log_corrupt`
 */
export function checkedState(row: Row, runId: string): string {
  if (checksumOf(row) !== row.crc) throw corrupt(runId, 'its row')
  return textOf(row.body)
}
