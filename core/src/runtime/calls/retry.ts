import { ProviderError } from '../../errors.ts'

/** Tries after the first, where a provider sets no other number. */
export const DEFAULT_RETRIES = 2
/** The longest wait that a provider may ask for. */
const MAX_WAIT_MS = 60_000

/**
 * How long to wait before another try: .5 · 2^k s with full jitter (Brooker, Exponential Backoff and Jitter, 2015), or as
 * long as the provider asks.
 *
 * @param tries how many were made
 * @param retries how many may follow the first
 * @param jitter in [0, 1): spreads the waits of parallel callers
 * @returns milliseconds; undefined where no other try is worth it
 */
export function delayBeforeNext(
  thrown: unknown,
  tries: number,
  retries: number,
  jitter: () => number,
): number | undefined {
  if (!(thrown instanceof ProviderError) || !thrown.retryable || tries > retries) return undefined
  const { retryAfterMs } = thrown
  return Math.round(
    retryAfterMs === undefined ? 500 * 2 ** (tries - 1) * jitter() : Math.min(retryAfterMs, MAX_WAIT_MS),
  )
}
