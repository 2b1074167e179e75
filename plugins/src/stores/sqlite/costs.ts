import { setImmediate } from 'node:timers/promises'
import type { CostFigure, StoredCostQuery } from '@svc/core'
import { costSql, toCostFigure } from '../cost-sql.ts'
import { SHARED } from '../keys.ts'
import type { Conditions } from '../run-filters.ts'
import { whereOf } from '../summary-sql.ts'
import type { SqlValue } from './file/load-libsql.ts'
import type { Sqlite } from './file/sqlite.ts'

/** Runs whose costs are added up without a pause: in a hundredth of a second or two. */
const AT_ONCE = 4_000
/** As a limit in SQL. */
const EVERY = -1

/** As bytes: see `bytesOf`. */
const NAMES = {
  folder: `CAST(iif(r.space = '${SHARED}', '', r.space) AS BLOB)`,
  model: 'CAST(u.model AS BLOB)',
}

/** The first day of the period in which a run `r` was asked for, with `?` for the minutes ahead of UTC. */
const PERIODS = {
  day: 'date(r.created_at, ?)',
  week: "date(r.created_at, ?, 'weekday 0', '-6 days')",
  month: "date(r.created_at, ?, 'start of month')",
} as const

/** What runs `r` took, some thousand at once: it takes long of many, and others are served meanwhile. */
export async function* costsOf(
  db: Sqlite,
  { per, by, utcOffsetMinutes }: Pick<StoredCostQuery, 'per' | 'by' | 'utcOffsetMinutes'>,
  { conditions, values }: Conditions<SqlValue>,
): AsyncGenerator<CostFigure> {
  const reach = `SELECT min(r.seq) AS first, max(r.seq) AS last FROM runs AS r ${whereOf(conditions)}`
  const { first, last } = db.get(reach, values) ?? {}
  const sql = costSql({ by }, { ...NAMES, period: PERIODS[per] }, ['r.seq BETWEEN ? AND ?', ...conditions])
  for (let from = Number(first ?? 1); from <= Number(last ?? 0); from += AT_ONCE) {
    const rows = db.all(sql, [`${utcOffsetMinutes} minutes`, from, from + AT_ONCE - 1, ...values, EVERY])
    yield* rows.map(toCostFigure)
    await setImmediate()
  }
}
