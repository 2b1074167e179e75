import { MOST_DURATIONS, type RunGroup, type RunStatus, type RunSummary, toSummary } from '@svc/core'

type Row = Readonly<Record<string, unknown>>

/** Statements that a summary is made from, for runs `r` that fit conditions. */
export const SUMMARY_SQL = {
  groups: (conditions: readonly string[]) =>
    `SELECT r.status, count(*) AS total, sum(r.tokens) AS tokens, sum(r.cost) AS cost, count(*) - count(r.cost) AS unpriced
     FROM runs AS r ${whereOf(conditions)} GROUP BY r.status`,
  durations: (conditions: readonly string[]) =>
    `SELECT r.duration FROM runs AS r ${whereOf([...conditions, 'r.duration IS NOT NULL'])}
     ORDER BY r.seq DESC LIMIT ${MOST_DURATIONS}`,
} as const

export const whereOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`

export const summaryOf = (groups: readonly Row[], durations: readonly Row[]): RunSummary =>
  toSummary(
    groups.map(
      ({ status, total, tokens, cost, unpriced }): RunGroup => ({
        status: String(status) as RunStatus,
        total: Number(total),
        tokens: Number(tokens ?? 0),
        costUsd: Number(cost ?? 0),
        unpriced: Number(unpriced),
      }),
    ),
    durations.map(({ duration }) => Number(duration)),
  )
