import type { Approval, EventOf } from '@svc/core/client'
import { newest } from './events.ts'
import type { RunState } from './run-state.ts'

/** What a run waits for. */
export interface Wait {
  approvals: Approval[]
  input: EventOf<'run.waiting'>['data']['input']
}

/** What a run waits for; undefined while it does not. Approvals may be open while others still work. */
export function waitOf({ view, events }: RunState): Wait | undefined {
  const approvals = [...view.approvals.values()].filter(({ status }) => status === 'pending')
  const input = view.status === 'waiting' ? newest(events, 'run.waiting')?.data.input : undefined
  return approvals.length > 0 || input !== undefined ? { approvals, input } : undefined
}
