import type { CostGroup, CostPeriod, CostQuery, Reach } from '@svc/sdk/remote'

export const PERIODS = ['day', 'week', 'month'] as const satisfies readonly CostPeriod[]
export const GROUPS = ['model', 'folder'] as const satisfies readonly CostGroup[]
const MEASURES = ['cost', 'tokens'] as const
export type Measure = (typeof MEASURES)[number]
/** How far back, in days. */
const RANGES = ['7', '30', '90', '365'] as const
type Range = (typeof RANGES)[number]

const DAY_MS = 86_400_000

/** What the page shows, as it stands in the address. */
export interface CostView {
  per: CostPeriod
  by: CostGroup
  /** Undefined: costs, where one is known. */
  measure: Measure | undefined
  range: Range
  /** Of which folders; default the server's. */
  folders: 'all' | undefined
}

/** Reads an address; what it says wrongly counts as nothing. */
export function readView(given: Readonly<Record<string, string | undefined>>): CostView {
  const oneOf = <Word extends string>(words: readonly Word[], text: string | undefined): Word | undefined =>
    words.find((word) => word === text)
  return {
    per: oneOf(PERIODS, given.per) ?? 'day',
    by: oneOf(GROUPS, given.by) ?? 'model',
    measure: oneOf(MEASURES, given.measure),
    range: oneOf(RANGES, given.range) ?? '30',
    folders: given.folders === 'all' ? 'all' : undefined,
  }
}

export function addressOf({ per, by, measure, range, folders }: CostView): string {
  const words: Record<string, string | undefined> = {
    per: per === 'day' ? undefined : per,
    by: by === 'model' ? undefined : by,
    measure,
    range: range === '30' ? undefined : range,
    folders,
  }
  const given = Object.entries(words).flatMap(([name, word]): [string, string][] =>
    word === undefined ? [] : [[name, word]],
  )
  return given.length === 0 ? '/console/costs' : `/console/costs?${new URLSearchParams(given)}`
}

/** A calendar, by how many minutes it is ahead of UTC. */
interface Calendar {
  now: number
  utcOffsetMinutes: number
}

/** The first days of the periods that are shown, the oldest first, such as `2026-11-23`. */
export function periodsOf(
  { per, range }: Pick<CostView, 'per' | 'range'>,
  { now, utcOffsetMinutes }: Calendar,
): string[] {
  const today = now + utcOffsetMinutes * 60_000
  const starts: string[] = []
  for (let start = startOf(per, today); ; start = startOf(per, start - DAY_MS)) {
    starts.unshift(new Date(start).toISOString().slice(0, 10))
    if (start <= today - (Number(range) - 1) * DAY_MS) return starts
  }
}

/** When the period began that a time is in. */
function startOf(per: CostPeriod, time: number): number {
  const date = new Date(Math.floor(time / DAY_MS) * DAY_MS)
  if (per === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  if (per === 'month') date.setUTCDate(1)
  return date.getTime()
}

/** What the server is asked for. */
export function queryOf(
  { per, by, folders }: CostView,
  periods: readonly string[],
  { utcOffsetMinutes }: Calendar,
): CostQuery & Reach {
  const first = Date.parse(`${periods[0]}T00:00:00.000Z`) - utcOffsetMinutes * 60_000
  return { per, by, from: new Date(first).toISOString(), utcOffsetMinutes, ...(folders && { all: true }) }
}
