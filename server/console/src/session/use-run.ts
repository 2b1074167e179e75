import { type Signal, useSignal } from '@preact/signals'
import type { RunEvent, SvcError } from '@svc/sdk/remote'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { RunState } from '../state/run-state.ts'
import { runtime } from './session.ts'
import { streams } from './stream/streams.ts'
import { toError } from './use-load.ts'

/** A page that nobody sees has no frames: so long what has come may wait there. */
const UNSEEN_MS = 1_000

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
  const { value: read } = streams
  const state = useMemo(() => new RunState(), [id, from])
  // The log is asked for before the page is painted for the first time.
  useLayoutEffect(() => {
    // It goes on from there when somebody looks again.
    if (read === undefined) return
    const waiting: RunEvent[] = []
    let frame = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    error.value = undefined
    const take = (): void => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      timer = undefined
      for (const event of waiting.splice(0)) state.apply(event)
      version.value++
    }
    state.forgetPieces()
    const stop = read.readRun(id, {
      after: state.events.length,
      onEvents(events) {
        for (const event of events) waiting.push(event)
        if (timer !== undefined) return
        frame = requestAnimationFrame(take)
        timer = setTimeout(take, UNSEEN_MS)
      },
      onEnd(thrown) {
        // No more comes: the rest need not wait.
        if (waiting.length > 0) take()
        if (thrown !== undefined) error.value = toError(thrown)
      },
    })
    return () => {
      stop()
      take()
    }
  }, [id, from, read, state])
  return { state, version, error: error.value }
}
