import { isEphemeral, type Run, RunError, type RunEvent, type Runtime } from '@svc/core'

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
  for await (const event of runs.events(run.id, { after, deltas: false, all: true })) {
    if (event.type === 'stream.warning' && !upToDamage)
      throw new RunError('log_corrupt', `run ${run.id}: its log is damaged: only the events before that can be read`)
    if (!isEphemeral(event.type) || event.type === 'stream.warning') yield event
    if ((event.seq ?? 0) >= run.lastSeq) return
  }
}
