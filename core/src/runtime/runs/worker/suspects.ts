import type { RunRow } from '../../../contracts/store/store.ts'

/** How long a run waits after a life in which it did not get on, in milliseconds; twice as long after each further one. */
const FIRST_WAIT_MS = 250
const MOST_DOUBLINGS = 7

/**
 * Runs that may have ended the process of their last life. They are taken up one at a time, each a while later than
 * before: so a run that ends a process ends no other suspect's life with it, and the others get on meanwhile.
 */
export class Suspects {
  /** When this process first found a run left after so many recoveries, on its own clock. */
  readonly #found = new Map<string, { recoveries: number; at: number }>()

  /**
   * @param isOneAtWork whether another suspect is at work that has not got on yet
   * @returns milliseconds until the run may be taken up, 0 for now
   */
  waitFor(row: RunRow, isOneAtWork: boolean): number {
    if (!isSuspect(row)) return 0
    const { id, recoveries } = row
    let found = this.#found.get(id)
    if (found?.recoveries !== recoveries) {
      found = { recoveries, at: performance.now() }
      this.#found.set(id, found)
    }
    const waitMs = FIRST_WAIT_MS * 2 ** Math.min(recoveries - 1, MOST_DOUBLINGS)
    const leftMs = Math.max(0, found.at + waitMs - performance.now())
    return isOneAtWork ? Math.max(leftMs, FIRST_WAIT_MS) : leftMs
  }

  forget(runId: string): void {
    this.#found.delete(runId)
  }
}

/** Whether a run has begun a step in a recovery and recorded nothing since. One that waits for a person does nothing. */
export const isSuspect = ({ recoveries, status }: RunRow): boolean => recoveries > 0 && status !== 'waiting'
