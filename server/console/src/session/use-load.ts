import { useSignal, useSignalEffect } from '@preact/signals'
import type { RemoteRuntime } from '@svc/sdk/remote'
import { SvcError } from '@svc/sdk/remote'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { isAway, isBusy, isSignedOut, refuseKey, runtime } from './session.ts'

/** What was asked for, as far as it is here. */
export interface Loaded<T> {
  value: T | undefined
  /** Why the newest try failed. What was loaded before stays. */
  error: SvcError | undefined
  isLoading: boolean
  reload: () => void
}

/**
 * Asks the server for something, and again when `keys` change, when the server is back, and every `everyMs`.
 *
 * @param ask is handed a signal that is aborted where nobody waits for the answer any more
 */
export function useLoad<T>(
  ask: (runtime: RemoteRuntime, signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  { everyMs }: { everyMs?: number } = {},
): Loaded<T> {
  const state = useSignal<Omit<Loaded<T>, 'reload'>>({ value: undefined, error: undefined, isLoading: true })
  const turn = useSignal(0)
  const newest = useRef(ask)
  newest.current = ask
  const key = useSignal('')
  key.value = JSON.stringify(keys)
  const shown = useRef('')

  useSignalEffect(() => {
    void turn.value
    if (isAway.value || isSignedOut.value) return
    const { value: from } = runtime
    const { value: asked } = key
    const stop = new AbortController()
    const before = state.peek()
    // Another thing is asked for: what is shown is not it.
    const kept = shown.current === asked ? before.value : undefined
    state.value = { value: kept, error: before.error, isLoading: true }
    newest.current(from, stop.signal).then(
      (value) => {
        if (stop.signal.aborted) return
        shown.current = asked
        state.value = { value, error: undefined, isLoading: false }
      },
      (thrown) => {
        if (!stop.signal.aborted) state.value = { value: kept, error: toError(thrown), isLoading: false }
      },
    )
    return () => stop.abort()
  })

  useEffect(() => {
    if (everyMs === undefined) return
    const timer = setInterval(() => !document.hidden && !isBusy.peek() && turn.value++, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  const reload = useCallback(() => void turn.value++, [])
  return { ...state.value, reload }
}

/** Something that failed, as it is shown; a refused key is asked for again. */
export function toError(thrown: unknown): SvcError {
  const error = SvcError.isInstance(thrown) ? thrown : new SvcError('internal_error', String(thrown))
  if (error.code === 'unauthenticated') void refuseKey()
  return error
}
