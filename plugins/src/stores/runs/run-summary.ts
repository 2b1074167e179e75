import type { RunStatus } from '@svc/core'
import { type Measured, MOST_DURATIONS, type RunGroup, type RunSummary, toGroup, toSummary } from '@svc/core'

/** Statements that a summary is made from, for runs `r` that fit conditions. */
export const SUMMARY_SQL = {
  groups: (conditions: readonly string[]) =>
    `SELECT r.status, count(*) AS total, sum(r.tokens) AS tokens, sum(r.cost) AS cost, count(*) - count(r.cost) AS unpriced
     FROM runs AS r WHERE ${[...conditions, 'r.ended_at IS NOT NULL'].join(' AND ')} GROUP BY r.status`,
  durations: (conditions: readonly string[]) =>
    `SELECT r.duration FROM runs AS r WHERE ${[...conditions, 'r.duration IS NOT NULL'].join(' AND ')}
     ORDER BY r.seq DESC LIMIT ${MOST_DURATIONS}`,
} as const

type Row = Readonly<Record<string, unknown>>

/** @param atWork runs that have not ended, whose columns are empty */
export function summaryOf(
  groups: readonly Row[],
  durations: readonly Row[],
  atWork: readonly (Measured & { status: RunStatus })[],
): RunSummary {
  const ended = groups.map(
    ({ status, total, tokens, cost, unpriced }): RunGroup => ({
      status: String(status) as RunStatus,
      total: Number(total),
      tokens: Number(tokens ?? 0),
      costUsd: Number(cost ?? 0),
      unpriced: Number(unpriced),
    }),
  )
  return toSummary(
    [...ended, ...atWork.map(toGroup)],
    durations.map(({ duration }) => Number(duration)),
  )
}
