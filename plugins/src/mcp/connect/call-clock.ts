import { ToolError } from '@svc/core'

/** The time-out of one call, which stands still while a person is asked and begins anew when the server shows that it works. */
export class CallClock {
  readonly #controller = new AbortController()
  readonly #what: string
  readonly #timeoutMs: number
  #timer: NodeJS.Timeout | undefined
  #paused = 0

  constructor(what: string, timeoutMs: number) {
    this.#what = what
    this.#timeoutMs = timeoutMs
    this.restart()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  restart(): void {
    clearTimeout(this.#timer)
    if (this.#paused > 0) return
    const message = `${this.#what} gave no answer within ${this.#timeoutMs / 1_000} s`
    const late = (): void => this.#controller.abort(new ToolError('tool_timeout', message))
    this.#timer = setTimeout(late, Math.min(this.#timeoutMs, 2 ** 31 - 1))
  }

  async pauseFor<T>(work: () => Promise<T>): Promise<T> {
    this.#paused++
    clearTimeout(this.#timer)
    try {
      return await work()
    } finally {
      this.#paused--
      this.restart()
    }
  }

  stop(): void {
    this.#paused++
    clearTimeout(this.#timer)
  }
}
