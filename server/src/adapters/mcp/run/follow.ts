import { isTerminal, type Run, type RunEvent, type Runtime } from '@svc/core'
import { forgetInputs, questionsOf } from '../ask/questions.ts'

export interface FollowOptions {
  /** Ends the following, and not the run. */
  signal: AbortSignal
  onEvent(event: RunEvent): void
  /** Whether it stops where the run asks something. */
  asks: boolean
  /** Keys of questions that were answered a moment ago, which the run may still have open. */
  answered: Set<string>
}

/**
 * Follows a run until it has ended, or asks something.
 *
 * @param run as it stands; events after it are followed
 */
export async function follow(
  { runs }: Runtime,
  run: Run,
  { signal, onEvent, asks, answered }: FollowOptions,
): Promise<Run> {
  const isOpen = (now: Run): boolean => asks && questionsOf(now, answered).length > 0
  if (isTerminal(run.status) || isOpen(run)) return run
  for await (const event of runs.events(run.id, { after: run.lastSeq, deltas: false, signal })) {
    onEvent(event)
    if (event.type === 'run.resumed' || (event.type === 'run.waiting' && event.data.input !== undefined))
      forgetInputs(answered)
    if (event.type !== 'run.waiting' || !asks) continue
    const now = await runs.get(run.id)
    if (isOpen(now)) return now
  }
  return runs.get(run.id)
}

/** Calls back when a question is answered elsewhere, or its run has ended. */
export async function watchClosed(
  { runs }: Runtime,
  run: Run,
  key: string,
  signal: AbortSignal,
  onClosed: () => void,
): Promise<void> {
  for await (const { approvalId, type } of runs.events(run.id, { after: run.lastSeq, deltas: false, signal })) {
    const isAnswered = type === 'approval.resolved' || type === 'approval.expired'
    if ((isAnswered && approvalId === key) || (type === 'run.resumed' && key !== approvalId)) break
  }
  if (!signal.aborted) onClosed()
}
