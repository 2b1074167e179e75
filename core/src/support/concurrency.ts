/** Lets at most `limit` pieces of work run at once; the others wait in order. */
export class Semaphore {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Resolves when no more than the limit run; `leave` ends one. Throws the signal's reason. */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.#running >= this.#limit) await this.#turn(signal)
    else this.#running++
  }

  leave(): void {
    // A turn is handed on, never freed first: a call that comes just then would take it too.
    const next = this.#waiting.shift()
    if (next === undefined) this.#running--
    else next()
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1)
        reject(signal.reason)
      }
      const go = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(go)
    })
  }
}
