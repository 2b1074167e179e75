import { isWithin, type Measured, type RunFilters, type RunStatus, type RunSummary } from '@svc/core'
import { isBounded, measuredOf, toColumns, UNMEASURED } from '../runs/run-figures.ts'
import { SUMMARY_SQL, summaryOf } from '../runs/run-summary.ts'
import type { Database } from './database.ts'
import type { Row } from './load-pg.ts'
import { toNumbered } from './pages.ts'

/** Ended runs that are measured at once. */
const CHUNK = 1_000

/** Measures runs that ended under an earlier svc, or are written by one that is still at work. */
export async function measureOld(db: Database): Promise<void> {
  for (let left = CHUNK; left === CHUNK; ) {
    const found = await db.query({
      text: `SELECT r.seq, r.state, q.body AS request
        FROM runs AS r LEFT JOIN run_requests AS q ON q.run = r.seq WHERE ${UNMEASURED} LIMIT ${CHUNK}`,
    })
    left = found.length
    if (left === 0) return
    const measured = found.map(({ seq, request, state }) => {
      const [tokens, cost, duration] = toColumns(measuredOf(request, state))
      return { seq, tokens, cost, duration }
    })
    await db.query({
      text: `UPDATE runs AS r SET tokens = i.tokens, cost = i.cost, duration = i.duration
        FROM json_to_recordset($1::json) AS i(seq bigint, tokens bigint, cost double precision, duration bigint)
        WHERE r.seq = i.seq`,
      values: [JSON.stringify(measured)],
    })
  }
}

/** Numbers of the runs that have not ended and are within the bounds of a query. */
export async function runsWithin(db: Database, filters: RunFilters): Promise<number[]> {
  if (!isBounded(filters)) return []
  const found = await db.query({ text: 'SELECT seq, status, state FROM runs WHERE ended_at IS NULL' })
  return found.filter((row) => isWithin(measured(row), filters)).map(({ seq }) => Number(seq))
}

/** @param conditions on `runs AS r`, with `?` for the values */
export async function summarize(
  db: Database,
  { conditions, values }: { conditions: readonly string[]; values: readonly unknown[] },
): Promise<RunSummary> {
  const unfinished = [...conditions, 'r.ended_at IS NULL'].join(' AND ')
  const [groups = [], durations = [], atWork = []] = await Promise.all(
    [
      SUMMARY_SQL.groups(conditions),
      SUMMARY_SQL.durations(conditions),
      `SELECT r.status, r.state FROM runs AS r WHERE ${unfinished}`,
    ].map((text) => db.query({ text: toNumbered(text), values: [...values] })),
  )
  return summaryOf(groups, durations, atWork.map(measured))
}

const measured = ({ status, state }: Row): Measured & { status: RunStatus } => ({
  ...measuredOf(state),
  status: status as RunStatus,
})
