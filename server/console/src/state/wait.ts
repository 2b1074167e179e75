import { type Approval, type ClientCall, type EventOf, isTerminal } from '@svc/core/client'
import { newest } from './events.ts'
import type { RunState } from './run-state.ts'

/** What a run waits for. */
export interface Wait {
  approvals: Approval[]
  input: EventOf<'run.waiting'>['data']['input']
  /** Calls that the program makes which asked for the run. */
  calls: ClientCall[]
}

/** What a run waits for; undefined while it does not. Approvals may be open while others still work. */
export function waitOf({ view, events }: RunState): Wait | undefined {
  // Nobody is asked any more once it is to end, though questions may stand open in its log.
  if (isTerminal(view.status) || view.status === 'cancelling') return undefined
  const approvals = [...view.approvals.values()].filter(({ status }) => status === 'pending')
  const input = view.status === 'waiting' ? newest(events, 'run.waiting')?.data.input : undefined
  const calls = [...view.clientCalls.values()]
  return approvals.length > 0 || input !== undefined || calls.length > 0 ? { approvals, input, calls } : undefined
}
