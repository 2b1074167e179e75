import type { Page } from '../../../contracts/page.ts'
import type { Run } from '../../../contracts/run/run.ts'
import { RunFilter } from '../../../contracts/run/run.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import type { RunSummary } from '../../../contracts/run/run-summary.ts'
import type { RunFilters, RunQuery, RunRow, Store } from '../../../contracts/store/store.ts'
import type { RunStatus } from '../../../contracts/words.ts'
import { ValidationError } from '../../../errors.ts'
import { parse } from '../../../validate.ts'
import { allOf } from '../../stores/paging.ts'
import { figuresOf, MOST_DURATIONS, type RunGroup, toGroup, toSummary } from '../../stores/run-figures.ts'
import { asSeen, toRun } from './to-run.ts'

type RunLists = Pick<Store, 'runs' | 'commands'>

/** @throws ValidationError for a status or a mode that there is not, and bounds that no run is within; `invalid_cursor` */
export async function listRuns(store: RunLists, query: RunQuery): Promise<Page<Run>> {
  checkFilters(query, 'list')
  const { status, limit = 20, order = 'desc' } = query
  const page = await store.runs.list(query)
  // Those that are left come in the same order, so that as many of them hold all of the page.
  const { data: left } = page.data.some(mayBeLeft) ? await store.runs.list({ ...query, left: true }) : { data: [] }
  const ids = new Set(left.map(({ id }) => id))
  const seen = await Promise.all(page.data.map((row) => toSeen(store, row, ids.has(row.id))))
  if (status === undefined || isTerminal(status)) return { ...page, data: seen }
  const others = await othersThatSeem(store, query, status, page.nextCursor)
  const all = [...seen.filter((run) => run.status === status), ...others].sort((a, b) => compareIds(a.id, b.id, order))
  const data = all.slice(0, limit)
  const nextCursor = all.length > limit ? data.at(-1)?.id : page.nextCursor
  return { data, hasMore: nextCursor !== undefined, ...(nextCursor !== undefined && { nextCursor }) }
}

/**
 * Runs of another status that are seen in this one: what they were asked for, nobody has taken in yet.
 *
 * @param end the last run of the page; undefined: it is the last page
 */
async function othersThatSeem(
  store: RunLists,
  { status: _status, limit: _limit, after, order = 'desc', ...filters }: RunQuery,
  status: RunStatus,
  end: string | undefined,
): Promise<Run[]> {
  const found: Run[] = []
  for await (const row of allOf((page) => store.runs.list({ ...filters, ...page, left: true }), order)) {
    if (after !== undefined && compareIds(row.id, after, order) <= 0) continue
    if (end !== undefined && compareIds(row.id, end, order) > 0) break
    if (row.status === status) continue
    const run = await toSeen(store, row, true)
    if (run.status === status) found.push(run)
  }
  return found
}

const compareIds = (a: string, b: string, order: 'asc' | 'desc'): number =>
  (a === b ? 0 : a < b ? -1 : 1) * (order === 'asc' ? 1 : -1)

/** Whether nobody works on a run that began and has not ended. */
export async function isLeft({ runs }: Pick<Store, 'runs'>, row: RunRow): Promise<boolean> {
  if (!mayBeLeft(row)) return false
  const { data } = await runs.list({ left: true, order: 'asc', limit: 100, createdAfter: row.createdAt })
  return data.some(({ id }) => id === row.id)
}

const mayBeLeft = ({ status, startedAt }: RunRow): boolean => startedAt !== undefined && !isTerminal(status)

/** What a process works on takes in at once what it is asked for. */
async function toSeen(store: RunLists, row: RunRow, isLeft: boolean): Promise<Run> {
  const run = isLeft || row.status === 'queued' ? asSeen(row, await store.commands(row.id)) : toRun(row)
  return { ...run, ...(isLeft && mayBeLeft(row) && { left: true }) }
}

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
