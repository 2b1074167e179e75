import { useSignal } from '@preact/signals'
import { shownStateOf } from '@svc/core/client'
import type { RunEvent, Runtime } from '@svc/sdk/remote'
import { useEffect } from 'preact/hooks'
import { onRunEvent } from '../../session/run-events.ts'
import { runtime } from '../../session/session.ts'

/** How the run of a conversation stands that has not ended. */
export type ThreadState = 'running' | 'waiting'

/** Conversations in which somebody is at work, or that wait for a person. */
export function useThreadStates(): ReadonlyMap<string, ThreadState> {
  const runs = useSignal<RunsAtWork>(new Map())
  const { value: from } = runtime
  useEffect(() => {
    /** What happens while a list is on its way, by list: the list may be older. */
    const since = new Set<RunEvent[]>()
    const load = async (): Promise<void> => {
      const events: RunEvent[] = []
      since.add(events)
      const found = await readRuns(from).catch(() => undefined)
      since.delete(events)
      if (found !== undefined) runs.value = events.reduce(withEvent, found)
    }
    const take = (event: RunEvent): void => {
      for (const events of since) events.push(event)
      runs.value = withEvent(runs.peek(), event)
    }
    return onRunEvent(take, { onOpen: () => void load() })
  }, [from])
  // Another run of the conversation may end, such as one that was taken back before it began.
  return new Map(Array.from(runs.value.values(), ({ threadId, state }) => [threadId, state]))
}

type RunsAtWork = ReadonlyMap<string, { threadId: string; state: ThreadState }>

function withEvent(runs: RunsAtWork, { runId, type, threadId }: RunEvent): RunsAtWork {
  if (threadId === undefined || !Object.hasOwn(STATES, type)) return runs
  const next = new Map(runs)
  const state = STATES[type]
  if (state === undefined) next.delete(runId)
  else next.set(runId, { threadId, state })
  return next
}

const STATES: Readonly<Record<string, ThreadState | undefined>> = {
  'run.started': 'running',
  'run.resumed': 'running',
  'run.waiting': 'waiting',
  'run.completed': undefined,
  'run.incomplete': undefined,
  'run.failed': undefined,
  'run.cancelled': undefined,
}

async function readRuns({ runs }: Runtime): Promise<RunsAtWork> {
  const found = new Map<string, { threadId: string; state: ThreadState }>()
  for (const state of ['running', 'waiting'] as const) {
    const { data } = await runs.list({ status: state, limit: 100 })
    for (const run of data)
      if (run.threadId !== undefined && (state === 'waiting' || shownStateOf(run).isAtWork))
        found.set(run.id, { threadId: run.threadId, state })
  }
  return found
}
