import { CapacityError, isTerminalEvent, type RunEvent } from '@svc/core'

interface Held {
  holder: string
  bytes: number
}

/** What all keys, and each one, may hold. */
const MOST_BYTES = 1_073_741_824
const MOST_BYTES_EACH = 268_435_456
/** What a run takes beside what it was asked for. */
const RUN_BYTES = 65_536
/** Runs that another process works on are not heard of again. */
const MOST_MADE = 10_000

/**
 * What was asked for with runs that this process works on: it stays in memory until they end, also while they wait for a client that
 * has left.
 */
export class HeldRequests {
  /** Of which nothing was heard yet, the oldest first. */
  readonly #made = new Map<string, Held>()
  readonly #held = new Map<string, Held>()
  readonly #byHolder = new Map<string, number>()
  #bytes = 0

  /** @throws CapacityError `queue_full` */
  assertRoom(holder: string, bytes: number): void {
    const more = bytes + RUN_BYTES
    const own = (this.#byHolder.get(holder) ?? 0) + more
    if (own <= MOST_BYTES_EACH && this.#bytes + more <= MOST_BYTES) return
    throw new CapacityError(
      'queue_full',
      'what runs were asked for that have not ended takes too much memory: end some, or answer what they wait for',
    )
  }

  /** A run was made. */
  add(runId: string, holder: string, bytes: number): void {
    if (this.#held.has(runId)) return
    this.#made.set(runId, { holder, bytes: bytes + RUN_BYTES })
    const [oldest] = this.#made.size > MOST_MADE ? this.#made.keys() : []
    if (oldest !== undefined) this.#made.delete(oldest)
  }

  apply(event: RunEvent): void {
    const { runId, type } = event
    if (isTerminalEvent(event)) {
      this.#made.delete(runId)
      const held = this.#held.get(runId)
      if (held !== undefined && this.#held.delete(runId)) this.#count(held.holder, -held.bytes)
    } else if (type === 'run.started' || type === 'model.started' || type === 'run.waiting') {
      const made = this.#made.get(runId)
      if (made === undefined) return
      this.#made.delete(runId)
      this.#held.set(runId, made)
      this.#count(made.holder, made.bytes)
    }
  }

  #count(holder: string, bytes: number): void {
    this.#bytes += bytes
    const own = (this.#byHolder.get(holder) ?? 0) + bytes
    if (own === 0) this.#byHolder.delete(holder)
    else this.#byHolder.set(holder, own)
  }
}
