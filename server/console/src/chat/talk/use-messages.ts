import { useSignal } from '@preact/signals'
import type { Run, RunEvent, Runtime, SvcError, ThreadMessage } from '@svc/sdk/remote'
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks'
import { onRunEvent } from '../../session/run-events.ts'
import { isAway, isSignedOut, runtime } from '../../session/session.ts'
import { toError } from '../../session/use-load.ts'
import { type Turn, toTurns, withNewest } from './turns.ts'

/** Messages of one page: more than a window shows, and few enough to be drawn at once. */
const PER_PAGE = 30
/** Each of them has a question and an answer. */
const RUNS_PER_PAGE = PER_PAGE / 2
/** What happens so close together is asked about once. */
const PAUSE_MS = 80

/** What was said in a conversation, as far as it was looked at. */
export interface Talk {
  turns: readonly Turn[]
  /** Whether there is more before. */
  hasEarlier: boolean
  isLoading: boolean
  /** Whether nothing was read yet. */
  isFirst: boolean
  error: SvcError | undefined
  earlier: () => void
  refresh: () => void
  /** Shows a run that was just made, before the server is asked again. */
  add: (run: Run, asked: Partial<ThreadMessage>) => void
}

interface State {
  messages: readonly ThreadMessage[]
  runs: ReadonlyMap<string, Run>
  /** Leads to the messages before; undefined where there are none. */
  before: string | undefined
  /** Leads to the runs before those that are known. */
  runsBefore: string | undefined
  isLoading: boolean
  isFirst: boolean
  error: SvcError | undefined
}

const EMPTY: State = {
  messages: [],
  runs: new Map(),
  before: undefined,
  runsBefore: undefined,
  isLoading: false,
  isFirst: true,
  error: undefined,
}

/** Follows a conversation: its newest messages, and earlier ones as they are asked for. @param id empty: a new one, with nothing in it */
export function useMessages(id: string): Talk {
  const { value: from } = runtime
  const state = useSignal<State>(EMPTY)
  const shown = useRef('')
  // What was said in another conversation is not shown for a moment in this one.
  if (shown.current !== id) {
    // A conversation that was just begun goes on with the message that began it.
    const isBegun = shown.current === '' && state.peek().messages.length > 0
    shown.current = id
    if (!isBegun) state.value = EMPTY
  }
  const newest = useRef(0)

  const refresh = useCallback(async (): Promise<void> => {
    if (id === '' || id !== shown.current || isSignedOut.peek()) return
    const turn = ++newest.current
    state.value = { ...state.peek(), isLoading: true }
    const next = await readNewest(from, id, () => state.peek()).catch(
      (thrown): Partial<State> => ({ error: toError(thrown) }),
    )
    if (turn === newest.current) state.value = { ...state.peek(), isFirst: false, ...next, isLoading: false }
  }, [from, id])

  const earlier = useCallback(async (): Promise<void> => {
    if (state.peek().before === undefined || state.peek().isLoading) return
    const turn = ++newest.current
    state.value = { ...state.peek(), isLoading: true }
    const next = await readEarlier(from, id, state.peek()).catch(
      (thrown): Partial<State> => ({ error: toError(thrown) }),
    )
    if (turn === newest.current) state.value = { ...state.peek(), ...next, isLoading: false }
    else state.value = { ...state.peek(), isLoading: false }
  }, [from, id])

  useEffect(() => {
    void refresh()
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => void refresh(), PAUSE_MS)
    }
    const take = ({ threadId }: RunEvent): void => {
      if (threadId === id && id !== '') soon()
    }
    const stop = onRunEvent(take, { onOpen: soon })
    return () => {
      clearTimeout(timer)
      stop()
      newest.current++
    }
  }, [refresh, id])
  const { value: away } = isAway
  const { value: isOut } = isSignedOut
  const wasThere = useRef(true)
  useEffect(() => {
    const isThere = !away && !isOut
    if (isThere && !wasThere.current) void refresh()
    wasThere.current = isThere
  }, [away, isOut, refresh])

  const add = useCallback((run: Run, asked: Partial<ThreadMessage>): void => {
    const message: ThreadMessage = {
      role: 'user',
      content: run.task,
      runId: run.id,
      status: run.status,
      createdAt: run.createdAt,
      ...asked,
    }
    const { messages, runs } = state.peek()
    newest.current++
    if (!messages.some(({ runId }) => runId === run.id))
      state.value = {
        ...state.peek(),
        isFirst: false,
        messages: [...messages, message],
        runs: new Map([...runs, [run.id, run]]),
        isLoading: false,
      }
  }, [])

  const { messages, runs, before, isLoading, isFirst, error } = state.value
  const turns = useMemo(() => toTurns(messages, runs), [messages, runs])
  return {
    turns,
    hasEarlier: before !== undefined,
    isLoading,
    isFirst,
    error,
    earlier: useCallback(() => void earlier(), [earlier]),
    refresh: useCallback(() => void refresh(), [refresh]),
    add,
  }
}

async function readNewest({ threads, runs: list }: Runtime, id: string, known: () => State): Promise<Partial<State>> {
  const [page, listed] = await Promise.all([
    threads.listMessages(id, { order: 'desc', limit: PER_PAGE }),
    list.list({ threadId: id, limit: RUNS_PER_PAGE }),
  ])
  const { messages, before, runs, runsBefore } = known()
  const newest = page.data.toReversed()
  const merged = withNewest(messages, newest)
  const isWhole = merged !== undefined && messages.length > 0 && merged.length > newest.length
  return {
    messages: merged ?? newest,
    before: isWhole ? before : page.nextCursor,
    runsBefore: isWhole ? runsBefore : listed.nextCursor,
    runs: new Map([...runs, ...listed.data.map((run) => [run.id, run] as const)]),
    error: undefined,
  }
}

/** The page before what is known, with its runs. */
async function readEarlier({ threads, runs: list }: Runtime, id: string, known: State): Promise<Partial<State>> {
  const { messages, runs, before = '', runsBefore } = known
  const [page, listed] = await Promise.all([
    threads.listMessages(id, { order: 'desc', limit: PER_PAGE, after: before }),
    runsBefore === undefined
      ? { data: [], nextCursor: undefined }
      : list.list({ threadId: id, limit: RUNS_PER_PAGE, after: runsBefore }),
  ])
  return {
    messages: [...page.data.toReversed(), ...messages],
    before: page.nextCursor,
    runs: new Map([...listed.data.map((run) => [run.id, run] as const), ...runs]),
    runsBefore: listed.nextCursor,
  }
}
