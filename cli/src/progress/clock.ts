import type { RunEvent } from '@svc/core'

/** How long a run goes on, by the clock of the process that works on it: that of this machine may be hours off. */
export class RunClock {
  #startedMs: number | undefined
  #newestMs = 0
  /** What that clock is ahead of ours: of events that come late it seems less. */
  #aheadMs = Number.NEGATIVE_INFINITY

  apply({ time }: RunEvent): void {
    this.#newestMs = Date.parse(time)
    this.#startedMs ??= this.#newestMs
    this.#aheadMs = Math.max(this.#aheadMs, this.#newestMs - Date.now())
  }

  /** Milliseconds since the first event; where nobody works on the run, to the newest one. */
  elapsedMs(isAtWork: boolean): number {
    const untilMs = isAtWork ? Date.now() + this.#aheadMs : this.#newestMs
    return untilMs - (this.#startedMs ?? untilMs)
  }
}
