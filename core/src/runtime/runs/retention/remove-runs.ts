import type { RunRow } from '../../../contracts/store/store.ts'
import { SvcError } from '../../../errors.ts'
import type { Environment } from '../../environment.ts'

/** What runs are removed from. */
export type Remover = Pick<Environment, 'store' | 'forgetRuns'>

/**
 * Removes runs, and before them what they wrote to the memory: where that is cut off, they are still there to be removed.
 *
 * @param isPiece whether there may be more, after which the store reclaims its disk space. Default no
 */
export async function removeRuns(
  { store, forgetRuns }: Remover,
  ids: readonly string[],
  isPiece = false,
): Promise<void> {
  const read = async (id: string): Promise<Pick<RunRow, 'id' | 'owner' | 'space'>> => {
    try {
      return (await store.runs.get(id)) ?? { id }
    } catch (thrown) {
      // Whose it is, a damaged run does not say.
      if (SvcError.isInstance(thrown) && thrown.code === 'log_corrupt') return { id }
      throw thrown
    }
  }
  if (ids.length > 0) await forgetRuns?.(await Promise.all(ids.map(read)))
  if (isPiece && store.runs.deleteMany !== undefined) await store.runs.deleteMany(ids)
  else await Promise.all(ids.map(async (id) => store.runs.delete(id)))
}
