import type { Page } from '../../../contracts/page.ts'
import type { Run } from '../../../contracts/run/run.ts'
import { RunFilter } from '../../../contracts/run/run.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import type { RunSummary } from '../../../contracts/run/run-summary.ts'
import type { RunFilters, RunQuery, RunRow, Store } from '../../../contracts/store/store.ts'
import { ValidationError } from '../../../errors.ts'
import { parse } from '../../../validate.ts'
import { allOf } from '../../stores/paging.ts'
import { figuresOf, MOST_DURATIONS, type RunGroup, toGroup, toSummary } from '../../stores/run-figures.ts'
import { toRun } from './to-run.ts'

/** @throws ValidationError for a status or a mode that there is not, and bounds that no run is within; `invalid_cursor` */
export async function listRuns({ runs }: Pick<Store, 'runs'>, query: RunQuery): Promise<Page<Run>> {
  checkFilters(query, 'list')
  const page = await runs.list(query)
  // Those that are left come in the same order, so that as many of them hold all of the page.
  const { data: left } = page.data.some(mayBeLeft) ? await runs.list({ ...query, left: true }) : { data: [] }
  const ids = new Set(left.map(({ id }) => id))
  return { ...page, data: page.data.map((row) => toSeen(row, ids.has(row.id))) }
}

/** Whether nobody works on a run that began and has not ended. */
export async function isLeft({ runs }: Pick<Store, 'runs'>, row: RunRow): Promise<boolean> {
  if (!mayBeLeft(row)) return false
  const { data } = await runs.list({ left: true, order: 'asc', limit: 100, createdAfter: row.createdAt })
  return data.some(({ id }) => id === row.id)
}

const mayBeLeft = ({ status, startedAt }: RunRow): boolean => startedAt !== undefined && !isTerminal(status)

const toSeen = (row: RunRow, isLeft: boolean): Run => ({
  ...toRun(row),
  ...(isLeft && mayBeLeft(row) && { left: true }),
})

/**
 * What is true of the runs that fit, by the store's own means, or page by page.
 *
 * @throws ValidationError as `listRuns`
 */
export async function summarizeRuns({ runs }: Pick<Store, 'runs'>, filters: RunFilters): Promise<RunSummary> {
  checkFilters(filters, 'summary')
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

const BOUNDS = [
  ['minCostUsd', 'maxCostUsd'],
  ['minTokens', 'maxTokens'],
  ['minDurationMs', 'maxDurationMs'],
] as const

function checkFilters(filters: RunFilters, what: string): void {
  const names = Object.keys(RunFilter.properties) as (keyof RunFilter)[]
  parse(
    RunFilter,
    Object.fromEntries(names.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]]))),
    what,
  )
  for (const [least, most] of BOUNDS) {
    const [min = 0, max = min] = [filters[least], filters[most]]
    if (min <= max) continue
    const message = `must not be above ${most}, which is ${max}; it is ${min}`
    throw new ValidationError('validation_failed', `${what}: /${least} ${message}`, {
      errors: [{ path: `/${least}`, message }],
    })
  }
}
