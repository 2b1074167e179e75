import type { Signal } from '@preact/signals'
import { isTerminal } from '@svc/core/client'
import { clock } from '../session/clock.ts'
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

/**
 * The end of the time that is shown, in milliseconds since the epoch: it goes on while the run is at work, and stands still
 * while it waits for a person, once it has ended, and where one looks back.
 */
export function endOfTime({ state, past }: ShownRun): number {
  const { status } = state.view
  const isStill = past.value !== undefined || status === 'waiting' || isTerminal(status) || state.events.length === 0
  return isStill ? state.newestAt : Math.max(state.newestAt, clock.value)
}
