import type { Activity } from '../../../contracts/log/measurement.ts'
import { SvcError } from '../../../errors.ts'
import type { RunSession } from '../session/session.ts'

/**
 * What a process works on.
 *
 * @param queued runs that it has taken in and that nobody works on yet
 * @param sessions of the runs that it holds; undefined for one that is being opened
 */
export function activityOf(queued: number, sessions: readonly (RunSession | undefined)[]): Activity {
  const runs = { queued, running: 0, waiting: 0, cancelling: 0 }
  let pendingApprovals = 0
  for (const session of sessions) {
    // Another process holds it already; what a plugin still does of it here is not written.
    const reason = session?.stop.reason
    if (SvcError.isInstance(reason) && reason.code === 'lease_lost') continue
    const asked = session?.control.questions.waiting
    pendingApprovals += asked?.approvals?.length ?? 0
    if (session?.recorder.view.status === 'cancelling') runs.cancelling++
    else if (asked !== undefined) runs.waiting++
    else runs.running++
  }
  return { runs, pendingApprovals }
}
