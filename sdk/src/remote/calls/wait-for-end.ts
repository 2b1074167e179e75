import type { EndedRun, Runtime } from '@svc/core/client'
import { isTerminal, toEndedRun } from '@svc/core/client'

/**
 * Waits until a run has ended, through any questions to a person.
 *
 * @throws what the runtime throws, also while a person is being asked
 */
export async function waitForEnd(runs: Pick<Runtime['runs'], 'wait' | 'events'>, id: string): Promise<EndedRun> {
  let run = await runs.wait(id)
  if (!isTerminal(run.status)) {
    for await (const _event of runs.events(id, { after: run.lastSeq, deltas: false })) {
      // The events of a run end when it does.
    }
    run = await runs.wait(id)
  }
  return toEndedRun(run)
}
