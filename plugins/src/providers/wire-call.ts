import { CancelledError, ProviderError, SvcError } from '@svc/core'

/** Longest delay that a timer takes; longer ones would fire at once. */
const MAX_DELAY_MS = 2_147_483_647

/**
 * One call over the wire: bounds every wait by a time and by the caller's abort.
 *
 * The official clients bound only the wait for the response's headers, and end a stream silently when it is aborted.
 */
export interface WireCall {
  /** Aborts with the caller's signal, on a time-out, and when the call is closed before its end. */
  readonly signal: AbortSignal
  /**
   * Waits for a promise.
   *
   * @throws the abort's reason (or `CancelledError`) on abort; ProviderError `provider_timeout` after `limitMs`
   */
  within<T>(promise: Promise<T>, limitMs: number, what: string): Promise<T>
  /** The items of a stream, each of which may take `limitMs`. */
  each<T>(stream: AsyncIterable<T>, limitMs: number): AsyncGenerator<T>
  /** Lets go; ends the connection unless the answer was read to its end. */
  close(isWhole: boolean): void
}

export function openCall(provider: string, outer: AbortSignal): WireCall {
  const controller = new AbortController()
  const forward = () => controller.abort()
  if (outer.aborted) forward()
  outer.addEventListener('abort', forward, { once: true })

  function within<T>(promise: Promise<T>, limitMs: number, what: string): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(
        () => {
          settle(() => reject(new ProviderError('provider_timeout', timeoutMessage(), { provider })))
          controller.abort()
        },
        Math.min(limitMs, MAX_DELAY_MS),
      )
      const timeoutMessage = () => `${provider}: ${what} did not arrive within ${limitMs} ms`
      const onAbort = () => settle(() => reject(toCancelled(outer)))
      const settle = (then: () => void) => {
        clearTimeout(timer)
        outer.removeEventListener('abort', onAbort)
        then()
      }
      outer.addEventListener('abort', onAbort, { once: true })
      promise.then(
        (value) => settle(() => resolve(value)),
        (thrown) => settle(() => reject(outer.aborted ? toCancelled(outer) : thrown)),
      )
      if (outer.aborted) onAbort()
    })
  }

  async function* each<T>(stream: AsyncIterable<T>, limitMs: number): AsyncGenerator<T> {
    const iterator = stream[Symbol.asyncIterator]()
    while (true) {
      const next = await within(iterator.next(), limitMs, 'the next piece of the answer')
      if (next.done) return
      yield next.value
    }
  }

  return {
    signal: controller.signal,
    within,
    each,
    close: (isWhole) => {
      outer.removeEventListener('abort', forward)
      if (!isWhole) controller.abort()
    },
  }
}

/** What a cancelled call throws: the abort's reason where svc gave one, else `CancelledError`. */
export function toCancelled(signal: AbortSignal): SvcError {
  return SvcError.isInstance(signal.reason)
    ? signal.reason
    : new CancelledError('cancelled', 'the model call was cancelled', { cause: signal.reason })
}
