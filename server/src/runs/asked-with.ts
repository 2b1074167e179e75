import type { Run, RunOptions, Runtime } from '@svc/core'
import { eventsSoFar } from './events-so-far.ts'

/** What a run, which its reader may read, was asked for with: its first event says it. */
export async function askedWith(runtime: Runtime, run: Run): Promise<RunOptions | undefined> {
  const first = { ...run, lastSeq: Math.min(run.lastSeq, 1) }
  for await (const event of eventsSoFar(runtime, first)) if (event.type === 'run.created') return event.data.options
  return undefined
}
