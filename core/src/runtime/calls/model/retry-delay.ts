import { ProviderError } from '../../../errors.ts'

/** Tries after the first, where a provider sets no other number. */
export const DEFAULT_RETRIES = 3
/** The longest wait before the second try. */
export const FIRST_WAIT_MS = 500
/** The longest wait that a provider may ask for. */
const MAX_WAIT_MS = 60_000

/**
 * How long to wait before another try: .5 · 2^k s with full jitter (Brooker, Exponential Backoff and Jitter, 2015), or as
 * long as the provider asks.
 *
 * @param tries how many were made
 * @param retries how many may follow the first
 * @param jitter in [0, 1): spreads the waits of parallel callers
 * @param brokenMs for how long the provider's breaker sends nothing
 * @returns milliseconds; undefined where no other try is worth it
 */
export function delayBeforeNext(
  thrown: unknown,
  tries: number,
  retries: number,
  jitter: () => number,
  brokenMs = 0,
): number | undefined {
  if (!(thrown instanceof ProviderError) || !thrown.retryable || tries > retries) return undefined
  const { retryAfterMs } = thrown
  const mostMs = FIRST_WAIT_MS * 2 ** (tries - 1)
  if (brokenMs > 2 * mostMs) return undefined
  const delayMs = retryAfterMs === undefined ? mostMs * jitter() : Math.min(retryAfterMs, MAX_WAIT_MS)
  // One millisecond more: a timer may end a little before its time.
  return Math.round(brokenMs > 0 ? Math.max(delayMs, brokenMs + 1) : delayMs)
}
