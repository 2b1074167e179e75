import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { moved, type TimeWindow, zoomed } from './axis.ts'

/** Of a button, and of one turn of the wheel. */
const STEP = 2
const WHEEL_STEP = 1.2

/** The part of the time that is looked at. */
interface Zoom {
  time: TimeWindow
  isZoomed: boolean
  /** Makes the time so many times as long; what stands at a part of it, of 1, stays there. */
  by: (factor: number, part?: number) => void
  /** Moves it by parts of its length. */
  move: (parts: number) => void
  /** Shows the whole run. */
  reset: () => void
  /** For the element that the wheel zooms in. */
  frame: RefObject<HTMLDivElement | null>
}

/** Looks at a part of a run's time: by buttons, and by the wheel over an axis. */
export function useZoom(whole: TimeWindow): Zoom {
  const frame = useRef<HTMLDivElement>(null)
  const chosen = useSignal<TimeWindow | undefined>(undefined)
  const time = chosen.value ?? whole
  const zoom: Zoom = {
    frame,
    time,
    isZoomed: chosen.value !== undefined,
    by(factor, part) {
      chosen.value = zoomed(time, whole, factor, part)
    },
    move(parts) {
      chosen.value = moved(time, whole, parts)
    },
    reset() {
      chosen.value = undefined
    },
  }
  const newest = useRef(zoom)
  newest.current = zoom
  useEffect(() => {
    const element = frame.current
    const onWheel = (event: WheelEvent): void => {
      const track = element?.querySelector('.axis-track')?.getBoundingClientRect()
      if (track === undefined) return
      if (event.ctrlKey) {
        event.preventDefault()
        const part = Math.min(1, Math.max(0, (event.clientX - track.left) / track.width))
        newest.current.by(WHEEL_STEP ** Math.sign(event.deltaY), part)
      } else if (newest.current.isZoomed && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault()
        newest.current.move(event.deltaX / track.width)
      }
    }
    // Only who says so beforehand may keep the page from being enlarged instead.
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [])
  return zoom
}

/** The buttons that choose which part of the time is shown. */
export function ZoomTools({ zoom: { isZoomed, by, move, reset } }: { zoom: Zoom }) {
  return (
    <fieldset class="row zoom" aria-label="Time that is shown">
      <ZoomButton label="Earlier" sign="◂" isOff={!isZoomed} onClick={() => move(-0.5)} />
      <ZoomButton label="Shorter time" sign="+" onClick={() => by(1 / STEP)} />
      <ZoomButton label="Longer time" sign="−" isOff={!isZoomed} onClick={() => by(STEP)} />
      <ZoomButton label="Later" sign="▸" isOff={!isZoomed} onClick={() => move(0.5)} />
      <ZoomButton label="Whole run" isOff={!isZoomed} onClick={reset} />
    </fieldset>
  )
}

interface ZoomButtonProps {
  label: string
  /** In place of the label. */
  sign?: string
  isOff?: boolean
  onClick: () => void
}

function ZoomButton({ label, sign = label, isOff = false, onClick }: ZoomButtonProps) {
  return (
    <button type="button" aria-label={label} disabled={isOff} onClick={onClick}>
      {sign}
    </button>
  )
}
