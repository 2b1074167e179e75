import { useEffect, useState } from 'preact/hooks'

/** The time, in milliseconds since the epoch, that goes on once a second. */
export function useTick(): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
