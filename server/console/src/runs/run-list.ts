import { shownStateOf } from '@svc/core/client'
import type { Run } from '@svc/sdk/remote'
import { oneLine, tokensOf } from '../parts/format.ts'

interface Times {
  startedAt?: string | undefined
  finishedAt?: string | undefined
}

/** What a list shows of a run, and nothing heavy. */
export interface RunRow
  extends Pick<
    Run,
    | 'id'
    | 'status'
    | 'verdict'
    | 'left'
    | 'error'
    | 'incomplete'
    | 'mode'
    | 'costUsd'
    | 'createdAt'
    | 'version'
    | 'by'
    | 'found'
  > {
  /** On one line, cut. */
  task: string
  /** The folder that it is of. */
  space: string | undefined
  topology: string | undefined
  /** Those that it used, as `provider/model`. */
  models: readonly string[]
  startedAt: string | undefined
  finishedAt: string | undefined
  agents: number
  tokens: number
  tags: readonly string[]
}

export function toRow(run: Run): RunRow {
  const { id, status, mode, topology, costUsd, createdAt, startedAt, finishedAt, version, tags = [] } = run
  const { verdict, left, error, incomplete, space, by, found, models = [] } = run
  const state = {
    status,
    ...(verdict && { verdict }),
    ...(left && { left }),
    ...(error && { error }),
    ...(incomplete && { incomplete }),
    ...(by !== undefined && { by }),
    ...(found && { found }),
  }
  const figures = { agents: run.agents.length, tokens: tokensOf(run.usage) }
  const times = { createdAt, startedAt, finishedAt }
  return {
    id,
    ...state,
    mode,
    task: oneLine(run.task),
    space,
    topology,
    models: models.map(({ model }) => model),
    ...figures,
    costUsd,
    ...times,
    tags,
    version,
  }
}

/** How long a run has taken so far, in milliseconds; undefined before it begins, and while nobody works on it. */
export function durationOf(run: Pick<RunRow, 'status' | 'left'> & Times, now: number): number | undefined {
  const { startedAt, finishedAt } = run
  if (startedAt === undefined || (finishedAt === undefined && !shownStateOf(run).isAtWork)) return undefined
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

  /** Adds the page that follows. */
  append({ data, hasMore, nextCursor }: { data: readonly Run[]; hasMore: boolean; nextCursor?: string }): void {
    this.update(data)
    this.rows = [...this.rows, ...this.#unknown(data)]
    this.hasMore = hasMore
    this.cursor = nextCursor
  }

  /** Takes in the newest page as it is now. */
  refresh(data: readonly Run[], hasMore: boolean): void {
    const last = this.rows.at(-1)
    // What is older than all that is shown comes with its page.
    const added = this.#unknown(data).filter((row) => !this.hasMore || last === undefined || byAge(row, last) < 0)
    if (hasMore && this.rows.length > 0 && added.length === data.length) this.isTorn = true
    this.update(data)
    this.fresh = [...this.fresh, ...added].sort(byAge)
    if (this.rows.length === 0) this.show()
  }

  /** Changes the rows of runs that are here already, in their places. */
  update(runs: readonly Run[]): void {
    const byId = new Map(runs.map((run) => [run.id, run]))
    const renew = (row: RunRow): RunRow => {
      const run = byId.get(row.id)
      return run === undefined || run.version <= row.version ? row : toRow(run)
    }
    this.rows = this.rows.map(renew)
    this.fresh = this.fresh.map(renew)
  }

  remove(id: string): void {
    this.rows = this.rows.filter((row) => row.id !== id)
    this.fresh = this.fresh.filter((row) => row.id !== id)
  }

  /** Puts what is new where it belongs. */
  show(): void {
    this.rows = [...this.fresh, ...this.rows].sort(byAge)
    this.fresh = []
  }

  #unknown(data: readonly Run[]): RunRow[] {
    const known = new Set([...this.rows, ...this.fresh].map(({ id }) => id))
    return data.filter(({ id }) => !known.has(id)).map(toRow)
  }
}

/** The newer run comes first; of two as new, the one whose id is later. */
const byAge = (one: RunRow, other: RunRow): number => {
  const [a, b] = one.createdAt === other.createdAt ? [one.id, other.id] : [one.createdAt, other.createdAt]
  return a === b ? 0 : a > b ? -1 : 1
}
