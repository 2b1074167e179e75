import { ProviderError } from '../../errors.ts'
import { sleep } from '../concurrency.ts'

/** Tries after the first, where a provider sets no other number. */
export const DEFAULT_RETRIES = 2
/** The longest wait that a provider may ask for. */
const MAX_WAIT_MS = 60_000

export interface RetrySettings {
  retries: number
  signal: AbortSignal
  /** In [0, 1): spreads the waits of parallel callers. */
  jitter: (tries: number) => number
  /** Called before each further try. */
  onRetry(next: { tries: number; delayMs: number; error: ProviderError }): void
}

/**
 * Tries until it works, the failure is one that stays, or the tries are used.
 *
 * Waits .5 · 2^k s with full jitter (Brooker, Exponential Backoff and Jitter, 2015), or as long as the provider asks.
 */
export async function withRetry<T>(body: (tries: number) => Promise<T>, settings: RetrySettings): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await body(tries)
    } catch (thrown) {
      if (!(thrown instanceof ProviderError) || !thrown.retryable || tries > settings.retries) throw thrown
      const delayMs = Math.round(
        thrown.retryAfterMs === undefined
          ? 500 * 2 ** (tries - 1) * settings.jitter(tries)
          : Math.min(thrown.retryAfterMs, MAX_WAIT_MS),
      )
      settings.onRetry({ tries: tries + 1, delayMs, error: thrown })
      await sleep(delayMs, settings.signal)
    }
  }
}
