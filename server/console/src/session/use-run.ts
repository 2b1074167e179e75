import { type Signal, useSignal } from '@preact/signals'
import type { RunEvent, SvcError } from '@svc/sdk/remote'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { RunState } from '../state/run-state.ts'
import { isSeen, runtime } from './session.ts'
import { toError } from './use-load.ts'

/** A run that is followed. */
export interface FollowedRun {
  /** The same object for as long as the run is followed. */
  state: RunState
  /** Counts what was taken in: read it where the state is shown. */
  version: Signal<number>
  error: SvcError | undefined
}

/**
 * Follows a run from its first event to its last. Events are taken in as they come and shown once a frame.
 */
export function useRun(id: string): FollowedRun {
  const version = useSignal(0)
  const error = useSignal<SvcError | undefined>(undefined)
  const { value: from } = runtime
  const state = useMemo(() => new RunState(), [id, from])
  const { value: isShown } = isSeen
  // The log is asked for before the page is painted for the first time.
  useLayoutEffect(() => {
    // It goes on from there when somebody looks again.
    if (!isShown) return
    const stop = new AbortController()
    const waiting: RunEvent[] = []
    let isScheduled = false
    error.value = undefined
    const take = (): void => {
      isScheduled = false
      for (const event of waiting.splice(0)) state.apply(event)
      version.value++
    }
    const schedule = (): void => {
      if (isScheduled) return
      isScheduled = true
      requestAnimationFrame(take)
    }
    const follow = async (): Promise<void> => {
      state.forgetPieces()
      const options = { after: state.events.length, signal: stop.signal, all: true }
      for await (const event of from.runs.events(id, options)) {
        // What was read already is sent again to who follows next.
        if (stop.signal.aborted) return
        waiting.push(event)
        schedule()
      }
      // No more comes: the rest need not wait.
      if (waiting.length > 0) take()
    }
    follow().catch((thrown) => {
      if (!stop.signal.aborted) error.value = toError(thrown)
    })
    return () => {
      stop.abort()
      take()
    }
  }, [id, from, state, isShown])
  return { state, version, error: error.value }
}
