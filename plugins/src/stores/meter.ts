import type { StoreMeasurement } from '@svc/core'
import type { RecordText } from './run-record.ts'

type Handler = (measured: StoreMeasurement) => void

/** Who wants to know what writes cost. Until somebody does, nothing is measured. */
export class Meter {
  readonly #handlers = new Set<Handler>()

  /** @returns how to stop */
  readonly watch = (handler: Handler): (() => void) => {
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  /** When a write begins; 0 where nobody asks. */
  begin(): number {
    return this.#handlers.size === 0 ? 0 : performance.now()
  }

  /** @param started what `begin` answered */
  written(started: number): void {
    if (started === 0) return
    const durationMs = performance.now() - started
    for (const handler of this.#handlers) handler({ kind: 'write', durationMs })
  }

  logged({ body, events, steps }: RecordText): void {
    if (this.#handlers.size === 0) return
    const bytes = events + steps === 0 ? 0 : Buffer.byteLength(body)
    for (const handler of this.#handlers) handler({ kind: 'log', bytes })
  }
}
