import { SvcError } from '@svc/core/client'

const FIRST_MS = 500
const MOST_MS = 8_000
/** A server that asks for more is busy for longer than a caller should wait without knowing. */
const LONGEST_WAIT_MS = 60_000

/**
 * How long to wait before the next try: as long as the server asks, else a random part of what doubles with each try.
 *
 * @param tries so far, from 1
 * @returns milliseconds; undefined where another try is of no use
 * @see Brooker, Exponential Backoff And Jitter, 2015 (full jitter)
 */
export function retryDelayMs({ retryable, details }: SvcError, tries: number): number | undefined {
  if (!retryable) return undefined
  const asked = details?.retryAfterMs
  if (typeof asked === 'number') return asked <= LONGEST_WAIT_MS ? asked : undefined
  return Math.random() * Math.min(MOST_MS, FIRST_MS * 2 ** (tries - 1))
}

/** Whether a server that is there wants to be asked less often. */
export const isTooMany = (thrown: unknown): boolean => SvcError.isInstance(thrown) && thrown.code === 'rate_limited'

/** How long a stream rests before it is asked for again: as long as the server says, else a random part of `mostMs`. */
export function restMs(thrown: unknown, mostMs: number): number {
  const asked = SvcError.isInstance(thrown) ? thrown.details?.retryAfterMs : undefined
  return typeof asked === 'number' ? Math.min(asked, LONGEST_WAIT_MS) : Math.random() * mostMs
}

/** Resolves after so long, or when the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
