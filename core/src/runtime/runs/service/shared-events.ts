import { isTerminalEvent, type RunEvent } from '../../../contracts/log/event.ts'
import type { Store } from '../../../contracts/store/store.ts'
import { isoTime } from '../../../support/iso-time.ts'
import { RUN_LIFE } from '../../journal/run-life.ts'
import { notify } from '../../observe/event-bus.ts'

/** Ended runs that are remembered, so that what is still said of them is not told again. */
const MOST_ENDED = 10_000

/**
 * Tells what begins, waits and ends from now on in the runs of all processes that share a store, of each run once and in
 * order. It is read from the store, whichever process has written it.
 *
 * @returns how to stop
 */
export function watchRuns(
  { store, clock }: { store: Pick<Store, 'watch' | 'events'>; clock: () => number },
  handler: (event: RunEvent) => void,
): () => void {
  const since = isoTime(clock())
  /** Number of the newest event that the handler got, of runs at work. */
  const told = new Map<string, number>()
  const ended = new Set<string>()
  const due = new Set<string>()
  let isReading = false
  let isOver = false

  const readOne = async (runId: string): Promise<void> => {
    const after = told.get(runId)
    for (const event of await store.events.list(runId, { after: after ?? 0, types: RUN_LIFE })) {
      if (isOver) return
      told.set(runId, event.seq ?? 0)
      if (after !== undefined || event.time >= since) notify(handler, event)
      if (!isTerminalEvent(event)) continue
      told.delete(runId)
      ended.add(runId)
      if (ended.size > MOST_ENDED) ended.delete(ended.values().next().value ?? '')
    }
  }
  const read = async (): Promise<void> => {
    isReading = true
    for (const runId of due) {
      due.delete(runId)
      // A store that cannot be read now says of the run again when it goes on.
      if (!ended.has(runId)) await readOne(runId).catch(() => {})
    }
    isReading = false
  }
  const unwatch = store.watch('*', (runId, change) => {
    if (change === 'events' || ended.has(runId)) return
    due.add(runId)
    if (!isReading) void read()
  })
  return () => {
    isOver = true
    unwatch()
  }
}
