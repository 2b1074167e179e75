import { CancelledError, toSvcError } from '../../../errors.ts'

/** What a promise comes to; rejects at once when the signal aborts, with its reason where that is an error of svc. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => {
      const reason = signal.reason === undefined ? undefined : toSvcError(signal.reason)
      reject(
        reason === undefined || reason.code === 'internal_error'
          ? new CancelledError('cancelled', 'the run was cancelled')
          : reason,
      )
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
