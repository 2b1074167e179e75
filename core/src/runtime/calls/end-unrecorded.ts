import type { Cassette } from '../../contracts/log/cassette.ts'
import { RunError, type SvcError } from '../../errors.ts'
import { toRecordedError } from '../journal/recorded-error.ts'
import type { CallStop } from './call-context.ts'

/** How a run ends that somebody, or something other than its calls, stopped. */
const STOPS: ReadonlySet<string> = new Set(['cancelled', 'run_timeout', 'loop_detected', 'run_poisoned'])

/**
 * Stops a run that came to something that its recording does not hold: as the recorded run was stopped, if it was; else
 * because it goes otherwise.
 *
 * @returns why
 */
export function endUnrecorded({ stop }: { stop: CallStop }, { ending }: Cassette, message: string): SvcError {
  const wasStopped = ending !== undefined && STOPS.has(ending.code)
  const error = wasStopped ? toRecordedError(ending) : new RunError('replay_diverged', message)
  stop.stop(error)
  return error
}
