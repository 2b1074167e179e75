import { wholeText } from '../../../seal.ts'
import { CHECKED_COLUMNS, checksumOf } from '../row-checksum.ts'
import type { Sqlite } from '../sqlite.ts'

/** Checksums of runs that cover their columns too, and no longer their state alone. What is damaged stays so. */
export function coverColumns(db: Sqlite): void {
  for (const { seq } of db.all('SELECT seq FROM runs')) {
    const row = db.get(`SELECT ${CHECKED_COLUMNS} FROM runs AS r WHERE r.seq = ?`, [Number(seq)]) ?? {}
    const crc = wholeText(row) === undefined ? -1 : checksumOf(row)
    db.run('UPDATE runs SET crc = ? WHERE seq = ?', [crc, Number(seq)])
  }
}
