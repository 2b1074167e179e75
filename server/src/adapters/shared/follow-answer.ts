import { type ExecutionResult, isTerminalEvent, type Run, RunError, type RunEvent } from '@svc/core'
import { SaidText } from '@svc/core/text'
import type { RouteRequest } from '../../routes/route.ts'
import { Rest } from './rest.ts'

/** What a run has come to: its end, or that it waits for its client or a person. */
export type Stop =
  | { kind: 'ended'; status: 'completed' | 'incomplete' | 'failed' | 'cancelled'; result: ExecutionResult }
  | { kind: 'waits'; run: Run }

export interface FollowOptions {
  /** Number of the last event that is known; default 0. */
  after?: number
  /** A piece of the answer, which is never taken back. Without it nobody reads pieces, and models may answer in one. */
  onText?(piece: string): void
  /** What was said so far is not the answer: what comes next stands by itself. */
  onBreak?(): void
  /** Each event, before what it says of the answer. */
  onEvent?(event: RunEvent): void
  /** Stops following; the run goes on. */
  signal?: AbortSignal
}

const LAST = {
  'run.completed': 'completed',
  'run.incomplete': 'incomplete',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
} as const

/**
 * Follows a run until it ends, or until it waits and nothing else of it is at work.
 *
 * @param run as it was known before what is followed began: of a run that was just resumed, that it no longer waits
 * @returns what it has come to, and what was said since the last break
 * @throws the reason of the signal
 */
export async function followAnswer(
  { context: { runtime } }: Pick<RouteRequest, 'context'>,
  run: Run,
  { after = 0, onText, onBreak, onEvent, signal }: FollowOptions = {},
): Promise<{ stop: Stop; text: string }> {
  const said = new SaidText({ onText: onText ?? nothing, onBreak: onBreak ?? nothing })
  const rest = new Rest()
  if (run.status === 'waiting') return { stop: { kind: 'waits', run }, text: '' }
  const options = { after, deltas: onText !== undefined, all: true, ...(signal && { signal }) }
  for await (const event of runtime.runs.events(run.id, options)) {
    onEvent?.(event)
    // What a run that failed says at its end is why, and no answer.
    const isWhy = event.type === 'run.failed' || (event.type === 'message.snapshot' && event.callId === undefined)
    if (!isWhy) said.apply(event)
    if (isTerminalEvent(event)) {
      if (!isWhy) said.end()
      const result = event.data.result as ExecutionResult
      return { stop: { kind: 'ended', status: LAST[event.type], result }, text: said.text }
    }
    rest.apply(event)
    if (!rest.isRest) continue
    const now = await runtime.runs.get(run.id)
    if (now.status === 'waiting') return { stop: { kind: 'waits', run: now }, text: said.text }
  }
  signal?.throwIfAborted()
  throw new RunError('run_failed', `the events of run ${run.id} ended before it did`)
}

const nothing = (): void => {}
