import { useSignal } from '@preact/signals'
import type { Page, Runtime, SvcError } from '@svc/sdk/remote'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { runtime } from '../session/session.ts'
import { toError } from '../session/use-load.ts'

/** A list of which as many pages are loaded as were looked at. */
interface Pages<T> {
  items: readonly T[]
  isLoading: boolean
  error: SvcError | undefined
  /** Asks for the next page, where there is one. */
  more: () => void
  /** Begins again with the first page. */
  reload: () => void
}

/** Asks for a list page by page, from the beginning when `keys` change. */
export function usePages<T>(
  ask: (runtime: Runtime, after: { after?: string }) => Promise<Page<T>>,
  keys: readonly unknown[],
): Pages<T> {
  const state = useSignal<Loading<T>>(NOTHING)
  const newest = useRef(ask)
  newest.current = ask
  const turn = useRef(0)
  const { value: from } = runtime

  const load = useCallback(
    async (isFirst: boolean): Promise<void> => {
      const before = state.peek()
      if (!isFirst && (before.isDone || before.isLoading)) return
      const mine = isFirst ? ++turn.current : turn.current
      const after = isFirst ? undefined : before.after
      state.value = { ...before, isLoading: true }
      const next = await newest.current(from, after === undefined ? {} : { after }).then(
        ({ data, nextCursor }): Loading<T> => ({
          items: isFirst ? data : [...before.items, ...data],
          after: nextCursor,
          isDone: nextCursor === undefined,
        }),
        // What scrolls on does not ask again and again for what failed.
        (thrown): Loading<T> => ({ ...before, isDone: true, error: toError(thrown) }),
      )
      if (mine === turn.current) state.value = next
    },
    [from],
  )
  const key = JSON.stringify(keys)
  useEffect(() => {
    void load(true)
    return () => void turn.current++
  }, [load, key])
  const more = useCallback(() => void load(false), [load])
  const reload = useCallback(() => void load(true), [load])
  const { items, isLoading = false, error } = state.value
  return { items, isLoading, error, more, reload }
}

interface Loading<T> {
  items: readonly T[]
  after?: string | undefined
  isDone?: boolean
  isLoading?: boolean
  error?: SvcError
}

const NOTHING = { items: [] } as const
