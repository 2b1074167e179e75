import type { ErrorCode } from '../../../errors.ts'
import type { ExecutionContext } from './state/execution-context.ts'
import type { Stop } from './state/stop.ts'

/** A reason to start nothing more; steps that are running come to their end. */
export function findStop(context: ExecutionContext): Stop | undefined {
  const { run, tally, stalls, maxTurns } = context
  if (run.budget.exhausted) {
    return stopWith('budget_exhausted', 'the token budget is used up, so no further step was started')
  }
  if (tally.count >= maxTurns) {
    return stopWith(
      'max_steps',
      `the agents have taken ${tally.count} model calls, twice what was forecast, so no further step was started`,
    )
  }
  const outage = context.outage()
  if (outage !== undefined) return outage
  if (!stalls.isStuck) return undefined
  const failure = [...context.states.values()].findLast(({ status }) => status === 'failed')?.error
  // Where no model has ever answered, another plan would fail like this one.
  if (failure !== undefined && !context.hasAnswered) return failure
  const last = failure === undefined ? '' : `, the last with ${failure.code}: ${failure.message}`
  return stopWith('plan_failed', `three steps in a row made no progress${last}; the rest has to be planned again`)
}

const stopWith = (code: ErrorCode, message: string): Stop => ({ code, message, retryable: false })
