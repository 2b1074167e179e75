import type { Reach, RunQuery, Runtime } from '@svc/sdk/remote'
import { RunList } from './run-list.ts'

/** Runs that are asked for at once as one scrolls. */
const PAGE = 100
/** The newest ones, that are asked for when something has changed. */
const NEWEST = 50
/** Rows further down that are asked for one by one when something has changed. */
const MOST_SINGLE = 20
/** Changes that come so close to each other are asked for together. */
const GATHER_MS = 250

/** Where the runs come from. */
export type RunSource = Pick<Runtime, 'runs' | 'onRunEvent'>

/** A list of runs that is loaded page by page, and kept true while it is looked at. */
export class RunFeed {
  readonly list = new RunList()
  isLoading = true
  /** How often the newest runs were asked for again. */
  refreshes = 0
  error: unknown
  readonly #source: RunSource
  readonly #query: () => RunQuery & Reach
  readonly #changed: () => void
  readonly #happened = new Set<string>()
  /** Something has changed since the newest runs were asked for. */
  #isStale = false
  #gathering: ReturnType<typeof setTimeout> | undefined
  #isStopped = false
  readonly #unwatch: () => void

  /**
   * Asks for the first page and listens.
   *
   * @param query without paging
   * @param changed called after each change of what is here
   */
  constructor(source: RunSource, query: () => RunQuery & Reach, changed: () => void) {
    this.#source = source
    this.#query = query
    this.#changed = changed
    this.#unwatch = source.onRunEvent(
      ({ runId }) => {
        this.#happened.add(runId)
        this.#gather()
      },
      // What happened before the stream was open, or while it was cut, is not sent again.
      { onOpen: () => this.#gather() },
    )
    void this.#load()
  }

  /** Loads the page that follows, or tries again what failed. */
  async more(): Promise<void> {
    if (this.isLoading || (!this.list.hasMore && this.error === undefined)) return
    this.isLoading = true
    this.error = undefined
    this.#changed()
    await this.#load()
  }

  /** Asks again for the newest runs, and for those that something happened to. */
  async refresh(): Promise<void> {
    if (this.#isStopped || this.isLoading) return
    this.#isStale = false
    const happened = [...this.#happened]
    this.#happened.clear()
    try {
      const { data, hasMore } = await this.#source.runs.list({ ...this.#query(), limit: NEWEST })
      if (this.#isStopped) return
      this.list.refresh(data, hasMore)
      this.refreshes++
      const unseen = new Map(this.list.rows.map((row) => [row.id, row]))
      for (const { id } of data) unseen.delete(id)
      // What is not where it was may have been removed.
      const oldest = hasMore ? data.at(-1)?.createdAt : ''
      const gone = [...unseen.values()].filter(({ createdAt }) => oldest !== undefined && createdAt > oldest)
      const ids = new Set([...gone.map(({ id }) => id), ...happened.filter((id) => unseen.has(id))])
      const others = [...ids].slice(0, MOST_SINGLE)
      await Promise.all(others.map((id) => this.#reload(id)))
      this.error = undefined
    } catch (thrown) {
      this.error = thrown
      // What has changed is still to be asked for.
      this.#isStale = true
      for (const id of happened) this.#happened.add(id)
    }
    if (!this.#isStopped) this.#changed()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#gathering)
    this.#unwatch()
  }

  async #load(): Promise<void> {
    const { cursor } = this.list
    try {
      const query = { ...this.#query(), limit: PAGE, ...(cursor !== undefined && { after: cursor }) }
      const page = await this.#source.runs.list(query)
      if (this.#isStopped) return
      this.list.append(page)
      this.error = undefined
    } catch (thrown) {
      this.error = thrown
    }
    this.isLoading = false
    if (this.#isStopped) return
    this.#changed()
    if (this.#isStale) this.#gather()
  }

  async #reload(id: string): Promise<void> {
    const run = await this.#source.runs.get(id, { all: true }).catch((thrown) => {
      if ((thrown as { code?: unknown }).code === 'run_not_found') this.list.remove(id)
      return undefined
    })
    if (run !== undefined) this.list.update([run])
  }

  #gather(): void {
    this.#isStale = true
    if (this.#isStopped) return
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined
      void this.refresh()
    }, GATHER_MS)
  }
}
