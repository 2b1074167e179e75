import type { ServerResponse } from 'node:http'
import { CapacityError } from '@svc/core'

const WINDOW_MS = 60_000
/** Callers that are counted at once; beyond it those whose window is oldest are forgotten. */
const MOST_CALLERS = 10_000

/** Counts requests of each caller in windows of a minute. */
export class RateLimit {
  readonly #limit: number
  readonly #clock: () => number
  readonly #callers = new Map<string, { count: number; endsAt: number }>()

  /** @param clock milliseconds that never go back */
  constructor(limit: number, clock: () => number = () => performance.now()) {
    this.#limit = limit
    this.#clock = clock
  }

  /** Takes one request, and says on the response what is left. @throws CapacityError `rate_limited` */
  take(caller: string, response: ServerResponse): void {
    const now = this.#clock()
    let window = this.#callers.get(caller)
    if (window === undefined || window.endsAt <= now) {
      this.#callers.delete(caller)
      window = { count: 0, endsAt: now + WINDOW_MS }
      this.#callers.set(caller, window)
      if (this.#callers.size > MOST_CALLERS) this.#callers.delete(this.#callers.keys().next().value as string)
    }
    window.count++
    const seconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000))
    response.setHeader('RateLimit-Policy', `"default";q=${this.#limit};w=${WINDOW_MS / 1000}`)
    response.setHeader('RateLimit', `"default";r=${Math.max(0, this.#limit - window.count)};t=${seconds}`)
    if (window.count > this.#limit) {
      throw new CapacityError('rate_limited', `more than ${this.#limit} requests in a minute: go on in ${seconds} s`, {
        details: { retryAfterSeconds: seconds },
      })
    }
  }
}
