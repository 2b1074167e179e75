import { type Signal, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { useMedia } from '../../parts/use-media.ts'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { findCriticalPath } from '../../state/critical-path.ts'
import { endOfTime, type ShownRun, spanStatus } from '../shown-run.ts'
import { ticksOf } from './axis.ts'
import { Legend } from './legend.tsx'
import { toRows } from './rows.ts'
import { SpanRow } from './span-row.tsx'
import { useZoom, ZoomTools } from './zoom.tsx'
import './waterfall.css'

const ROW_HEIGHT = 28
/** The label stands above its bar. */
const NARROW_ROW_HEIGHT = 48

interface WaterfallProps {
  shown: ShownRun
  chosen: Signal<number | undefined>
}

/** The spans of the run as bars on one axis of time. */
export function Waterfall(props: WaterfallProps) {
  if (props.shown.state.spans.all.length > 0) return <Bars {...props} />
  return <p class="card empty">Nothing has begun yet. What the run does appears here.</p>
}

function Bars({ shown, chosen }: WaterfallProps) {
  const { state } = shown
  const isNarrow = useMedia('(width <= 640px)')
  const folded = useSignal<ReadonlySet<number>>(new Set())
  const isPathOnly = useSignal(false)
  const now = endOfTime(shown)
  const zoom = useZoom({ from: state.startedAt, to: Math.max(now, state.startedAt + 1) })
  const { all } = state.spans
  const path = useMemo(() => findCriticalPath(all, now), [all, shown, Math.floor(now / 1_000)])
  const only = isPathOnly.value ? path : undefined
  const rows = useMemo(() => toRows(all, folded.value, only), [shown, all, folded.value, only])
  const chosenIndex = rows.findIndex(({ span }) => span.seq === chosen.value)
  const ticks = ticksOf(zoom.time, state.startedAt, isNarrow ? 3 : 6)

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

  return (
    <div
      ref={zoom.frame}
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
        <ZoomTools zoom={zoom} />
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
              time={zoom.time}
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
