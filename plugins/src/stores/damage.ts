import { RunError, SvcError } from '@svc/core'
import { wholeText } from './seal.ts'

type Row = Readonly<Record<string, unknown>>

/** What a row that is not as it was written means for its run. */
export const corrupt = (runId: string, what: string, cause?: unknown): RunError =>
  new RunError(
    'log_corrupt',
    `run ${runId}: ${what} is damaged: it cannot be read as a whole, or go on. Other runs are not affected`,
    cause === undefined ? {} : { cause },
  )

export const isCorrupt = (thrown: unknown): boolean => SvcError.isInstance(thrown) && thrown.code === 'log_corrupt'

/**
 * The body of a row that is as it was written.
 *
 * @throws RunError `log_corrupt`
 */
export function checked(row: Row, runId: string, what: string): string {
  const body = wholeText(row)
  if (body === undefined) throw corrupt(runId, what)
  return body
}

/** A run that this svc cannot read. */
export const newerFormat = (runId: string, format: unknown): SvcError =>
  new SvcError('store_unavailable', `run ${runId} was written by a newer svc (journal format ${format}): update svc`, {
    retryable: false,
  })
