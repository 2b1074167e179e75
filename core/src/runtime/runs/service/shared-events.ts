import { isTerminalEvent, type RunEvent } from '../../../contracts/log/event.ts'
import type { Reach } from '../../../contracts/runtime/runtime.ts'
import type { Store } from '../../../contracts/store/store.ts'
import { isoTime } from '../../../support/iso-time.ts'
import type { Environment } from '../../environment.ts'
import { RUN_LIFE } from '../../journal/run-life.ts'
import { notify } from '../../observe/event-bus.ts'
import { isBeyond } from './place.ts'

/** Runs whose later events are left out, that are remembered. */
const MOST_DONE = 10_000

/**
 * Tells what begins, waits and ends from now on in the runs of all processes that share a store, of each run once and in
 * order. It is read from the store, whichever process has written it.
 *
 * @param reach default the runs of this folder
 * @returns how to stop
 */
export function watchRuns(
  env: Pick<Environment, 'clock' | 'space'> & { store: Pick<Store, 'watch' | 'events' | 'runs'> },
  handler: (event: RunEvent) => void,
  reach: Reach = {},
): () => void {
  const { store, clock } = env
  const since = isoTime(clock())
  /** Number of the newest event that the handler got, of runs at work. */
  const told = new Map<string, number>()
  /** Runs that have ended, or are of another folder. */
  const done = new Set<string>()
  const due = new Set<string>()
  let isReading = false
  let isOver = false

  const leave = (runId: string): void => {
    told.delete(runId)
    done.add(runId)
    if (done.size > MOST_DONE) done.delete(done.values().next().value ?? '')
  }
  const isOthers = async (runId: string): Promise<boolean> => {
    if (reach.owner === undefined && (reach.all === true || env.space === undefined)) return false
    return isBeyond((await store.runs.get(runId)) ?? {}, reach, env)
  }
  const readOne = async (runId: string): Promise<void> => {
    const after = told.get(runId)
    if (after === undefined && (await isOthers(runId))) return leave(runId)
    for (const event of await store.events.list(runId, { after: after ?? 0, types: RUN_LIFE })) {
      if (isOver) return
      told.set(runId, event.seq ?? 0)
      if (after !== undefined || event.time >= since) notify(handler, event)
      if (isTerminalEvent(event)) leave(runId)
    }
  }
  const read = async (): Promise<void> => {
    isReading = true
    for (const runId of due) {
      due.delete(runId)
      // A store that cannot be read now says of the run again when it goes on.
      if (!done.has(runId)) await readOne(runId).catch(() => {})
    }
    isReading = false
  }
  const unwatch = store.watch('*', (runId, change) => {
    if (change === 'events' || done.has(runId)) return
    due.add(runId)
    if (!isReading) void read()
  })
  return () => {
    isOver = true
    unwatch()
  }
}
