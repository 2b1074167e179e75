import type { Reach, Run, RunEvent, Runtime } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'

/** The events of a run up to a number; of one that goes on, those so far; of a damaged log, those before the damage. */
export async function readLog(runtime: Runtime, { id, lastSeq }: Run, reach?: Reach): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of runtime.runs.events(id, { ...reach, deltas: false }))
    if (events.push(event) >= lastSeq) break
  return events
}

/** Says where the rest of a log is missing. @returns the exit code */
export function reportDamage({ io }: Pick<CommandContext, 'io'>, id: string, events: readonly RunEvent[]): number {
  if (events.at(-1)?.type !== 'stream.warning') return 0
  const last = events.at(-2)?.seq ?? 0
  io.err(`svc: the log of ${id} is damaged after event ${last}: the rest cannot be read [log_corrupt]\n`)
  return 1
}
