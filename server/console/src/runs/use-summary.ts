import type { RunQuery, RunStatus, Runtime } from '@svc/sdk/remote'
import { runtime } from '../session/session.ts'
import { type Loaded, useLoad } from '../session/use-load.ts'
import { type Filters, toAddress, toQuery, withFilters } from './filters.ts'

/** What is true of many runs together. */
export interface RunFigures {
  total: number
  byStatus: Readonly<Record<RunStatus, number>>
  durationMs?: { p50: number; p95: number }
  tokens: number
  costUsd: number | null
  unpriced: number
}

type Summary = (query: RunQuery) => Promise<RunFigures>

const summaryOf = ({ runs }: Runtime): Summary | undefined => (runs as { summary?: Summary }).summary

/** Whether the server sums runs up, and narrows lists by numbers. */
export const hasFigures = (): boolean => summaryOf(runtime.value) !== undefined

const EVERY_MS = 5_000

/** Figures of the runs that fit, and how many there are of each status under the other filters. */
export function useFigures(filters: Filters): { fitting: RunFigures | undefined; byStatus: RunFigures | undefined } {
  const others = withFilters(filters, { status: undefined })
  const all = useSummary(others)
  const fitting = useSummary(filters.status === undefined ? undefined : filters)
  return { byStatus: all.value, fitting: filters.status === undefined ? all.value : fitting.value }
}

function useSummary(filters: Filters | undefined): Loaded<RunFigures | undefined> {
  return useLoad(
    async (from) => (filters === undefined ? undefined : summaryOf(from)?.(toQuery(filters))),
    [filters === undefined ? '' : toAddress(filters)],
    { everyMs: EVERY_MS },
  )
}
