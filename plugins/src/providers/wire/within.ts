import { CancelledError, ProviderError, SvcError } from '@svc/core'
import { abortable } from '@svc/core/support'

/** Longest delay that a timer takes; longer ones would fire at once. */
const MAX_DELAY_MS = 2_147_483_647

/**
 * Waits for work that may not stop by itself: the load of a package, a `fetch` that a user handed in.
 *
 * @throws the abort's reason (or `CancelledError`) on abort; ProviderError `provider_timeout` after `limitMs`
 */
export async function within<T>(
  work: Promise<T>,
  { provider, signal, limitMs, what }: { provider: string; signal: AbortSignal; limitMs: number; what: string },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `${provider}: ${what} did not arrive within ${limitMs} ms`
    timer = setTimeout(
      () => reject(new ProviderError('provider_timeout', message, { provider })),
      Math.min(limitMs, MAX_DELAY_MS),
    )
  })
  try {
    return await abortable(Promise.race([work, late]), signal)
  } catch (thrown) {
    throw signal.aborted && thrown === signal.reason ? toCancelled(signal) : thrown
  } finally {
    clearTimeout(timer)
  }
}

/** What a cancelled call throws: the abort's reason where svc gave one, else `CancelledError`. */
export function toCancelled(signal: AbortSignal): SvcError {
  return SvcError.isInstance(signal.reason)
    ? signal.reason
    : new CancelledError('cancelled', 'the model call was cancelled', { cause: signal.reason })
}
