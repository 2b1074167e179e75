import { checkLimit, type ListQuery, type Page, type RunFilters, unknownCursor } from '@svc/core'
import type { SqlValue } from '../load-libsql.ts'
import type { Row, Sqlite } from '../sqlite.ts'
import { toKey, toWords } from './columns.ts'

/** What is listed: rows of a table `r`. */
interface Listed {
  from: string
  columns: string
  /** With `?` for the values. */
  conditions: readonly string[]
  values: readonly SqlValue[]
}

/**
 * One page of a table, in the order of its `seq`.
 *
 * @param cursor finds the row that the last page ended with
 */
export function listPage(
  db: Sqlite,
  listed: Listed,
  { limit, after, order = 'desc' }: ListQuery,
  cursor: (id: string) => number | undefined,
): { rows: Row[]; hasMore: boolean } {
  const most = checkLimit(limit === undefined ? {} : { limit })
  const conditions = [...listed.conditions]
  const values = [...listed.values]
  if (after !== undefined) {
    const seq = cursor(after)
    if (seq === undefined) throw unknownCursor(after)
    conditions.push(`r.seq ${order === 'desc' ? '<' : '>'} ?`)
    values.push(seq)
  }
  const rows = db.all(pageSql({ ...listed, conditions }, order), [...values, most + 1])
  return { rows: rows.slice(0, most), hasMore: rows.length > most }
}

/** The last value is how many rows are wanted. */
export function pageSql({ from, columns, conditions }: Listed, order: 'asc' | 'desc' = 'desc'): string {
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return `SELECT ${columns} FROM ${from} ${where} ORDER BY r.seq ${order} LIMIT ?`
}

/** A page of what its rows hold. */
export function toPage<R, T>(
  { rows, hasMore }: { rows: readonly R[]; hasMore: boolean },
  read: (row: R) => [string, T],
): Page<T> {
  const items = rows.map(read)
  const last = hasMore ? items.at(-1) : undefined
  return {
    data: items.map(([, item]) => item),
    hasMore,
    ...(last === undefined ? {} : { nextCursor: last[0] }),
  }
}

/** How an engine says what others say otherwise. */
export interface Dialect {
  /** The function that answers where in a text another stands, from 1 on. */
  find: string
  /** What selects the numbers of a JSON array. */
  numbers: string
}

export const SQLITE: Dialect = { find: 'instr', numbers: 'SELECT value FROM json_each(?)' }

/**
 * What a query asks of the table of runs.
 *
 * @param leases finds runs by who holds them
 * @param atWork numbers of the runs that have not ended and are within the query's bounds
 */
export function conditionsOf<V extends SqlValue>(
  query: RunFilters,
  leases: Record<'left' | 'late', () => { condition: string; values: V[] }>,
  atWork: readonly number[] = [],
  { find, numbers }: Dialect = SQLITE,
): { conditions: string[]; values: (V | string | number)[] } {
  const { status, threadId, agent, mode, createdAfter, createdBefore, q, tag, left, late } = query
  const asked: [string, string | undefined][] = [
    ['r.status = ?', status],
    ['r.mode = ?', mode],
    ['r.thread = ?', threadId && toKey(threadId)],
    ['r.seq IN (SELECT seq FROM runs WHERE created_at >= ?)', createdAfter],
    ['r.seq IN (SELECT seq FROM runs WHERE created_at < ?)', createdBefore],
    ['r.seq IN (SELECT run FROM run_tags WHERE tag = ?)', tag && toKey(tag)],
    ['r.seq IN (SELECT run FROM run_agents WHERE agent = ?)', agent && toKey(agent)],
    [`(SELECT ${find}(words, ?) FROM run_requests WHERE run = r.seq) > 0`, q && toWords(q)],
  ]
  const given = asked.filter((pair): pair is [string, string] => pair[1] !== undefined)
  const held = [...(left === true ? [leases.left()] : []), ...(late === true ? [leases.late()] : [])]
  const bounds = boundsOf(query)
  const within = ['r.ended_at IS NOT NULL', ...bounds.map(([condition]) => condition)].join(' AND ')
  return {
    conditions: [
      ...held.map(({ condition }) => condition),
      ...given.map(([condition]) => condition),
      ...(bounds.length > 0 ? [`(${within} OR r.seq IN (${numbers}))`] : []),
    ],
    values: [
      ...held.flatMap(({ values }) => values),
      ...given.map(([, value]) => value),
      ...bounds.map(([, value]) => value),
      ...(bounds.length > 0 ? [JSON.stringify(atWork)] : []),
    ],
  }
}

/** What columns of an ended run have to say. */
function boundsOf(query: RunFilters): [string, number][] {
  const asked: [string, number | undefined][] = [
    ['r.tokens >= ?', query.minTokens],
    ['r.tokens <= ?', query.maxTokens],
    ['r.cost >= ?', query.minCostUsd],
    ['r.cost <= ?', query.maxCostUsd],
    ['r.duration >= ?', query.minDurationMs],
    ['r.duration <= ?', query.maxDurationMs],
  ]
  return asked.filter((pair): pair is [string, number] => pair[1] !== undefined)
}
