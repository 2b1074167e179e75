import type { RunRow } from '../../../contracts/store/store.ts'
import { NotFoundError } from '../../../errors.ts'
import type { Environment } from '../../environment.ts'

type Place = Pick<Environment, 'space'>

/** Whether a run belongs to another folder than this process works for: of one that does not say, nothing is known. */
export const isElsewhere = ({ space }: { space?: string | undefined }, here: Place): boolean =>
  space !== undefined && here.space !== undefined && space !== here.space

/** @throws NotFoundError `run_not_found` for a run of another folder, which the message names */
export function assertHere({ id, space }: RunRow, here: Place): void {
  if (isElsewhere({ space }, here))
    throw new NotFoundError('run_not_found', `run ${id} is of ${space}, and this process works for ${here.space}`)
}
