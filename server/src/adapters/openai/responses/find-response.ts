import { fits, NotFoundError, type Run, type RunOptions, SvcError } from '@svc/core'
import type { RouteRequest } from '../../../routes/route.ts'
import { askedWith } from '../../../runs/asked-with.ts'
import { readId } from '../../shared/ids.ts'
import { KEPT } from '../asked/options.ts'
import { Kept } from './body.ts'

/** A response that may be asked for. */
export interface FoundResponse {
  id: string
  run: Run
  /** Number of the event after which it begins. */
  after: number
  /** What its run was asked for with. */
  options: RunOptions
  kept: Kept
}

/**
 * Finds a response of the caller.
 *
 * @param path of the field that names it
 * @throws NotFoundError `run_not_found`, also for one that was not to be stored
 */
export async function findResponse(
  { context: { runtime } }: RouteRequest,
  id: string,
  path: string,
): Promise<FoundResponse> {
  const missing = (): NotFoundError => {
    const message = `there is no response "${id.slice(0, 100)}"`
    return new NotFoundError('run_not_found', message, { errors: [{ path, message }] })
  }
  const named = readId(id, 'resp')
  if (named === undefined) throw missing()
  const [after = 0] = named.numbers
  const run = await runtime.runs.get(named.runId).catch((thrown) => {
    throw SvcError.isInstance(thrown) && thrown.code === 'run_not_found' ? missing() : thrown
  })
  const options = await askedWith(runtime, run)
  const kept = options?.metadata?.[KEPT]
  if (options === undefined || !fits(Kept, kept) || after > run.lastSeq) throw missing()
  return { id, run, after, options, kept }
}
