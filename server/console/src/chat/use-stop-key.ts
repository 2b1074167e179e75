import { useEffect, useRef, useState } from 'preact/hooks'

/** So long after the first the second press counts. */
const WITHIN_MS = 2_000

/**
 * Stops by Escape twice.
 *
 * @param stop undefined: there is nothing to stop
 * @returns whether it was pressed once
 */
export function useStopKey(stop: (() => void) | undefined): boolean {
  const [isArmed, setArmed] = useState(false)
  const newest = useRef(stop)
  newest.current = stop
  const isOn = stop !== undefined
  useEffect(() => {
    if (!isOn) return
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.repeat) return
      if ((event.target as HTMLElement).closest('dialog, .chat-edit') !== null) return
      if (isArmed) newest.current?.()
      setArmed(!isArmed)
    }
    addEventListener('keydown', press)
    const timer = isArmed ? setTimeout(() => setArmed(false), WITHIN_MS) : undefined
    return () => {
      removeEventListener('keydown', press)
      clearTimeout(timer)
    }
  }, [isOn, isArmed])
  return isOn && isArmed
}
