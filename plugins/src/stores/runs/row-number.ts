import { SvcError } from '@svc/core'

/** Rows of one kind that a run may have. */
export const ROWS_OF_A_RUN = 2 ** 24

/**
 * A run's number and the number of a row of its own in one integer: rows of a run lie together, in order, without an
 * index that every commit would have to write as well.
 *
 * @throws SvcError `store_unavailable` for a run with more rows than that leaves room for
 */
export function toRowNumber(run: number, own: number): number {
  if (own < ROWS_OF_A_RUN) return run * ROWS_OF_A_RUN + own
  throw new SvcError('store_unavailable', `a run has more than ${ROWS_OF_A_RUN} records: make a new run`, {
    retryable: false,
  })
}

/** The first and the last number of a run. */
export const rangeOf = (run: number): [number, number] => [run * ROWS_OF_A_RUN, run * ROWS_OF_A_RUN + ROWS_OF_A_RUN - 1]
