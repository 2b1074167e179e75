import { createAnswerEvents } from '../../../contracts/log/answer-events.ts'
import type { EventType, RunEvent } from '../../../contracts/log/event.ts'
import { isTerminalEvent } from '../../../contracts/log/event.ts'
import type { EventBus } from '../../../contracts/plugin/plugin.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import type { Store } from '../../../contracts/store/store.ts'
import { SvcError } from '../../../errors.ts'
import { isoTime } from '../../../support/iso-time.ts'
import type { Failures } from './failures.ts'
import type { RunQueue } from './queue.ts'

export interface RunEventsOptions {
  store: Store
  bus: EventBus
  /** What this process works on. */
  queue: Pick<RunQueue, 'afterEnd'>
  failures: Failures
  clock: () => number
  /** @throws NotFoundError `run_not_found` for a run that may not be read here */
  find(id: string): Promise<unknown>
}

/**
 * Events of a run from a number on, then as they come, until it ends: of a run in this process over the bus, with the
 * pieces of answers; of a run elsewhere from the store. With pieces, also what the events say about the answer. Where its log is damaged, a `stream.warning` with the code
 * `log_corrupt` stands in place of the rest.
 *
 * @throws NotFoundError `run_not_found`; RunError `log_corrupt` where not even the first event can be read; what made this
 *   process let the run go
 */
export async function* readRunEvents(
  id: string,
  { store, bus, queue, failures, clock, find }: RunEventsOptions,
  { after = 0, deltas = true, signal }: { after?: number; deltas?: boolean; signal?: AbortSignal },
): AsyncGenerator<RunEvent> {
  const live: RunEvent[] = []
  const toShown = deltas ? createAnswerEvents(after > 0 ? [id] : []) : (event: RunEvent) => [event]
  let isRead = false
  let hasChanged = true
  let wake: () => void = () => {}
  const name = id as `run_${string}`
  const onEvent = (event: RunEvent): void => {
    if (event.seq !== undefined || deltas) live.push(event)
    wake()
  }
  const onChange = (): void => {
    hasChanged = true
    wake()
  }
  /** This process works on the run, and says when it has done with it. */
  let isHere = false
  const onEnd = (): void => {
    isHere = false
    onChange()
  }
  const onAbort = (): void => wake()
  bus.on(name, onEvent)
  const unwatch = store.watch(id, onChange)
  const unwatchFailure = failures.watch(id, onChange)
  signal?.addEventListener('abort', onAbort)
  try {
    await find(id)
    let last = after
    while (!signal?.aborted) {
      const next = live.shift()
      // An event is taken from the bus where it is the next; a gap is filled from the store.
      if (next !== undefined && (next.seq === undefined || next.seq === last + 1)) {
        last = next.seq ?? last
        yield* toShown(next)
        if (isTerminalEvent(next)) return
        continue
      }
      if (next !== undefined && (next.seq ?? 0) <= last) continue
      // What this process writes comes over the bus.
      isHere ||= queue.afterEnd(id, onEnd)
      if (next === undefined && isRead && (!hasChanged || isHere)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      hasChanged = false
      isRead = true
      const row = await store.runs.get(id)
      const { events, isWhole } = await listReadable(store, id, last)
      for (const event of events) {
        if (signal?.aborted) return
        last = event.seq ?? last
        if (ENDS_CALL.has(event.type)) dropPieces(live, event)
        yield* toShown(event)
        if (isTerminalEvent(event)) return
      }
      if (!isWhole) {
        yield { v: 1, type: 'stream.warning', time: isoTime(clock()), runId: id, data: { code: 'log_corrupt' } }
        return
      }
      if (row === undefined || isTerminal(row.status)) return
      const failure = failures.ofUnfinished(id)
      if (failure !== undefined && live.length === 0) throw failure
    }
  } finally {
    bus.off(name, onEvent)
    unwatch()
    unwatchFailure()
    signal?.removeEventListener('abort', onAbort)
  }
}

const ENDS_CALL: ReadonlySet<RunEvent['type']> = new Set<EventType>([
  'model.completed',
  'model.failed',
  'message.completed',
  'tool.completed',
  'tool.failed',
])

/** The pieces of an answer say nothing any more once the whole of it was read from the store. */
function dropPieces(live: RunEvent[], { agentId, callId }: RunEvent): void {
  const kept = live.filter((event) => event.seq !== undefined || event.callId !== callId || event.agentId !== agentId)
  live.splice(0, live.length, ...kept)
}

/**
 * The events of a run after a number; of a damaged log those before the damage.
 *
 * @throws RunError `log_corrupt` where not even the first event can be read
 */
export async function listReadable(
  store: Pick<Store, 'events'>,
  runId: string,
  after = 0,
): Promise<{ events: readonly RunEvent[]; isWhole: boolean }> {
  try {
    return { events: await store.events.list(runId, { after }), isWhole: true }
  } catch (thrown) {
    if (!SvcError.isInstance(thrown) || thrown.code !== 'log_corrupt') throw thrown
    const events = await store.events.list(runId, { after, upToDamage: true })
    if (after === 0 && events.length === 0) throw thrown
    return { events, isWhole: false }
  }
}
