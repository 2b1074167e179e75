import type { RunSummary } from '../../../contracts/run/run-summary.ts'
import type { RunFilters, Store } from '../../../contracts/store/store.ts'
import { allOf } from '../../stores/paging.ts'
import { figuresOf, MOST_DURATIONS, type RunGroup, toGroup, toSummary } from '../../stores/run-figures.ts'

/** What is true of the runs that fit, by the store's own means, or page by page. */
export async function summarizeRuns({ runs }: Pick<Store, 'runs'>, filters: RunFilters): Promise<RunSummary> {
  if (runs.summarize !== undefined) return runs.summarize(filters)
  const groups: RunGroup[] = []
  const durations: number[] = []
  for await (const run of allOf((page) => runs.list({ ...filters, ...page }), 'desc')) {
    groups.push(toGroup(run))
    const { durationMs } = figuresOf(run)
    if (durationMs !== undefined && durations.length < MOST_DURATIONS) durations.push(durationMs)
  }
  return toSummary(groups, durations)
}
