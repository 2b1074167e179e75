import type { RunEvent } from '@svc/sdk/remote'
import { type Loaded, useLoad } from '../session/use-load.ts'

/** The first events of a run; nothing is asked for none. */
export function useLog(id: string, count: number): Loaded<RunEvent[]> {
  return useLoad(
    async ({ runs }, signal) => {
      const events: RunEvent[] = []
      if (count === 0) return events
      const stop = new AbortController()
      signal.addEventListener('abort', () => stop.abort())
      for await (const event of runs.events(id, { deltas: false, signal: stop.signal })) {
        if (event.seq === undefined) continue
        events.push(event)
        if (event.seq >= count) break
      }
      stop.abort()
      return events
    },
    [id, count],
  )
}
