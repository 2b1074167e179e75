import { useEffect, useState } from 'preact/hooks'

/** A value as it was when it had last stayed the same for so long: what is typed counts after a pause. */
export function useRested<T>(value: T, restMs: number): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs)
    return () => clearTimeout(timer)
  }, [value, restMs])
  return rested
}
