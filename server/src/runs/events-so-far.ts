import { isEphemeral, type Run, type RunEvent, type Runtime } from '@svc/core'

/** The events of a run that there are now, after a number; those of a run at work do not go on. */
export async function* eventsSoFar(
  { runs }: Runtime,
  run: Run,
  { after = 0, signal }: { after?: number; signal?: AbortSignal } = {},
): AsyncGenerator<RunEvent> {
  if (after >= run.lastSeq) return
  for await (const event of runs.events(run.id, { after, deltas: false, ...(signal && { signal }) })) {
    if (!isEphemeral(event.type)) yield event
    if ((event.seq ?? 0) >= run.lastSeq) return
  }
}
