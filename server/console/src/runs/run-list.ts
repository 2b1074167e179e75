import type { Run } from '@svc/sdk/remote'
import { oneLine } from '../parts/format.ts'

/** What a list shows of a run, and nothing heavy. */
export interface RunRow {
  id: string
  status: Run['status']
  /** On one line, cut. */
  task: string
  topology: string | undefined
  mode: Run['mode']
  agents: number
  tokens: number
  costUsd: number | null
  createdAt: string
  startedAt: string | undefined
  finishedAt: string | undefined
  tags: readonly string[]
  version: number
}

export function toRow(run: Run): RunRow {
  const { id, status, mode, topology, agents, usage, costUsd, createdAt, startedAt, finishedAt, version } = run
  return {
    id,
    status,
    task: oneLine(run.task),
    topology,
    mode,
    agents: agents.length,
    tokens: usage.inputTokens + usage.outputTokens,
    costUsd,
    createdAt,
    startedAt,
    finishedAt,
    tags: run.tags ?? [],
    version,
  }
}

/** How long a run has taken so far, in milliseconds; undefined before it begins. */
export function durationOf({ startedAt, finishedAt }: RunRow, now: number): number | undefined {
  if (startedAt === undefined) return undefined
  return Math.max(0, (finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt))
}

/**
 * Runs as they were loaded, the newest first. A row that is shown keeps its place: what is new waits in `fresh` until
 * somebody asks for it.
 */
export class RunList {
  rows: readonly RunRow[] = []
  /** Runs that belong into the list and are not shown yet. */
  fresh: readonly RunRow[] = []
  hasMore = false
  cursor: string | undefined
  /** More is new than was asked for at once: the list is to be loaded again rather than added to. */
  isTorn = false
  readonly #places = new Map<string, number>()

  /** Adds the page that follows. */
  append({ data, hasMore, nextCursor }: { data: readonly Run[]; hasMore: boolean; nextCursor?: string }): void {
    const isFresh = new Set(this.fresh.map(({ id }) => id))
    const added = data.filter(({ id }) => !this.#places.has(id) && !isFresh.has(id))
    this.update(data)
    for (const [index, { id }] of added.entries()) this.#places.set(id, this.rows.length + index)
    this.rows = [...this.rows, ...added.map(toRow)]
    this.hasMore = hasMore
    this.cursor = nextCursor
  }

  /** Takes in the newest page as it is now. */
  refresh(data: readonly Run[], hasMore: boolean): void {
    const isFresh = new Set(this.fresh.map(({ id }) => id))
    const last = this.rows.at(-1)
    const isKnown = (id: string): boolean => this.#places.has(id) || isFresh.has(id)
    const added = data
      .filter(({ id }) => !isKnown(id))
      .map(toRow)
      // What is older than all that is shown comes with its page.
      .filter((row) => !this.hasMore || last === undefined || isBefore(row, last))
    if (hasMore && this.rows.length > 0 && added.length === data.length) this.isTorn = true
    this.update(data)
    if (added.length === 0) return
    this.fresh = [...this.fresh, ...added].sort(byAge)
    if (this.rows.length === 0) this.show()
  }

  /** Changes the rows of runs that are here already, in their places. */
  update(runs: readonly Run[]): void {
    let rows: RunRow[] | undefined
    for (const run of runs) {
      const place = this.#places.get(run.id)
      if (place === undefined) this.fresh = this.fresh.map((row) => (row.id === run.id ? newer(row, run) : row))
      else if (newer(this.rows[place], run) !== this.rows[place]) {
        rows ??= [...this.rows]
        rows[place] = toRow(run)
      }
    }
    if (rows !== undefined) this.rows = rows
  }

  remove(id: string): void {
    this.fresh = this.fresh.filter((row) => row.id !== id)
    if (this.#places.has(id)) this.#set(this.rows.filter((row) => row.id !== id))
  }

  /** Puts what is new where it belongs. */
  show(): void {
    this.#set([...this.fresh, ...this.rows].sort(byAge))
    this.fresh = []
  }

  has(id: string): boolean {
    return this.#places.has(id)
  }

  #set(rows: readonly RunRow[]): void {
    this.rows = rows
    this.#places.clear()
    for (const [place, { id }] of rows.entries()) this.#places.set(id, place)
  }
}

const newer = (row: RunRow | undefined, run: Run): RunRow =>
  row !== undefined && row.version >= run.version ? row : toRow(run)

/** Whether one run is listed before another: it is newer, or as new and its id is later. */
const isBefore = (one: RunRow, other: RunRow): boolean =>
  one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt

const byAge = (one: RunRow, other: RunRow): number => (one.id === other.id ? 0 : isBefore(one, other) ? -1 : 1)
