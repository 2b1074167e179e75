import { figuresOf, type Measured, type RunFilters } from '@svc/core'
import type { Row, Sqlite } from '../sqlite.ts'
import { bytesOf, textOf } from '../sqlite.ts'
import { unpack } from './packed-json.ts'

/** Ended runs that are measured at once. */
const CHUNK = 1_000

/** What columns hold of an ended run, as SQL takes it. */
export type FigureColumns = readonly [tokens: number | null, cost: number | null, duration: number | null]

/** Of a run that has not ended: its state, or its newest record, says how far it is. */
export const NO_COLUMNS: FigureColumns = [null, null, null]

export function toColumns(run: Measured): FigureColumns {
  const { tokens, costUsd, durationMs = null } = figuresOf(run)
  return [tokens, costUsd, durationMs]
}

/** What of a run can be measured, from packed JSON texts, the newest last. One that is damaged says nothing. */
export function measuredOf(...packed: readonly unknown[]): Measured {
  const fields: Measured = {}
  for (const text of packed) {
    try {
      // No figure is a long text, so that none has to be read.
      Object.assign(fields, JSON.parse(unpack(textOf(text), () => '')))
    } catch {
      // Lists show such a run without figures.
    }
  }
  return fields
}

/** Whether a list is narrowed by figures that runs at work have too. */
export const isBounded = ({ minTokens, maxTokens, minCostUsd, maxCostUsd }: RunFilters): boolean =>
  [minTokens, maxTokens, minCostUsd, maxCostUsd].some((bound) => bound !== undefined)

/** Ended runs without figures: those that an earlier svc has written. */
export const UNMEASURED = 'r.ended_at IS NOT NULL AND r.tokens IS NULL'

/** Measures runs that ended under an earlier svc. */
export function measureOld(db: Sqlite): void {
  for (let left = CHUNK; left === CHUNK; ) {
    const found: Row[] = db.all(
      `SELECT r.seq, ${bytesOf('q.body', 'request')}, ${bytesOf('r.state', 'state')}
       FROM runs AS r LEFT JOIN run_requests AS q ON q.run = r.seq WHERE ${UNMEASURED} LIMIT ${CHUNK}`,
    )
    left = found.length
    if (left === 0) return
    db.transaction(() => {
      for (const { seq, request, state } of found)
        db.run('UPDATE runs SET tokens = ?, cost = ?, duration = ? WHERE seq = ?', [
          ...toColumns(measuredOf(request, state)),
          Number(seq),
        ])
    })
  }
}
