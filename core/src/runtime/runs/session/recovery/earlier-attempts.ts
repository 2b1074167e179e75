import type { EventData, RunEvent } from '../../../../contracts/log/event.ts'
import type { StepRow } from '../../../../contracts/log/journal.ts'
import { workedMs } from '../work-time.ts'

/** What earlier lives of a run have left. */
export class EarlierAttempts {
  readonly #events: readonly RunEvent[]
  readonly #steps: readonly StepRow[]

  constructor(events: readonly RunEvent[], steps: readonly StepRow[]) {
    this.#events = events
    this.#steps = steps
  }

  /** What `run.recovered` says of it. */
  get recovered(): { replayedEvents: number; indeterminate: string[] } {
    const begun = this.#steps.filter(({ effect, state }) => effect === 'once' && state === 'begun')
    return { replayedEvents: this.#events.length, indeterminate: begun.map(({ key }) => key) }
  }

  /** For how long they have worked on the run. */
  get workedMs(): number {
    return workedMs(this.#events)
  }

  /** The event with which one of them has begun to wait for this. */
  findWaiting(data: EventData['run.waiting']): RunEvent | undefined {
    const asked = JSON.stringify(data)
    return this.#events.findLast((event) => event.type === 'run.waiting' && JSON.stringify(event.data) === asked)
  }
}
