import { useEffect, useRef, useState } from 'preact/hooks'

/** Follows a count that changes with each frame, but at most once in `everyMs`; the last change is never left out. */
export function useCalm(count: number, everyMs: number): number {
  const [calm, setCalm] = useState(count)
  const changedAt = useRef(0)
  useEffect(() => {
    const change = (): void => {
      changedAt.current = performance.now()
      setCalm(count)
    }
    const timer = setTimeout(change, Math.max(0, changedAt.current + everyMs - performance.now()))
    return () => clearTimeout(timer)
  }, [count, everyMs])
  return calm
}
