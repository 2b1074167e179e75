/**
 * Settles as the work does, or with the signal's reason as soon as it aborts; what the work does afterwards is ignored.
 */
export function abortable<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    const over = (): void => signal.removeEventListener('abort', stop)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(
      (value) => {
        over()
        resolve(value)
      },
      (thrown) => {
        over()
        reject(thrown)
      },
    )
  })
}

/** Waits, unless the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return abortable(waited, signal).finally(() => clearTimeout(timer))
}
