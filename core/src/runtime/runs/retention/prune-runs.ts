import type { PrunedRuns } from '../../../contracts/runtime/runtime.ts'
import type { StoredQuery } from '../../../contracts/store/store.ts'
import { SvcError } from '../../../errors.ts'
import { type Remover, removeRuns } from './remove-runs.ts'

/** Runs that are looked at, and removed, together. */
const PIECE = 5

/** Which ended runs are removed: all that one of these says. */
export interface PruneLimits {
  /** Those that ended before this time. */
  endedBefore?: number | undefined
  /** Those beyond the newest so many. */
  mostRuns?: number | undefined
  /** Those beyond the newest that take so many bytes together. */
  mostBytes?: number | undefined
}

export interface PruneOptions extends Pick<StoredQuery, 'space' | 'status'> {
  /** True: they are counted, and stay. */
  dryRun?: boolean
  /** Asked after each piece, and told whether it removed something; false ends it. Default: it goes on. */
  goesOn?: (hasRemoved: boolean) => Promise<boolean>
}

/**
 * Removes ended runs, from the newest that is to go to the oldest, a piece at a time: whenever it is cut off, each run is
 * there as a whole or not at all.
 *
 * @throws SvcError `store_unavailable` for a store that cannot say what has ended
 */
export async function pruneRuns(
  from: Remover,
  { endedBefore, mostRuns, mostBytes }: PruneLimits,
  { dryRun = false, goesOn = async () => true, ...which }: PruneOptions,
): Promise<PrunedRuns> {
  const { runs } = from.store
  if (runs.ended === undefined)
    throw new SvcError('store_unavailable', 'this store cannot say which runs have ended, so none is removed', {
      retryable: false,
    })
  const hasLimits = mostRuns !== undefined || mostBytes !== undefined
  const kept: PrunedRuns = { runs: 0, bytes: 0 }
  const gone: PrunedRuns = { runs: 0, bytes: 0 }
  // Where nothing is counted, what is younger needs no look.
  let after: StoredQuery['after'] =
    hasLimits || endedBefore === undefined ? undefined : { id: '', endedAt: endedBefore }
  for (let isMore = true; isMore; ) {
    const piece = await runs.ended({ ...which, limit: PIECE, ...(after && { after }) })
    const old = piece.filter(({ endedAt, bytes }) => {
      kept.runs++
      kept.bytes += bytes
      const isOld = endedBefore !== undefined && endedAt < endedBefore
      return isOld || kept.runs > (mostRuns ?? Infinity) || kept.bytes > (mostBytes ?? Infinity)
    })
    if (!dryRun && old.length > 0) {
      const ids = old.map(({ id }) => id)
      await removeRuns(from, ids, true)
    }
    gone.runs += old.length
    gone.bytes += old.reduce((sum, { bytes }) => sum + bytes, 0)
    after = piece.at(-1)
    // A store may answer at once, and others are to have their turn.
    await new Promise((resolve) => setImmediate(resolve))
    isMore = piece.length === PIECE && (await goesOn(old.length > 0))
  }
  let hasRemoved = gone.runs > 0
  while (!dryRun && (await goesOn(hasRemoved)) && (await runs.reclaim?.()) === true) hasRemoved = true
  return gone
}
