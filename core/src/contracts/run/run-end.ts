import { ERROR_CODES, type ErrorCode } from '../../errors.ts'
import type { IncompleteReason } from '../incomplete-reason.ts'
import type { EndedRun, RunResult } from '../runtime/runs.ts'
import type { RunStatus, WorkStatus } from '../words.ts'
import type { Verdict } from './result.ts'
import type { Run } from './run.ts'

/** Whether a status is final. */
export const isTerminal = (status: RunStatus): boolean =>
  status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'cancelled'

/** Whether a run came to an answer, which a verdict can be about. */
export const hasAnswer = ({ status }: { status: RunStatus }): boolean =>
  status === 'completed' || status === 'incomplete'

/** What of a run, or of its result, says how it stands. */
interface StateFacts extends Pick<Run, 'left' | 'error' | 'incomplete'> {
  status: RunStatus
  verdict?: Verdict | undefined
}

/** How a run stands, in the words and figures that every list, page, metric and exit code shows. */
export interface ShownState {
  status: RunStatus
  /** What its answer is worth; absent where there is no answer. */
  verdict?: Verdict
  /** Why it is incomplete, or failed. */
  reason?: IncompleteReason
  /** All of it: `incomplete, fail (checks_failed)`, `running (left)`. */
  text: string
  /** Whether somebody works on it: its clock goes on, and parts of it may be running. */
  isAtWork: boolean
  /** Of the command that showed it to its end; 0 while it goes on. */
  exitCode: number
}

/** How a run is shown: everything that shows a state, a verdict, a clock or an exit code asks here. */
export function shownStateOf({ status, verdict: found, left = false, error, incomplete }: StateFacts): ShownState {
  const verdict = hasAnswer({ status }) ? found : undefined
  const reason =
    status === 'incomplete' ? (incomplete?.reason ?? error?.code) : status === 'failed' ? error?.code : undefined
  const isLeft = left && (status === 'running' || status === 'cancelling')
  const why = isLeft ? 'left' : reason
  return {
    status,
    ...(verdict && { verdict }),
    ...(reason !== undefined && { reason }),
    text: `${status}${verdict === undefined ? '' : `, ${verdict}`}${why === undefined ? '' : ` (${why})`}`,
    isAtWork: !left && (status === 'running' || status === 'cancelling'),
    exitCode: exitCodeOf(status, [incomplete?.reason, error?.code]),
  }
}

const POLICY = 7

/** 7 where a rule or a person denied, 6 where a limit or a check stopped it. */
function exitCodeOf(status: RunStatus, reasons: readonly (string | undefined)[]): number {
  if (status === 'completed' || !isTerminal(status)) return 0
  const [ofReason, ofError] = reasons.map((code) =>
    code !== undefined && Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code as ErrorCode].exitCode : undefined,
  )
  if (ofReason === POLICY || ofError === POLICY) return POLICY
  if (status === 'incomplete') return 6
  return status === 'cancelled' ? ERROR_CODES.cancelled.exitCode : (ofError ?? 1)
}

/** What becomes of a part of a run with the run's end. */
const PARTS_AT_END: Readonly<Record<string, WorkStatus>> = {
  pending: 'skipped',
  requested: 'cancelled',
  running: 'cancelled',
  waiting: 'cancelled',
}

/**
 * How a part of a run is shown, such as an agent or a call: nothing is at work in a run that nobody works on, and nothing
 * is to come in one that has ended.
 */
export function shownPartOf<Status extends string>(status: Status, run: StateFacts): Status | WorkStatus {
  if (isTerminal(run.status)) return PARTS_AT_END[status] ?? status
  const isStill = run.status === 'queued' || run.left === true
  return status === 'running' && isStill ? 'pending' : status
}

/** What a run has come to. */
export const toEndedRun = ({
  id,
  mode,
  status,
  verdict,
  error,
  result,
}: Omit<EndedRun, 'result' | 'verdict'> & { verdict?: Verdict | undefined } & Pick<Run, 'result'>): EndedRun => ({
  id,
  mode,
  status,
  ...(verdict && { verdict }),
  result: result as RunResult,
  ...(error === undefined ? {} : { error }),
})
