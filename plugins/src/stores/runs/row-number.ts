import { SvcError } from '@svc/core'

/** Rows of one kind that a run may have. */
const MOST = 2 ** 24

/**
 * A run's number and the number of a row of its own in one integer: rows of a run lie together, in order, without an
 * index that every commit would have to write as well.
 *
 * @throws SvcError `store_unavailable` for a run with more rows than that leaves room for
 */
export function toRowNumber(run: number, own: number): number {
  if (own < MOST) return run * MOST + own
  throw new SvcError('store_unavailable', `a run has more than ${MOST} records: make a new run`, { retryable: false })
}

/** The first and the last number of a run. */
export const rangeOf = (run: number): [number, number] => [run * MOST, run * MOST + MOST - 1]
