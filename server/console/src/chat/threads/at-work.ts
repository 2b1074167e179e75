import { useSignal } from '@preact/signals'
import { shownStateOf } from '@svc/core/client'
import type { Runtime } from '@svc/sdk/remote'
import { useEffect } from 'preact/hooks'
import { onRunEvent } from '../../session/run-events.ts'
import { runtime } from '../../session/session.ts'

/** How the run of a conversation stands that has not ended. */
export type ThreadState = 'running' | 'waiting'

/** Conversations in which somebody is at work, or that wait for a person. */
export function useThreadStates(): ReadonlyMap<string, ThreadState> {
  const runs = useSignal<ReadonlyMap<string, RunAtWork>>(new Map())
  const { value: from } = runtime
  useEffect(() => {
    const load = (): void =>
      void readRuns(from).then(
        (found) => (runs.value = found),
        () => {},
      )
    return onRunEvent(
      ({ runId, type, threadId }) => {
        if (threadId === undefined || !Object.hasOwn(STATES, type)) return
        const next = new Map(runs.peek())
        const state = STATES[type]
        if (state === undefined) next.delete(runId)
        else next.set(runId, { threadId, state })
        runs.value = next
      },
      { onOpen: load },
    )
  }, [from])
  // Another run of the conversation may end, such as one that was taken back before it began.
  return new Map(Array.from(runs.value.values(), ({ threadId, state }) => [threadId, state]))
}

interface RunAtWork {
  threadId: string
  state: ThreadState
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

async function readRuns({ runs }: Runtime): Promise<Map<string, RunAtWork>> {
  const found = new Map<string, RunAtWork>()
  for (const state of ['running', 'waiting'] as const) {
    const { data } = await runs.list({ status: state, limit: 100 })
    for (const run of data)
      if (run.threadId !== undefined && (state === 'waiting' || shownStateOf(run).isAtWork))
        found.set(run.id, { threadId: run.threadId, state })
  }
  return found
}
