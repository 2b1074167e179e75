import { useSignal } from '@preact/signals'
import type { Runtime } from '@svc/sdk/remote'
import { useEffect } from 'preact/hooks'
import { onRunEvent } from '../../session/run-events.ts'
import { runtime } from '../../session/session.ts'

/** How the run of a conversation stands that has not ended. */
export type ThreadState = 'running' | 'waiting'

/** Conversations in which somebody is at work, or that wait for a person. */
export function useThreadStates(): ReadonlyMap<string, ThreadState> {
  const states = useSignal<ReadonlyMap<string, ThreadState>>(new Map())
  const { value: from } = runtime
  useEffect(() => {
    const set = (id: string, state: ThreadState | undefined): void => {
      const next = new Map(states.peek())
      if (state === undefined) next.delete(id)
      else next.set(id, state)
      states.value = next
    }
    const load = (): void =>
      void readStates(from).then(
        (found) => (states.value = found),
        () => {},
      )
    return onRunEvent(
      ({ type, threadId }) => {
        if (threadId !== undefined && Object.hasOwn(STATES, type)) set(threadId, STATES[type])
      },
      { onOpen: load },
    )
  }, [from])
  return states.value
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

async function readStates({ runs }: Runtime): Promise<Map<string, ThreadState>> {
  const states = new Map<string, ThreadState>()
  for (const status of ['running', 'waiting'] as const) {
    const { data } = await runs.list({ status, limit: 100 })
    for (const { threadId, left } of data) if (threadId !== undefined && left !== true) states.set(threadId, status)
  }
  return states
}
