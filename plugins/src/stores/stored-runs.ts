import type { StoredQuery, StoredRun } from '@svc/core'
import { fromKey, toKey } from './keys.ts'
import { FORMAT } from './run-row.ts'

/** How a store says in SQL of a run `r`: */
export interface EndedColumns {
  /** its id, as `id`, */
  id: string
  /** what is kept of it, in bytes, */
  bytes: string
  /** that it is of a space, or of none. */
  isOf: string
}

/** What finds runs that have ended, with `?` for its values. Those of a newer svc stay. */
export function selectEnded(
  { limit, after, status, space }: StoredQuery,
  { id, bytes, isOf }: EndedColumns,
): [statement: string, values: (string | number)[]] {
  const conditions = ['r.ended_at IS NOT NULL', 'r.owner IS NULL', `r.format <= ${FORMAT}`]
  const values: (string | number)[] = []
  const ask = (condition: string, ...bound: (string | number)[]): void => {
    conditions.push(condition)
    values.push(...bound)
  }
  if (status !== undefined) ask('r.status = ?', status)
  if (space !== undefined) ask(isOf, toKey(space))
  if (after !== undefined) ask('(r.ended_at, r.id) < (?, ?)', after.endedAt, toKey(after.id))
  return [
    `SELECT ${id}, r.ended_at, ${bytes} AS bytes FROM runs AS r WHERE ${conditions.join(' AND ')}
     ORDER BY r.ended_at DESC, r.id DESC LIMIT ?`,
    [...values, limit],
  ]
}

export const toStoredRun = ({ id, ended_at, bytes }: Readonly<Record<string, unknown>>): StoredRun => ({
  id: fromKey(id),
  endedAt: Number(ended_at),
  bytes: Number(bytes),
})
