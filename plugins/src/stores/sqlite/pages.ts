import { checkLimit, type ListQuery, unknownCursor } from '@svc/core'
import { toKey } from '../keys.ts'
import { whereOf } from '../run-summary.ts'
import type { SqlValue } from './file/load-libsql.ts'
import type { Row, Sqlite } from './file/sqlite.ts'

/** What is listed. */
export interface Listed {
  /** `SELECT ... FROM table AS r`. */
  select: string
  table: string
  /** Of a table with records of several kinds. */
  kind?: string
  /** With `?` for the values. */
  conditions: readonly string[]
  values: readonly SqlValue[]
}

/**
 * One page of a table, in the order of its `seq`.
 *
 * @throws ValidationError `validation_failed`, `invalid_cursor`
 */
export function listPage(
  db: Sqlite,
  { select, table, kind, ...listed }: Listed,
  { limit, after, order = 'desc' }: ListQuery,
): { rows: Row[]; hasMore: boolean } {
  const most = checkLimit(limit === undefined ? {} : { limit })
  const ofKind = kind === undefined ? [] : [kind]
  const conditions = [...ofKind.map(() => 'r.kind = ?'), ...listed.conditions]
  const values = [...ofKind, ...listed.values]
  if (after !== undefined) {
    const isOne = ['id = ?', ...ofKind.map(() => 'kind = ?')].join(' AND ')
    const found = db.get(`SELECT seq FROM ${table} WHERE ${isOne}`, [toKey(after), ...ofKind])
    if (found === undefined) throw unknownCursor(after)
    conditions.push(`r.seq ${order === 'desc' ? '<' : '>'} ?`)
    values.push(Number(found.seq))
  }
  const rows = db.all(`${select} ${whereOf(conditions)} ORDER BY r.seq ${order} LIMIT ?`, [...values, most + 1])
  return { rows: rows.slice(0, most), hasMore: rows.length > most }
}
