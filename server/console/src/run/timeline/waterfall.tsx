import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useMedia } from '../../parts/use-media.ts'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { findCriticalPath } from '../../state/critical-path.ts'
import { endOfTime, type ShownRun, spanStatus } from '../shown-run.ts'
import { moved, type TimeWindow, ticksOf, zoomed } from './axis.ts'
import { Legend } from './legend.tsx'
import { toRows } from './rows.ts'
import { SpanRow } from './span-row.tsx'
import './waterfall.css'

const ROW_HEIGHT = 28
/** The label stands above its bar. */
const NARROW_ROW_HEIGHT = 48
const ZOOM = 2

/** The spans of the run as bars on one axis of time. */
export function Waterfall({ shown, chosen }: { shown: ShownRun; chosen: Signal<number | undefined> }) {
  const { state } = shown
  const isNarrow = useMedia('(width <= 640px)')
  const frame = useRef<HTMLDivElement>(null)
  const folded = useSignal<ReadonlySet<number>>(new Set())
  const isPathOnly = useSignal(false)
  const zoom = useSignal<TimeWindow | undefined>(undefined)
  const now = endOfTime(shown)
  const whole = { from: state.startedAt, to: Math.max(now, state.startedAt + 1) }
  const shownTime = zoom.value ?? whole
  const { all } = state.spans
  const path = useMemo(() => findCriticalPath(all, now), [all, shown, Math.floor(now / 1_000)])
  const only = isPathOnly.value ? path : undefined
  const rows = useMemo(() => toRows(all, folded.value, only), [shown, all, folded.value, only])
  const chosenIndex = rows.findIndex(({ span }) => span.seq === chosen.value)
  const ticks = ticksOf(shownTime, state.startedAt, isNarrow ? 3 : 6)

  const isZoomed = zoom.value !== undefined
  const zoomBy = (factor: number, part?: number): void => {
    zoom.value = zoomed(shownTime, whole, factor, part)
  }
  const move = (parts: number): void => {
    zoom.value = moved(shownTime, whole, parts)
  }
  const newest = useRef({ zoomBy, move })
  newest.current = { zoomBy, move }
  useEffect(() => {
    const element = frame.current
    const onWheel = (event: WheelEvent): void => {
      const track = element?.querySelector('.axis-track')?.getBoundingClientRect()
      if (track === undefined) return
      if (event.ctrlKey) {
        event.preventDefault()
        const part = Math.min(1, Math.max(0, (event.clientX - track.left) / track.width))
        newest.current.zoomBy(1.2 ** Math.sign(event.deltaY), part)
      } else if (zoom.value !== undefined && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault()
        newest.current.move(event.deltaX / track.width)
      }
    }
    // Only who says so beforehand may keep the page from being enlarged instead.
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [])

  const fold = (seq: number, isFolded: boolean): void => {
    const next = new Set(folded.value)
    if (isFolded) next.add(seq)
    else next.delete(seq)
    folded.value = next
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, Home: -rows.length, End: rows.length }[event.key]
    const row = rows[chosenIndex]
    if (step !== undefined) {
      const next = rows[Math.min(rows.length - 1, Math.max(0, chosenIndex + step))]
      if (next !== undefined) chosen.value = next.span.seq
    } else if ((event.key === 'ArrowLeft' || event.key === 'ArrowRight') && row !== undefined) {
      const isFolding = event.key === 'ArrowLeft'
      if (row.children > 0 && row.isFolded !== isFolding) fold(row.span.seq, isFolding)
      else if (isFolding && row.span.parent !== undefined) chosen.value = row.span.parent.seq
    } else if (event.key === 'Escape' && chosen.value !== undefined) chosen.value = undefined
    else return
    event.preventDefault()
  }

  if (all.length === 0) return <p class="card empty">Nothing has begun yet. What the run does appears here.</p>
  return (
    <div
      ref={frame}
      class="card waterfall"
      role="group"
      aria-label="Waterfall"
      onKeyDown={onKeyDown}
      data-narrow={isNarrow}
    >
      <div class="row waterfall-tools">
        <label class="inline">
          <input
            type="checkbox"
            checked={isPathOnly.value}
            onChange={({ currentTarget }) => (isPathOnly.value = currentTarget.checked)}
          />
          Critical path only
        </label>
        <Legend />
        <fieldset class="row zoom" aria-label="Time that is shown">
          <Zoom label="Earlier" sign="◂" isOff={!isZoomed} onClick={() => move(-0.5)} />
          <Zoom label="Shorter time" sign="+" onClick={() => zoomBy(1 / ZOOM)} />
          <Zoom label="Longer time" sign="−" isOff={!isZoomed} onClick={() => zoomBy(ZOOM)} />
          <Zoom label="Later" sign="▸" isOff={!isZoomed} onClick={() => move(0.5)} />
          <Zoom label="Whole run" isOff={!isZoomed} onClick={() => (zoom.value = undefined)} />
        </fieldset>
      </div>
      <div class="span-line axis" aria-hidden="true">
        <span class="axis-name tiny soft">What</span>
        <span class="axis-track">
          {ticks.map(({ part, label }) => (
            <span key={label} class="tick tiny" data-end={part > 0.92} style={{ left: `${part * 100}%` }}>
              {label}
            </span>
          ))}
        </span>
        <span class="axis-facts tiny soft">Time, tokens</span>
      </div>
      <VirtualList
        label="Spans of the run"
        items={rows}
        rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
        height={620}
        showIndex={chosenIndex === -1 ? undefined : chosenIndex}
        row={(row, index) => {
          const { seq, agentId = '' } = row.span
          return (
            <SpanRow
              key={seq}
              row={row}
              time={shownTime}
              now={now}
              isOnPath={path.has(seq)}
              isChosen={index === chosenIndex}
              isReached={index === Math.max(0, chosenIndex)}
              status={spanStatus(shown, row.span)}
              agent={state.view.agents.get(agentId)?.name}
              onChoose={() => (chosen.value = seq)}
              onFold={(isFolded) => fold(seq, isFolded)}
            />
          )
        }}
      />
    </div>
  )
}

interface ZoomProps {
  label: string
  /** In place of the label. */
  sign?: string
  isOff?: boolean
  onClick: () => void
}

function Zoom({ label, sign = label, isOff = false, onClick }: ZoomProps) {
  return (
    <button type="button" aria-label={label} disabled={isOff} onClick={onClick}>
      {sign}
    </button>
  )
}
