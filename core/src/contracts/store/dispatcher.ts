import type { ClaimedRun } from './leases.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** A queue of the store's own. */
export interface Dispatcher {
  /**
   * Hands out runs that nobody holds, by a queue of the store's own over all processes. Without it each worker claims them.
   *
   * @param start works on a run; answers when this process has done with it, or it waits for somebody. False: it was not
   *   worked on, be it that it is held already. It is handed a run that was leased as it was made: nobody claims that one
   * @param options.limit runs that this process works on at once
   * @param options.space only runs of this space, and those of none
   * @returns how to stop: nothing is handed out from then on, and what was has `drainMs` to come back
   */
  dispatch(
    start: (runId: string, claimed?: ClaimedRun) => Promise<boolean>,
    options: { limit: number; space?: string },
  ): MaybePromise<(drainMs: number) => Promise<void>>
}
