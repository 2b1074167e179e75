import { useEffect, useState } from 'preact/hooks'
import type { RunState } from '../state/run-state.ts'

/** How often what ticks is drawn again. */
const TICK_MS = 1_000

/** The time to measure what goes on by, in milliseconds since the epoch; it stands still unless `isTicking`. */
export function useNow({ newestAt }: RunState, isTicking: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isTicking) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isTicking])
  // The server's clock may be ahead of this one.
  return isTicking ? Math.max(now, newestAt) : newestAt
}
