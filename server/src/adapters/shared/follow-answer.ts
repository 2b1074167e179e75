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
  /** Whether pieces of answers are read; else models may answer in one. Default false. */
  deltas?: boolean
  /** Each event, before it is known whether the run rests. */
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
 * @throws the reason of the signal
 */
export async function followRun(
  { context: { runtime } }: Pick<RouteRequest, 'context'>,
  run: Run,
  { after = 0, deltas = false, onEvent, signal }: FollowOptions = {},
): Promise<Stop> {
  if (run.status === 'waiting') return { kind: 'waits', run }
  const rest = new Rest()
  for await (const event of runtime.runs.events(run.id, { after, deltas, all: true, ...(signal && { signal }) })) {
    onEvent?.(event)
    if (isTerminalEvent(event))
      return { kind: 'ended', status: LAST[event.type], result: event.data.result as ExecutionResult }
    rest.apply(event)
    if (!rest.isRest) continue
    const now = await runtime.runs.get(run.id)
    if (now.status === 'waiting') return { kind: 'waits', run: now }
  }
  signal?.throwIfAborted()
  throw new RunError('run_failed', `the events of run ${run.id} ended before it did`)
}

export interface AnswerOptions extends Pick<FollowOptions, 'after' | 'signal'> {
  /** A piece of the answer, which is never taken back. Without it nobody reads pieces. */
  onText?(piece: string): void
  /** What was said so far is not the answer: what comes next stands by itself. */
  onBreak?(): void
}

/**
 * The same, with what the run says.
 *
 * @returns what it has come to, and what was said since the last break
 */
export async function followAnswer(
  request: Pick<RouteRequest, 'context'>,
  run: Run,
  { onText = nothing, onBreak = nothing, ...options }: AnswerOptions = {},
): Promise<{ stop: Stop; text: string }> {
  const said = new SaidText({ onText, onBreak })
  const stop = await followRun(request, run, {
    ...options,
    deltas: onText !== nothing,
    onEvent(event) {
      // What a run that failed says at its end is why, and no answer.
      if (event.type === 'run.failed' || (event.type === 'message.snapshot' && event.callId === undefined)) return
      said.apply(event)
      if (isTerminalEvent(event)) said.end()
    },
  })
  return { stop, text: said.text }
}

const nothing = (): void => {}
