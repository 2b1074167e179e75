import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const EVERY_MS = 200

/** The time, in milliseconds since the epoch, going on as long as `isTicking`; else `still`. Never before `still`. */
export function useNow(isTicking: boolean, still: number): number {
  const now = useSignal(Date.now())
  useEffect(() => {
    if (!isTicking) return
    const timer = setInterval(() => (now.value = Date.now()), EVERY_MS)
    return () => clearInterval(timer)
  }, [isTicking, now])
  return isTicking ? Math.max(still, now.value) : still
}
