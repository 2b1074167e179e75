import type { RunSummary } from '@svc/sdk/remote'
import { useEffect, useRef } from 'preact/hooks'
import { type Loaded, useLoad } from '../session/use-load.ts'
import { type Filters, toAddress, toQuery, withFilters } from './filters.ts'

const EVERY_MS = 10_000
/** Changes that come so close to each other are summed up together. */
const PAUSE_MS = 500

/**
 * Figures of the runs that fit, and how many there are of each status under the other filters.
 *
 * @param changes counts what has happened to runs: the figures are asked for again then
 * @param isListed whether the list is there: it comes first, since the server reads all runs for the figures
 */
export function useFigures(
  filters: Filters,
  changes: number,
  isListed: boolean,
): { fitting: RunSummary | undefined; byStatus: RunSummary | undefined } {
  const others = withFilters(filters, { status: undefined })
  const mayAsk = useRef(false)
  mayAsk.current ||= isListed
  const all = useSummary(mayAsk.current ? others : undefined, changes)
  const fitting = useSummary(filters.status === undefined || !mayAsk.current ? undefined : filters, changes)
  return { byStatus: all.value, fitting: filters.status === undefined ? all.value : fitting.value }
}

function useSummary(filters: Filters | undefined, changes: number): Loaded<RunSummary | undefined> {
  const loaded = useLoad(
    async ({ runs }) => (filters === undefined ? undefined : runs.summary(toQuery(filters))),
    [filters === undefined ? '' : toAddress(filters)],
    { everyMs: EVERY_MS },
  )
  useEffect(() => {
    if (changes === 0) return
    const timer = setTimeout(loaded.reload, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [changes])
  return loaded
}
