import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { RunEvent } from '../../contracts/log/event.ts'
import type { StepKey, StepRow } from '../../contracts/log/journal.ts'

interface Opened {
  events: RunEvent[]
  steps: Map<StepKey, StepRow>
}

/** The fastest: what is asked for again is rare, and a log repeats itself so much that it comes down to a fifth. */
const LEVEL = 1

/** The events and steps of one run. Of a run that has ended, compressed: its objects would be walked at each collection. */
export class KeptLog {
  #opened: Opened | undefined
  #packed = ''

  constructor(steps: readonly StepRow[]) {
    this.#opened = { events: [], steps: new Map(steps.map((step) => [step.key, step])) }
  }

  get events(): readonly RunEvent[] {
    return this.#read().events
  }

  get steps(): ReadonlyMap<StepKey, StepRow> {
    return this.#read().steps
  }

  /** Numbers events and adds them. @returns the number of the last */
  append(events: readonly RunEvent[]): number {
    const kept = this.#open().events
    for (const event of events) {
      event.seq = kept.length + 1
      kept.push(event)
    }
    return kept.length
  }

  put(step: StepRow): void {
    this.#open().steps.set(step.key, step)
  }

  pack(): void {
    if (this.#opened === undefined) return
    const { events, steps } = this.#opened
    const json = JSON.stringify([events, [...steps.values()]])
    this.#packed = deflateRawSync(json, { level: LEVEL }).toString('latin1')
    this.#opened = undefined
  }

  #open(): Opened {
    this.#opened ??= this.#read()
    return this.#opened
  }

  #read(): Opened {
    if (this.#opened !== undefined) return this.#opened
    const json = inflateRawSync(Buffer.from(this.#packed, 'latin1')).toString()
    const [events, steps]: [RunEvent[], StepRow[]] = JSON.parse(json)
    return { events, steps: new Map(steps.map((step) => [step.key, step])) }
  }
}
