import { isTerminal, type Run } from '@svc/core'
import type { Answer } from '../http/answer.ts'
import type { RouteRequest } from '../routes/route.ts'
import type { StartedRun } from './start-run.ts'

/** Waits for a run on behalf of a connection, which may go away. */
export async function waitForRun(
  { context, response }: RouteRequest,
  run: Run,
  ms: number,
  onDisconnect: 'cancel' | 'continue',
): Promise<Run> {
  if (ms === 0 || isTerminal(run.status)) return context.runtime.runs.get(run.id)
  const stop = context.waiters.add(run, response, onDisconnect)
  try {
    return await context.runtime.runs.wait(run.id, ms)
  } finally {
    stop()
  }
}

/** Streams a run that was just asked for, from its first event. */
export const streamRun = (
  { context, response, holder }: RouteRequest,
  { run, headers }: StartedRun,
  status: number,
  onDisconnect: 'cancel' | 'continue',
): Answer => ({
  status,
  headers,
  write: () => {
    context.waiters.add(run, response, onDisconnect)
    context.streams.follow(run, response, holder, { after: 0 })
  },
})

/** Whether a client asks to be answered before the run has ended. */
export const prefersAsync = ({ message }: RouteRequest): boolean =>
  /(^|,)\s*respond-async\s*(,|;|$)/i.test([message.headers.prefer ?? ''].flat().join(','))
