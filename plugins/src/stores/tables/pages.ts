import { checkLimit, type ListQuery, type MaybePromise, unknownCursor } from '@svc/core'
import { toKey } from '../keys.ts'
import type { Conditions } from '../queries/run-filters.ts'
import { whereOf } from '../queries/summary-sql.ts'

type Row = Readonly<Record<string, unknown>>

/** What is listed, by statements with `?` for their values. */
export interface Listed<V> {
  /** `SELECT ... FROM table AS r`. */
  select: string
  table: string
  /** What tells its ids from those of others in the table. */
  within?: { condition: string; values: readonly V[] }
  conditions: readonly string[]
  values: readonly V[]
}

/** Rows of a page. */
export interface Found {
  rows: Row[]
  hasMore: boolean
}

type Read<V> = (statement: string, values: (V | string | number)[]) => MaybePromise<Row[]>

/**
 * The condition of what comes after a cursor, in the order of its `seq`.
 *
 * @throws ValidationError `invalid_cursor`
 */
export async function afterCursor<V>(
  read: Read<V>,
  table: string,
  { after, order = 'desc' }: ListQuery,
  within?: Listed<V>['within'],
): Promise<Conditions<V | string | number>> {
  if (after === undefined) return { conditions: [], values: [] }
  const own = within === undefined ? [] : [within.condition]
  const cursor = `SELECT r.seq FROM ${table} AS r ${whereOf(['r.id = ?', ...own])}`
  const [row] = await read(cursor, [toKey(after), ...(within?.values ?? [])])
  if (row === undefined) throw unknownCursor(after)
  return { conditions: [`r.seq ${order === 'desc' ? '<' : '>'} ?`], values: [Number(row.seq)] }
}

/**
 * One page of a table, in the order of its `seq`.
 *
 * @throws ValidationError `validation_failed`, `invalid_cursor`
 */
export async function listPage<V>(
  read: Read<V>,
  { select, table, within, conditions, values }: Listed<V>,
  query: ListQuery,
): Promise<Found> {
  const { limit, order = 'desc' } = query
  const most = checkLimit(limit === undefined ? {} : { limit })
  const start = await afterCursor(read, table, query, within)
  const all = [...(within === undefined ? [] : [within.condition]), ...conditions, ...start.conditions]
  const bound = [...(within?.values ?? []), ...values, ...start.values, most + 1]
  const rows = await read(`${select} ${whereOf(all)} ORDER BY r.seq ${order} LIMIT ?`, bound)
  return { rows: rows.slice(0, most), hasMore: rows.length > most }
}
