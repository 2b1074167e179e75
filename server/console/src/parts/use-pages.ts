import { useSignal } from '@preact/signals'
import type { Page, Runtime, SvcError } from '@svc/sdk/remote'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { runtime } from '../session/session.ts'
import { toError } from '../session/use-load.ts'

/** A list of which as many pages are loaded as were looked at. */
export interface Pages<T> {
  items: readonly T[]
  isLoading: boolean
  error: SvcError | undefined
  /** Asks for the next page, where there is one. */
  more: () => void
  /** Begins again with the first page. */
  reload: () => void
  /** Takes out what is no more. */
  drop: (isGone: (item: T) => boolean) => void
}

/** Asks for a list page by page, from the beginning when `keys` change. */
export function usePages<T>(
  ask: (runtime: Runtime, after: { after?: string }) => Promise<Page<T>>,
  keys: readonly unknown[],
): Pages<T> {
  const state = useSignal<Loading<T>>(EMPTY)
  const error = useSignal<SvcError | undefined>(undefined)
  const newest = useRef(ask)
  newest.current = ask
  const turn = useRef(0)
  const { value: from } = runtime

  const load = useCallback(
    (isFirst: boolean): void => {
      const before: Loading<T> = isFirst ? EMPTY : state.peek()
      if (!isFirst && (before.isDone || before.isLoading)) return
      if (isFirst) turn.current++
      const { current: mine } = turn
      state.value = { ...(isFirst ? { ...EMPTY, items: state.peek().items } : before), isLoading: true }
      newest.current(from, before.after === undefined ? {} : { after: before.after }).then(
        ({ data, nextCursor }) => {
          if (mine !== turn.current) return
          error.value = undefined
          state.value = {
            items: [...before.items, ...data],
            ...(nextCursor !== undefined && { after: nextCursor }),
            isDone: nextCursor === undefined,
            isLoading: false,
          }
        },
        (thrown) => {
          if (mine !== turn.current) return
          error.value = toError(thrown)
          // What scrolls on does not ask again and again for what failed.
          state.value = { ...state.peek(), isDone: true, isLoading: false }
        },
      )
    },
    [from],
  )
  const key = JSON.stringify(keys)
  useEffect(() => {
    load(true)
    return () => void turn.current++
  }, [load, key])
  const more = useCallback(() => load(false), [load])
  const reload = useCallback(() => load(true), [load])
  const drop = useCallback((isGone: (item: T) => boolean) => {
    state.value = { ...state.peek(), items: state.peek().items.filter((item) => !isGone(item)) }
  }, [])
  const { items, isLoading } = state.value
  return { items, isLoading, error: error.value, more, reload, drop }
}

interface Loading<T> {
  items: readonly T[]
  after?: string
  isDone: boolean
  isLoading: boolean
}

const EMPTY = { items: [], isDone: false, isLoading: false } as const
