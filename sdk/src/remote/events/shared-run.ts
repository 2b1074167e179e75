import type { RunEvent } from '@svc/core/client'
import type { RunCursor } from './run-cursor.ts'
import type { RunHandlers } from './shared-feed.ts'

export interface RunReader {
  handlers: RunHandlers
  cursor: RunCursor
  stop: AbortController
}

/** A run and its readers, each as far as it is, over one connection. */
export class SharedRun {
  readonly readers = new Set<RunReader>()
  /** Number of the newest event of this connection; `Infinity` where it does not have the run. */
  #at = Number.POSITIVE_INFINITY

  /** Number after which a connection has what each of the readers lacks. */
  get after(): number {
    return Math.min(...Array.from(this.readers, ({ cursor }) => cursor.last))
  }

  /** What comes now is of a new connection. @param at the number after which it has the run; undefined where it has not */
  begin(at = Number.POSITIVE_INFINITY): void {
    this.#at = at
    for (const { cursor } of this.readers) cursor.cut()
  }

  /**
   * Whom an event is for. A reader that lacks what was before gets it of the next connection. What is not kept, and comes
   * before what a reader has already, is said again for another.
   */
  readersOf({ seq }: RunEvent): RunReader[] {
    return [...this.readers].filter(
      ({ cursor: { last } }) => last >= this.#at && (seq !== undefined || last === this.#at),
    )
  }

  /** An event was handed on. */
  passed({ seq = 0 }: RunEvent): void {
    this.#at = Math.max(this.#at, seq)
  }

  /** Who has all that this connection has sent. Others came later, or missed some of it: the next one has it for them. */
  get upToDate(): RunReader[] {
    return [...this.readers].filter(({ cursor }) => cursor.last >= this.#at)
  }
}
