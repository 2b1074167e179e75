import { checkLimit, type ListQuery, type MaybePromise, unknownCursor } from '@svc/core'
import { toKey } from '../keys.ts'
import { whereOf } from '../summary-sql.ts'

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

/**
 * One page of a table, in the order of its `seq`.
 *
 * @throws ValidationError `validation_failed`, `invalid_cursor`
 */
export async function listPage<V>(
  read: (statement: string, values: (V | string | number)[]) => MaybePromise<Row[]>,
  { select, table, within, conditions, values }: Listed<V>,
  { limit, after, order = 'desc' }: ListQuery,
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const most = checkLimit(limit === undefined ? {} : { limit })
  const own = within === undefined ? [] : [within.condition]
  const all = [...own, ...conditions]
  const bound: (V | string | number)[] = [...(within?.values ?? []), ...values]
  if (after !== undefined) {
    const cursor = `SELECT r.seq FROM ${table} AS r ${whereOf(['r.id = ?', ...own])}`
    const [row] = await read(cursor, [toKey(after), ...(within?.values ?? [])])
    if (row === undefined) throw unknownCursor(after)
    all.push(`r.seq ${order === 'desc' ? '<' : '>'} ?`)
    bound.push(Number(row.seq))
  }
  const rows = await read(`${select} ${whereOf(all)} ORDER BY r.seq ${order} LIMIT ?`, [...bound, most + 1])
  return { rows: rows.slice(0, most), hasMore: rows.length > most }
}
