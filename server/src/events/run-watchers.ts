import { randomUUID } from 'node:crypto'
import type { Reach, RunEvent, Runtime } from '@svc/core'
import { toFrame } from './frame.ts'
import type { RunReader } from './run-reader.ts'

/** Readers of what begins, waits and ends; it is listened while there are any. */
export class RunWatchers {
  readonly #runtime: Runtime
  readonly #reach: Reach
  readonly #payloadBytes: number
  readonly #readers = new Set<RunReader>()
  #stop: (() => void) | undefined
  /** As long as it is listened without a pause. */
  #period = randomUUID()
  /** Events of this period. */
  #told = 0

  constructor(runtime: Runtime, payloadBytes: number, reach: Reach) {
    this.#runtime = runtime
    this.#reach = reach
    this.#payloadBytes = payloadBytes
  }

  /** Where one begins who reads from now on: who has read up to there over another connection has missed nothing. */
  get place(): string {
    return `${this.#period}:${this.#told}`
  }

  add(reader: RunReader): void {
    this.#readers.add(reader)
    this.#stop ??= this.#runtime.onRunEvent((event) => this.#tell(event), this.#reach)
  }

  remove(reader: RunReader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    this.#stop?.()
    this.#stop = undefined
    this.#period = randomUUID()
    this.#told = 0
  }

  /** Ends the streams, which have no end of their own. */
  end(): void {
    for (const reader of this.#readers) reader.client.cut('closing')
  }

  #tell(event: RunEvent): void {
    this.#told++
    const frame = toFrame(event, this.#payloadBytes, false)
    // Numbers are those of one run: readers of all runs have no cursor.
    const { seq: _, ...unnumbered } = event
    for (const reader of this.#readers) reader.offer(unnumbered as RunEvent, frame)
  }
}
