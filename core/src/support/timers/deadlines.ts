/** Something that must be over by a time. */
interface Deadline {
  at: number
  expire: () => void
}

/**
 * Many time-outs over one timer: nearly all of them are called off long before their time, and a timer each would cost
 * more than the work it guards. Monotonic. Keeps a process alive only while something is under way.
 */
export class Deadlines {
  readonly #open = new Set<Deadline>()
  #timer: NodeJS.Timeout | undefined
  #armedFor = Number.POSITIVE_INFINITY

  /** @returns how to call it off */
  add(ms: number, expire: () => void): () => void {
    if (ms === Number.POSITIVE_INFINITY) return () => {}
    const deadline = { at: performance.now() + ms, expire }
    this.#open.add(deadline)
    if (deadline.at < this.#armedFor) this.#arm(deadline.at)
    else if (this.#open.size === 1) this.#timer?.ref()
    return () => {
      if (this.#open.delete(deadline) && this.#open.size === 0) this.#timer?.unref()
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#open.clear()
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#armedFor = at
    this.#timer = setTimeout(() => this.#check(), Math.min(Math.max(1, Math.ceil(at - performance.now())), 2 ** 31 - 1))
  }

  #check(): void {
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    this.#armedFor = next
    for (const deadline of this.#open) {
      if (deadline.at <= now) {
        this.#open.delete(deadline)
        deadline.expire()
      } else if (deadline.at < next) next = deadline.at
    }
    if (next < this.#armedFor) this.#arm(next)
  }
}
