import { useSignal } from '@preact/signals'
import type { SvcError } from '@svc/sdk/remote'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { hearsAll, onRunEvent } from '../session/run-events.ts'
import { isAway, runtime } from '../session/session.ts'
import { toError } from '../session/use-load.ts'
import { type Filters, toAddress, toQuery } from './filters.ts'
import { RunFeed } from './run-feed.ts'
import { RunList } from './run-list.ts'

/** The runs that fit, as far as they are loaded. */
export interface ShownRuns {
  list: RunList
  error: SvcError | undefined
  isLoading: boolean
  /** Counts how often the newest runs were asked for again. */
  refreshes: number
  /** Loads the next page, or tries again what failed. */
  more: () => void
  /** Puts new runs into the list; the list begins again where there are too many of them. */
  show: () => void
  /** Takes a run out that is gone. */
  removed: (id: string) => void
}

const NOTHING = new RunList()

/** Lists the runs that fit, and follows their changes. */
export function useRuns(filters: Filters): ShownRuns {
  const turn = useSignal(0)
  const begun = useSignal(0)
  const feed = useRef<RunFeed | undefined>(undefined)
  const { value: from } = runtime
  const { value: away } = isAway
  const address = toAddress(filters)
  const { value: count } = begun
  void turn.value
  // What is shown of other filters goes at once; of these it stays until it is loaded again.
  useMemo(() => {
    feed.current?.stop()
    feed.current = undefined
  }, [from, address])
  // Asked for before the page is painted for the first time, and before anything else is.
  useLayoutEffect(() => {
    const made = new RunFeed(
      { runs: from.runs, onRunEvent },
      () => toQuery(filters),
      () => {
        feed.current = made
        turn.value++
      },
    )
    return () => made.stop()
  }, [from, address, count])
  useLayoutEffect(() => {
    hearsAll.value = filters.folders === 'all'
    return () => (hearsAll.value = false)
  }, [filters.folders])
  useEffect(() => {
    const { current } = feed
    if (!away) void (current?.error === undefined ? current?.refresh() : current.more())
  }, [away])
  const { current } = feed
  return {
    list: current?.list ?? NOTHING,
    // That the server is away is said above every page.
    error: current?.error === undefined || away ? undefined : toError(current.error),
    isLoading: current?.isLoading ?? true,
    refreshes: current?.refreshes ?? 0,
    more: () => void feed.current?.more(),
    removed(id) {
      feed.current?.list.remove(id)
      turn.value++
      void feed.current?.refresh()
    },
    show() {
      if (feed.current?.list.isTorn) begun.value++
      else {
        feed.current?.list.show()
        turn.value++
      }
    },
  }
}
