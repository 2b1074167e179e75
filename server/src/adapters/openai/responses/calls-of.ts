import type { ClientCall, Run, Runtime } from '@svc/core'
import { eventsSoFar } from '../../../runs/events-so-far.ts'

/** Every call of tools of the client that a run has waited for, by id. */
export async function callsOf(runtime: Runtime, run: Run): Promise<ReadonlyMap<string, ClientCall>> {
  const calls = new Map<string, ClientCall>()
  for await (const event of eventsSoFar(runtime, run))
    if (event.type === 'run.waiting') for (const call of event.data.calls ?? []) calls.set(call.id, call)
  return calls
}
