import type { Mode, Reach, RunFilters, RunStatus, Verdict } from '@svc/sdk/remote'
import { serverNow } from '../session/clock.ts'

export const STATUSES = [
  'running',
  'waiting',
  'queued',
  'cancelling',
  'completed',
  'incomplete',
  'failed',
  'cancelled',
] as const satisfies readonly RunStatus[]

export const MODES = ['execute', 'plan', 'analyze'] as const satisfies readonly Mode[]

export const VERDICTS = ['pass', 'unverified', 'fail'] as const satisfies readonly Verdict[]

/** How far back runs are listed, in milliseconds. */
export const SINCE = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const
export type Since = keyof typeof SINCE

/** Of what a run took: the name in the address, that of a query, and how many of the query's units one is. */
const BOUNDS = [
  { name: 'Cost', query: 'CostUsd', factor: 1, isWhole: false },
  { name: 'Tokens', query: 'Tokens', factor: 1, isWhole: true },
  { name: 'Seconds', query: 'DurationMs', factor: 1_000, isWhole: true },
] as const
type BoundName = `${'min' | 'max'}${(typeof BOUNDS)[number]['name']}`

/** Which runs are listed, as it stands in the address. What is absent narrows nothing. */
export interface Filters extends Partial<Record<BoundName, number>> {
  status?: RunStatus
  verdict?: Verdict
  mode?: Mode
  since?: Since
  q?: string
  agent?: string
  tag?: string
  /** As `provider/model`. */
  model?: string
  /** Of which folders; default the server's. */
  folders?: 'all'
  /** The path of one, where those of all are looked at. */
  folder?: string
}

const TEXTS = ['q', 'agent', 'tag', 'model', 'folder'] as const

/** Reads an address; what it says wrongly narrows nothing. */
export function readFilters(given: Readonly<Record<string, string | undefined>>): Filters {
  const filters: Filters = {}
  const status = STATUSES.find((word) => word === given.status)
  const verdict = VERDICTS.find((word) => word === given.verdict)
  const mode = MODES.find((word) => word === given.mode)
  if (status !== undefined) filters.status = status
  if (verdict !== undefined) filters.verdict = verdict
  if (mode !== undefined) filters.mode = mode
  if (given.since !== undefined && Object.hasOwn(SINCE, given.since)) filters.since = given.since as Since
  if (given.folders === 'all') filters.folders = 'all'
  for (const name of TEXTS) {
    const text = given[name]?.trim()
    if (text) filters[name] = text
  }
  if (filters.folders === undefined) delete filters.folder
  for (const { name } of BOUNDS) {
    for (const edge of ['min', 'max'] as const) {
      const text = given[`${edge}${name}`]?.trim() ?? ''
      const value = text === '' ? Number.NaN : Number(text)
      if (Number.isFinite(value) && value >= 0) filters[`${edge}${name}`] = value
    }
  }
  return filters
}

/** The address of a list, its filters in one order. */
export function toAddress(filters: Filters): string {
  const names = [
    'status',
    'verdict',
    'mode',
    'since',
    'folders',
    ...TEXTS,
    ...BOUNDS.flatMap(({ name }) => [`min${name}`, `max${name}`] as const),
  ] as const
  const given = names.flatMap((name): [string, string][] =>
    filters[name] === undefined ? [] : [[name, String(filters[name])]],
  )
  return given.length === 0 ? '/console/runs' : `/console/runs?${new URLSearchParams(given)}`
}

/** The filters with some of them changed; one that becomes undefined is taken away. */
export function withFilters(
  filters: Filters,
  changes: { readonly [Name in keyof Filters]?: Filters[Name] | undefined },
): Filters {
  const all = Object.entries({ ...filters, ...changes })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== ''))
}

/** What the server is asked for. */
export function toQuery(filters: Filters, now = serverNow()): RunFilters & Reach {
  const { status, verdict, mode, since, folders, folder, q, agent, tag, model } = filters
  const bounds: RunFilters = {}
  for (const { name, query, factor, isWhole } of BOUNDS) {
    for (const edge of ['min', 'max'] as const) {
      const value = filters[`${edge}${name}`]
      if (value !== undefined) bounds[`${edge}${query}`] = isWhole ? Math.round(value * factor) : value * factor
    }
  }
  return {
    ...(status && { status }),
    ...(verdict && { verdict }),
    ...(mode && { mode }),
    ...(q && { q }),
    ...(agent && { agent }),
    ...(tag && { tag }),
    ...(model && { model }),
    ...(folders && { all: true }),
    ...(folders && folder && { space: folder }),
    ...(since && { createdAfter: new Date(now - SINCE[since]).toISOString() }),
    ...bounds,
  }
}

/** Why no run can fit, by field; empty where one may. */
export function findContradictions(filters: Filters): Partial<Record<BoundName, string>> {
  const found: Partial<Record<BoundName, string>> = {}
  for (const { name } of BOUNDS) {
    const { [`min${name}` as const]: least, [`max${name}` as const]: most } = filters
    if (least !== undefined && most !== undefined && least > most)
      found[`min${name}`] = `must not be above the most, which is ${most}`
  }
  return found
}

/** How many filters are in force beside the status. */
export const countFilters = ({ status: _, ...others }: Filters): number => Object.keys(others).length
