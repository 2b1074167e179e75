import type { EndedRun, RunResult } from '../runtime/runs.ts'
import type { RunStatus } from '../words.ts'
import type { Run } from './run.ts'
import type { RunOutcome } from './run-outcome.ts'

/** Whether a status is final. */
export const isTerminal = (status: RunStatus): boolean =>
  status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'cancelled'

/** Whether what a run answered may be taken for known: it came to its end, and its answer was checked and is right. */
export const isVerified = ({ status, verdict }: Pick<RunOutcome, 'status' | 'verdict'>): boolean =>
  status === 'completed' && verdict === 'pass'

/** What a run has come to. */
export const toEndedRun = ({
  id,
  mode,
  status,
  error,
  result,
}: Omit<EndedRun, 'result'> & Pick<Run, 'result'>): EndedRun => ({
  id,
  mode,
  status,
  result: result as RunResult,
  ...(error === undefined ? {} : { error }),
})
