import { NotFoundError } from '../../../errors.ts'

/** A folder, as runs and threads name it. */
interface Place {
  space?: string | undefined
}

/** Whether a run or a thread belongs to another folder than this one: of one that does not say, nothing is known. */
export const isElsewhere = ({ space }: Place, here: Place): boolean =>
  space !== undefined && here.space !== undefined && space !== here.space

/** @throws NotFoundError `run_not_found` or `thread_not_found` for one of another folder, which the message names */
export function assertHere(kind: 'run' | 'thread', of: Place & { id: string }, here: Place): void {
  if (!isElsewhere(of, here)) return
  const message = `${kind} ${of.id} is of ${of.space}, and this process works for ${here.space}`
  throw new NotFoundError(`${kind}_not_found`, message)
}
