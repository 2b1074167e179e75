import { ProviderError } from '../../../errors.ts'
import { abortable } from '../../../support/abortable.ts'
import { FIRST_WAIT_MS } from './retry-delay.ts'

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
  #isProven = false
  #answers = 0
  #last: ProviderError | undefined
  #openedAt = 0
  #openMs = 0
  #probe: Promise<void> | undefined
  #endProbe: (() => void) | undefined

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

  /**
   * Asks for leave to send a call; `settle` says what came of it.
   *
   * @returns whether it is the one that is sent to see
   * @throws the last failure while nothing is sent; the signal's reason while it waits
   */
  async enter(signal: AbortSignal): Promise<boolean> {
    while (this.#openMs > 0) {
      if (this.#probe === undefined) {
        if (this.waitMs > 0) throw this.#last
        this.#probe = new Promise((resolve) => {
          this.#endProbe = resolve
        })
        return true
      }
      await abortable(this.#probe, signal)
    }
    return false
  }

  /**
   * Tells what came of a call that was sent.
   *
   * @param sentAt what `openMs` was when the call was sent: of calls that were sent together one counts
   * @param isProbe what `enter` answered
   * @param thrown absent where the provider has answered
   * @param answers what it was when the call was sent: a provider that has answered since is in reach
   */
  settle(sentAt: number, isProbe: boolean, thrown?: unknown, answers = this.#answers): void {
    if (thrown === undefined || thrown instanceof ProviderError) this.#isProven = thrown === undefined
    if (thrown === undefined) this.#answers++
    if (isOutOfReach(thrown)) {
      if (answers === this.#answers) this.#note(thrown, sentAt)
    } else if (thrown === undefined || thrown instanceof ProviderError) this.#close()
    if (!isProbe) return
    this.#endProbe?.()
    this.#endProbe = undefined
    this.#probe = undefined
  }

  /** How many calls it has answered. */
  get answers(): number {
    return this.#answers
  }

  /** Whether the last call that the provider settled went well. */
  get isProven(): boolean {
    return this.#isProven
  }

  /** For how many milliseconds nothing was sent when the provider was last found out of reach; 0: it is in reach. */
  get openMs(): number {
    return this.#openMs
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
