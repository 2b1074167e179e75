import { checkLimit, type ListQuery, unknownCursor } from '@svc/core'
import { toKey } from '../keys.ts'
import type { Database } from './database.ts'
import type { Row } from './load-pg.ts'

export interface Table {
  /** `SELECT ... FROM table AS r`. */
  select: string
  table: string
  /** With `?` for the values. */
  conditions: readonly string[]
  values: readonly unknown[]
}

/** A statement whose values are numbered, as PostgreSQL has it. */
export function toNumbered(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${++count}`)
}

/**
 * One page of a table, in the order of its `seq`.
 *
 * @throws ValidationError `validation_failed`, `invalid_cursor`
 */
export async function listPage(
  db: Database,
  { select, table, conditions, values }: Table,
  { limit, after, order = 'desc' }: ListQuery,
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const most = checkLimit(limit === undefined ? {} : { limit })
  const all = [...conditions]
  const bound = [...values]
  if (after !== undefined) {
    const [row] = await db.query({ text: `SELECT seq FROM ${table} WHERE id = $1`, values: [toKey(after)] })
    if (row === undefined) throw unknownCursor(after)
    all.push(`r.seq ${order === 'desc' ? '<' : '>'} ?`)
    bound.push(row.seq)
  }
  const where = all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`
  const text = `${select} ${where} ORDER BY r.seq ${order === 'desc' ? 'DESC' : 'ASC'} LIMIT ?`
  const rows = await db.query({ text: toNumbered(text), values: [...bound, most + 1] })
  return { rows: rows.slice(0, most), hasMore: rows.length > most }
}
