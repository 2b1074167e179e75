import { setImmediate as hearOthers } from 'node:timers/promises'
import { isEphemeral, type Run, RunError, type RunEvent, type Runtime } from '@svc/core'

/** How long a log may be read before others are heard: a store that waits for nothing would keep them out until its end. */
const SLICE_MS = 10

/**
 * The events of a run, which its reader may read, that there are now, after a number; those of a run at work do not go on.
 *
 * @param options.upToDamage true: of a damaged log, what stands before the damage and then a `stream.warning`
 * @throws RunError `log_corrupt`
 */
export async function* eventsSoFar(
  { runs }: Runtime,
  run: Run,
  { after = 0, upToDamage = false }: { after?: number; upToDamage?: boolean } = {},
): AsyncGenerator<RunEvent> {
  if (after >= run.lastSeq) return
  let heardAt = performance.now()
  for await (const event of runs.events(run.id, { after, deltas: false, all: true })) {
    if (event.type === 'stream.warning' && !upToDamage)
      throw new RunError('log_corrupt', `run ${run.id}: its log is damaged: only the events before that can be read`)
    if (!isEphemeral(event.type) || event.type === 'stream.warning') yield event
    if ((event.seq ?? 0) >= run.lastSeq) return
    if (performance.now() - heardAt < SLICE_MS) continue
    await hearOthers()
    heardAt = performance.now()
  }
}
