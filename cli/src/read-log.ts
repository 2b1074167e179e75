import type { RunEvent, Runtime } from '@svc/core'

/** The events of a run up to a number; of one that goes on, those so far. */
export async function readLog(runtime: Runtime, id: string, lastSeq: number): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of runtime.runs.events(id, { deltas: false })) if (events.push(event) >= lastSeq) break
  return events
}
