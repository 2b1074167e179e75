import type { EndedRun, RunResult } from '../runtime/runs.ts'
import type { RunStatus } from '../words.ts'
import type { Run } from './run.ts'

/** Whether a status is final. */
export const isTerminal = (status: RunStatus): boolean =>
  status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'cancelled'

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
