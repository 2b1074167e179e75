import { CapacityError } from '../../errors.ts'

/** Counts the runs that one process works on and those that wait for it, so that a flood is refused and not stored. */
export class RunQueue {
  /** Runs that may be worked on at once. */
  readonly limit: number
  readonly #mostQueued: number
  readonly #queued = new Set<string>()
  readonly #running = new Set<string>()
  readonly #withoutDeltas = new Set<string>()
  #coming = 0

  constructor(running = 8, queued = 1000) {
    this.limit = running
    this.#mostQueued = queued
  }

  /** How many more may be worked on now. */
  get free(): number {
    return this.limit - this.#running.size
  }

  /**
   * Keeps a place for a run that is being made, until it is left.
   *
   * @returns its place in the queue, 0 where it can start at once
   * @throws CapacityError `queue_full`
   */
  enter(): { position: number; leave(runId?: string): void } {
    const waiting = Math.max(0, this.#queued.size + this.#coming - Math.max(0, this.free))
    if (waiting >= this.#mostQueued) {
      throw new CapacityError('queue_full', `${this.#mostQueued} runs are waiting already: try again later`)
    }
    const isFree = this.#running.size + this.#queued.size + this.#coming < this.limit
    this.#coming++
    return {
      position: isFree ? 0 : waiting + 1,
      leave: (runId) => {
        this.#coming--
        if (runId !== undefined && !this.#running.has(runId)) this.#queued.add(runId)
      },
    }
  }

  /** The caller that made a run reads no pieces of answers. */
  skipDeltas(runId: string): void {
    this.#withoutDeltas.add(runId)
  }

  wantsDeltas(runId: string): boolean {
    return !this.#withoutDeltas.has(runId)
  }

  start(runId: string): void {
    this.#queued.delete(runId)
    this.#running.add(runId)
  }

  end(runId: string): void {
    this.#running.delete(runId)
    this.#withoutDeltas.delete(runId)
  }
}
