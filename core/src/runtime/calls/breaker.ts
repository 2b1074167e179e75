import { ProviderError } from '../../errors.ts'
import { abortable } from '../concurrency.ts'
import { FIRST_WAIT_MS } from './retry.ts'

/** Failed connections in a row after which a provider counts as out of reach. */
const FAILURES = 3
const MAX_WAIT_MS = 30_000

/**
 * Keeps calls from a provider that cannot be reached: after three failed connections in a row calls fail as the last one
 * did, without being sent, for .5 s. Then one call is sent to see whether the provider is back, while the others wait for
 * what comes of it; each time that it fails the wait doubles, up to 30 s.
 *
 * @see Nygard, Release It!, 2007: circuit breaker
 */
export class Breaker {
  readonly #clock: () => number
  #failures = 0
  #last: ProviderError | undefined
  #openedAt = 0
  #openMs = 0
  #probe: Promise<unknown> | undefined

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** For how many milliseconds nothing is sent. */
  get waitMs(): number {
    const passedMs = this.#clock() - this.#openedAt
    // A clock that was put back must not keep calls away for longer.
    return passedMs < 0 ? 0 : Math.max(0, this.#openMs - passedMs)
  }

  /** @throws what the call throws; the last failure while nothing is sent; the signal's reason while it waits */
  run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#openMs === 0 ? this.#watch(call) : this.#runWhenBack(call, signal)
  }

  async #runWhenBack<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    while (this.#openMs > 0) {
      if (this.#probe === undefined) {
        if (this.waitMs > 0) throw this.#last
        const made = this.#watch(call)
        this.#probe = made.catch(() => {}).then(() => (this.#probe = undefined))
        return made
      }
      await abortable(this.#probe, signal)
    }
    return this.#watch(call)
  }

  async #watch<T>(call: () => Promise<T>): Promise<T> {
    const openMs = this.#openMs
    try {
      const answer = await call()
      this.#close()
      return answer
    } catch (thrown) {
      if (isOutOfReach(thrown)) this.#note(thrown, openMs)
      else if (thrown instanceof ProviderError) this.#close()
      throw thrown
    }
  }

  #close(): void {
    this.#failures = 0
    this.#openMs = 0
  }

  /** @param openMs what the wait was when the call was sent: of calls that were sent together one counts */
  #note(error: ProviderError, openMs: number): void {
    this.#last = error
    if (++this.#failures < FAILURES || openMs !== this.#openMs) return
    this.#openedAt = this.#clock()
    this.#openMs = openMs === 0 ? FIRST_WAIT_MS : Math.min(2 * openMs, MAX_WAIT_MS)
  }
}

/** Whether a call got no answer at all: an answer that refuses comes from a provider that is there. */
const isOutOfReach = (thrown: unknown): thrown is ProviderError =>
  thrown instanceof ProviderError &&
  (thrown.code === 'provider_unavailable' || thrown.code === 'provider_timeout') &&
  thrown.retryable &&
  thrown.providerStatus === undefined &&
  thrown.retryAfterMs === undefined

/** One breaker a provider, over all runs. */
export class Breakers {
  readonly #clock: () => number
  readonly #named = new Map<string, Breaker>()

  constructor(clock: () => number) {
    this.#clock = clock
  }

  of(providerId: string): Breaker {
    let breaker = this.#named.get(providerId)
    if (breaker === undefined) {
      breaker = new Breaker(this.#clock)
      this.#named.set(providerId, breaker)
    }
    return breaker
  }
}
