import type { RunEvent } from '@svc/core'

/** Shows a run while it goes on, on standard error. */
export interface Progress {
  show(event: RunEvent): void
  /** Makes room for a question, and comes back after it. */
  pause<T>(work: () => Promise<T>): Promise<T>
  end(): void
  /** Whether this answer stands on the screen already, as the last thing that was said. Absent: it never does. */
  hasSaid?(answer: string): boolean
}
