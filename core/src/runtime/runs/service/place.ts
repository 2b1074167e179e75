import type { Reach } from '../../../contracts/runtime/runtime.ts'
import { NotFoundError } from '../../../errors.ts'
import { found } from '../../stores/paging.ts'

/** A folder, as runs and threads name it. */
interface Place {
  space?: string | undefined
}

interface Owned extends Place {
  owner?: string | undefined
}

/** Whether a run or a thread belongs to another folder than this one: of one that does not say, nothing is known. */
export const isElsewhere = ({ space }: Place, here: Place): boolean =>
  space !== undefined && here.space !== undefined && space !== here.space

/** Whether a run or a thread is of another owner than the one that is asked for, or of another folder where not all are. */
export const isBeyond = (one: Owned, { all = false, owner }: Reach, here: Place): boolean =>
  isOthers(one, owner) || (!all && isElsewhere(one, here))

/**
 * @throws NotFoundError `run_not_found`, `thread_not_found` or `approval_not_found` for one that is beyond what is asked for; a
 *   folder is named, an owner is not
 */
export function assertWithin(
  kind: 'run' | 'thread' | 'approval',
  one: Owned & { id: string },
  reach: Reach,
  here: Place,
): void {
  if (isOthers(one, reach.owner)) found(undefined, kind, one.id)
  if (!isBeyond(one, reach, here)) return
  const message = `${kind} ${one.id} is of ${one.space}, and this process works for ${here.space}`
  throw new NotFoundError(`${kind}_not_found`, message)
}

const isOthers = (one: Owned, owner: string | undefined): boolean => owner !== undefined && one.owner !== owner
