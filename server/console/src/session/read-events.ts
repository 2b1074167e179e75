import { effect } from '@preact/signals'
import type { RunEvent } from '@svc/sdk/remote'
import { streams } from './stream/streams.ts'

/**
 * The first events of a run of any folder, over the stream that all windows share.
 *
 * @param count how many; of a run that has ended fewer come where it has fewer
 * @param signal ends the reading, which then never resolves
 */
export function readEvents(id: string, count: number, signal?: AbortSignal): Promise<RunEvent[]> {
  if (count === 0) return Promise.resolve([])
  return new Promise((resolve, reject) => {
    const events: RunEvent[] = []
    const stop = effect(() =>
      streams.value?.readRun(id, {
        after: events.length,
        onEvents(more) {
          for (const event of more) if (event.seq === events.length + 1 && events.length < count) events.push(event)
          if (events.length === count) end(() => resolve(events))
        },
        onEnd: (error) => end(() => (error === undefined ? resolve(events) : reject(error))),
      }),
    )
    const end = (answer: () => void): void => {
      stop()
      answer()
    }
    signal?.addEventListener('abort', stop)
  })
}
