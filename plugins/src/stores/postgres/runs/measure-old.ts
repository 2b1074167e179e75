import type { Measured, RunSummary } from '@svc/core'
import { toColumns } from '../../queries/figure-columns.ts'
import { SUMMARY_SQL, summaryOf } from '../../queries/summary-sql.ts'
import type { Database } from '../database.ts'
import { unpack } from './packed-json.ts'

/** Runs that are measured at once. */
const CHUNK = 1_000

/** Measures runs without figures: of an earlier svc, be it that it is still at work beside this one. */
export async function measureOld(db: Database): Promise<void> {
  for (let left = CHUNK; left === CHUNK; ) {
    const found = await db.query({
      text: `SELECT r.seq, r.state, q.body AS request FROM runs AS r LEFT JOIN run_requests AS q ON q.run = r.seq
        WHERE (r.ended_at IS NOT NULL AND r.tokens IS NULL) OR (r.ended_at IS NULL AND r.tokens IS NULL) LIMIT ${CHUNK}`,
    })
    left = found.length
    if (left === 0) return
    const measured = found.map(({ seq, request, state }) => {
      const [tokens, cost, duration] = toColumns({ ...outlineOf(request), ...outlineOf(state) })
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

/** What packed fields say without their long strings, none of which is a figure; nothing where they are damaged. */
function outlineOf(packed: unknown): Measured {
  try {
    return JSON.parse(unpack(String(packed), () => ''))
  } catch {
    return {} // lists show such a run without figures
  }
}

/** @param conditions on `runs AS r`, with `?` for the values */
export async function summarize(
  db: Database,
  { conditions, values }: { conditions: readonly string[]; values: readonly unknown[] },
): Promise<RunSummary> {
  const [groups = [], durations = []] = await Promise.all(
    [SUMMARY_SQL.groups(conditions), SUMMARY_SQL.durations(conditions)].map((text) => db.ask(text, values)),
  )
  return summaryOf(groups, durations)
}
