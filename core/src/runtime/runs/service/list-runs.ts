import type { Page } from '../../../contracts/page.ts'
import { type CostFigure, CostQuery, type RunCosts } from '../../../contracts/run/figures/run-costs.ts'
import type { RunSummary } from '../../../contracts/run/figures/run-summary.ts'
import type { Run } from '../../../contracts/run/run.ts'
import { RunFilter } from '../../../contracts/run/run.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import type { RunFilters, RunQuery, RunRow, Store, StoredCostQuery } from '../../../contracts/store/store.ts'
import type { RunStatus } from '../../../contracts/words.ts'
import { ValidationError } from '../../../errors.ts'
import { findInAnswer } from '../../../text/run-words.ts'
import { parse } from '../../../validate.ts'
import { allOf } from '../../stores/paging.ts'
import { addCosts, figuresOf, MOST_DURATIONS, type RunGroup, toGroup, toSummary } from '../../stores/run-figures.ts'
import { asSeen, toRun } from './to-run.ts'

type RunLists = Pick<Store, 'runs' | 'commands'>

/** @throws ValidationError for a status or a mode that there is not, and bounds that no run is within; `invalid_cursor` */
export async function listRuns(store: RunLists, query: RunQuery): Promise<Page<Run>> {
  checkFilters(query, 'list')
  const { status, limit = 20, order = 'desc' } = query
  const page = await store.runs.list(query)
  const toSeen = async (row: RunRow, isLeft: boolean): Promise<Run> =>
    withFound(await seenOf(store, row, isLeft), query)
  // Those that are left come in the same order, so that as many of them hold all of the page.
  const { data: left } = page.data.some(mayBeLeft) ? await store.runs.list({ ...query, left: true }) : { data: [] }
  const ids = new Set(left.map(({ id }) => id))
  const seen = await Promise.all(page.data.map((row) => toSeen(row, ids.has(row.id))))
  if (status === undefined || isTerminal(status)) return { ...page, data: seen }
  if (seenIn(status) === undefined) return { ...page, data: seen.filter((run) => run.status === status) }
  const all = await withOthersThatSeem(store, { ...query, status, limit, order }, page, seen, toSeen)
  const data = all.slice(0, limit)
  const nextCursor = all.length > limit ? data.at(-1)?.id : page.nextCursor
  return { data, hasMore: nextCursor !== undefined, ...(nextCursor !== undefined && { nextCursor }) }
}

/**
 * A page of runs that are seen in a status: those that have it, and between them others, of which nobody has taken in yet
 * what they were asked for. Each stands where the store has it: before the first that the store lists after it.
 *
 * @param page runs of the status, as the store has them
 * @param seen the same, as they are seen
 * @param toSeen a run as it is seen
 */
async function withOthersThatSeem(
  store: RunLists,
  query: RunQuery & { status: RunStatus },
  page: Page<RunRow>,
  seen: readonly Run[],
  toSeen: (row: RunRow, isLeft: boolean) => Promise<Run>,
): Promise<Run[]> {
  const { status, limit = 20, order = 'desc', ...filters } = query
  const others = { ...filters, ...seenIn(status), left: true }
  const before = new Map<string | undefined, Run[]>()
  let found = 0
  for await (const row of allOf((part) => store.runs.list({ ...others, ...part }), order)) {
    if (found > limit) break
    const run = row.status === status ? undefined : await toSeen(row, true)
    if (run?.status !== status) continue
    found++
    const { data } = await store.runs.list({ ...query, limit: 1, after: row.id })
    const next = page.data.find(({ id }) => id === data[0]?.id)?.id
    if (next === undefined && page.hasMore) break
    before.set(next, [...(before.get(next) ?? []), run])
  }
  return [
    ...seen.flatMap((run) => [...(before.get(run.id) ?? []), ...(run.status === status ? [run] : [])]),
    ...(before.get(undefined) ?? []),
  ]
}

/** Which runs of another status may be seen in this one, see `asSeen`; undefined: none. */
const seenIn = (status: RunStatus): RunFilters | undefined =>
  status === 'cancelling' ? {} : status === 'running' ? { status: 'waiting' } : undefined

/** Whether nobody works on a run that began and has not ended. */
export async function isLeft({ runs }: Pick<Store, 'runs'>, row: RunRow): Promise<boolean> {
  if (!mayBeLeft(row)) return false
  const { data } = await runs.list({ left: true, order: 'asc', limit: 100, createdAfter: row.createdAt })
  return data.some(({ id }) => id === row.id)
}

const mayBeLeft = ({ status, startedAt }: RunRow): boolean => startedAt !== undefined && !isTerminal(status)

/** What a process works on takes in at once what it is asked for. */
async function seenOf(store: RunLists, row: RunRow, isLeft: boolean): Promise<Run> {
  const run = isLeft || row.status === 'queued' ? asSeen(row, await store.commands(row.id)) : toRun(row)
  return { ...run, ...(isLeft && mayBeLeft(row) && { left: true }) }
}

/** With the piece of its answer that says what is searched for. */
function withFound(run: Run, { q = '' }: RunQuery): Run {
  const found = findInAnswer(run, q)
  return found === undefined ? run : { ...run, found }
}

/** Figures of costs that are answered at once. */
const MOST_FIGURES = 10_000

/** What runs took, by the store's own means, or page by page. @throws ValidationError `validation_failed` */
export async function costsOfRuns(
  { runs }: Pick<Store, 'runs'>,
  { owner, ...query }: CostQuery & { owner?: string },
): Promise<RunCosts> {
  const { from, to, per = 'day', by = 'model', utcOffsetMinutes = 0, space } = parse(CostQuery, query, 'costs')
  for (const [name, time] of Object.entries({ from, to }))
    if (time !== undefined && Number.isNaN(Date.parse(time)))
      throw wrong(`/${name}`, `must be a time such as 2026-11-23T00:00:00.000Z, not ${time}`)
  const asked: StoredCostQuery = {
    per,
    by,
    utcOffsetMinutes,
    limit: MOST_FIGURES + 1,
    ...(from !== undefined && { createdAfter: new Date(from).toISOString() }),
    ...(to !== undefined && { createdBefore: new Date(to).toISOString() }),
    ...(space !== undefined && { space }),
    ...(owner !== undefined && { owner }),
  }
  const data = await (runs.costs?.(asked) ?? costsByList(runs, asked))
  if (data.length > MOST_FIGURES)
    throw wrong('/from', `more than ${MOST_FIGURES} figures: ask for a shorter time, or per month`)
  return { per, by, utcOffsetMinutes, data }
}

function costsByList(runs: Store['runs'], query: StoredCostQuery): Promise<CostFigure[]> {
  const { per: _, by: __, utcOffsetMinutes: ___, limit: ____, ...filters } = query
  return addCosts(
    allOf((page) => runs.list({ ...filters, ...page })),
    query,
  )
}

const wrong = (path: string, message: string): ValidationError =>
  new ValidationError('validation_failed', `costs: ${path} ${message}`, { errors: [{ path, message }] })

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
