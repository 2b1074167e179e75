import type { RunEvent } from '../../../contracts/log/event.ts'
import type { StepRow } from '../../../contracts/log/journal.ts'
import type { RunCreate } from '../../../contracts/run/run.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import { ValidationError } from '../../../errors.ts'
import { toolCallOf } from '../worker/takeover.ts'
import { FORK_EDITS, type ForkEdits, type ForkPoint, findForkPoint, hasWorkAfter } from './fork-point.ts'

export const wrongFork = (path: string, message: string): ValidationError =>
  new ValidationError('validation_failed', `fork: ${path} ${message}`, { errors: [{ path, message }] })

/** @throws ValidationError where the fork would be the run as it is */
export function checkPoint(
  { status }: RunRow,
  events: readonly RunEvent[],
  edits: ForkEdits,
  wanted: number | undefined,
): ForkPoint {
  const point = findForkPoint(events, edits, wanted)
  if (point === undefined) {
    const known = FORK_EDITS.join(', ')
    const what = `change nothing: a fork needs another ${known}, or atSeq, the event after which the work is done again`
    throw wrongFork('/edits', what)
  }
  if (wanted === undefined) return point
  // Another task, plan or result is gone through anew wherever the fork begins.
  const isAnew = point.changes.some((change) => change === 'task' || change === 'plan' || change === 'toolResults')
  if (status === 'completed' && !isAnew && !hasWorkAfter(events, wanted)) {
    const what = `must be an earlier event than ${wanted}: nothing comes after it, so the fork would be the run as it is`
    throw wrongFork('/atSeq', Object.keys(edits).length > 0 ? `${what}; left out, svc finds it` : what)
  }
  const { topology } = edits
  if (topology === undefined) return point
  // Answers of the agents of one topology are none of another's.
  const first = findForkPoint(events, { topology })?.atSeq ?? wanted
  if (wanted > first) throw wrongFork('/atSeq', `must be at most ${first} for another topology, not ${wanted}`)
  return point
}

/** What a fork is asked for: what its parent was, with the edits. */
export function withEdits(create: RunCreate, { prompt, plan, toolResults: _, budget, ...edits }: ForkEdits): RunCreate {
  // A plan says itself how its agents work together.
  const { topology: _topology, ...others } = create
  return {
    ...(plan === undefined ? create : others),
    ...edits,
    ...(prompt === undefined ? {} : { context: prompt }),
    ...(budget === undefined ? {} : { budget: { ...create.budget, ...budget } }),
    ...(plan === undefined ? {} : { plan: plan as NonNullable<RunCreate['plan']> }),
  }
}

/** Another result can be given to a call that was recorded before the fork, and to no other. @throws ValidationError */
export function checkToolResults(steps: readonly StepRow[], atSeq: number, results: Record<string, unknown>): void {
  const known = steps.flatMap(({ seq, outcome }) => (seq <= atSeq ? (toolCallOf(outcome) ?? []) : []))
  const wrong = Object.keys(results).find((callId) => !known.includes(callId))
  if (wrong === undefined) return
  const calls = known.length === 0 ? 'none' : known.join(', ')
  const message = `no tool call "${wrong}" has a result by event ${atSeq}; calls that have: ${calls}`
  throw new ValidationError('validation_failed', `fork: /edits/toolResults: ${message}`, {
    errors: [{ path: `/edits/toolResults/${wrong}`, message }],
  })
}
