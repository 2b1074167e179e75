import type { Signal } from '@preact/signals'
import type { RunState } from '../state/run-state.ts'

/** The run that a page shows, now or as it was. */
export interface ShownRun {
  id: string
  /** All that is known of it. */
  live: RunState
  /** What is to be shown: the same as `live`, or how it was when event `past` had just happened. */
  state: RunState
  /** Number of the event up to which the run is shown; undefined: now. */
  past: Signal<number | undefined>
  /** Counts what was taken in: another object for each makes what shows it draw again. */
  turn: number
}
