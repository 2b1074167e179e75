import { CancelledError, ProviderError, SvcError } from '@svc/core'

/** Longest delay that a timer takes; longer ones would fire at once. */
const MAX_DELAY_MS = 2_147_483_647

/**
 * Waits for work that may not stop by itself: the load of a package, a `fetch` that a user handed in.
 *
 * @throws the abort's reason (or `CancelledError`) on abort; ProviderError `provider_timeout` after `limitMs`
 */
export function within<T>(
  work: Promise<T>,
  { provider, signal, limitMs, what }: { provider: string; signal: AbortSignal; limitMs: number; what: string },
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const settle = (then: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      then()
    }
    const onAbort = (): void => settle(() => reject(toCancelled(signal)))
    const onTimeout = (): void => {
      const message = `${provider}: ${what} did not arrive within ${limitMs} ms`
      settle(() => reject(new ProviderError('provider_timeout', message, { provider })))
    }
    const timer = setTimeout(onTimeout, Math.min(limitMs, MAX_DELAY_MS))
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(
      (value) => settle(() => resolve(value)),
      (thrown) => settle(() => reject(thrown)),
    )
    if (signal.aborted) onAbort()
  })
}

/** What a cancelled call throws: the abort's reason where svc gave one, else `CancelledError`. */
export function toCancelled(signal: AbortSignal): SvcError {
  return SvcError.isInstance(signal.reason)
    ? signal.reason
    : new CancelledError('cancelled', 'the model call was cancelled', { cause: signal.reason })
}
