import type { SvcError, Thread } from '@svc/sdk/remote'
import { useEffect, useRef } from 'preact/hooks'
import { usePages } from '../../parts/use-pages.ts'
import { onRunEvent } from '../../session/run-events.ts'

const PER_PAGE = 50
/** What happens so close together is asked about once. */
const PAUSE_MS = 300

/** The conversations of this folder, as far as they were looked at, the newest activity first. */
export interface ThreadList {
  threads: readonly Thread[]
  isLoading: boolean
  error: SvcError | undefined
  more: () => void
  reload: () => void
}

export function useThreads(): ThreadList {
  const {
    items: threads,
    isLoading,
    error,
    more,
    reload,
  } = usePages(({ threads }, after) => threads.list({ order: 'activity', limit: PER_PAGE, ...after }), [])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    const soon = (): void => {
      clearTimeout(timer.current)
      timer.current = setTimeout(reload, PAUSE_MS)
    }
    const stop = onRunEvent((event) => {
      if (event.type === 'run.created' && event.threadId !== undefined) soon()
    })
    return () => {
      clearTimeout(timer.current)
      stop()
    }
  }, [reload])
  return { threads, isLoading, error, more, reload }
}
