import { useSignal } from '@preact/signals'
import { formatClock, formatCount } from '../../parts/format.ts'
import type { ShownRun } from '../shown-run.ts'
import { useInAddress } from './address.ts'
import { ForkDialog } from './fork/fork-dialog.tsx'
import { describeEvent } from './log/describe-event.ts'
import './history.css'

/** Goes back to any event of the run: the whole page shows the run as it was when that event had just happened. */
export function History({ shown: { id, live, past, elsewhere } }: { shown: ShownRun }) {
  useInAddress('at', past, id)
  const forksAt = useSignal<number | undefined>(undefined)
  const { length: last } = live.events
  if (last === 0) return null
  const { value: wanted } = past
  const at = Math.min(wanted ?? last, last)
  const event = live.events[at - 1]
  // To go to the end is to follow again.
  const goTo = (seq: number): void => {
    past.value = seq >= last ? undefined : Math.max(1, seq)
  }
  const onKeyDown = (pressed: KeyboardEvent): void => {
    const by = { PageUp: 10, PageDown: -10 }[pressed.key]
    if (by === undefined) return
    pressed.preventDefault()
    goTo(at + by)
  }
  const place = `event ${formatCount(at)} of ${formatCount(last)}`
  const time = event === undefined ? '' : formatClock(event.time)
  return (
    <section class="card history" aria-label="History" data-past={wanted !== undefined}>
      <div class="row history-line">
        <button type="button" class="plain" aria-label="One event back" disabled={at <= 1} onClick={() => goTo(at - 1)}>
          ◂
        </button>
        <input
          type="range"
          aria-label="Event of the run that is shown"
          aria-valuetext={`${place}, ${event?.type ?? ''}, ${time}`}
          min={1}
          max={last}
          value={at}
          onInput={({ currentTarget }) => goTo(currentTarget.valueAsNumber)}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          class="plain"
          aria-label="One event on"
          disabled={wanted === undefined}
          onClick={() => goTo(at + 1)}
        >
          ▸
        </button>
        <button
          type="button"
          aria-pressed={wanted === undefined}
          title="Show the run as it is now, and follow it"
          onClick={() => (past.value = undefined)}
        >
          Now
        </button>
        {elsewhere === undefined && (
          <button type="button" onClick={() => (forksAt.value = at)}>
            Fork from here
          </button>
        )}
      </div>
      <p class="history-event small">
        <span class="history-place">
          {wanted === undefined ? 'The run as it is now: ' : 'The run as it was at '}
          <b class="number">
            event {formatCount(at)}
            {wanted === undefined ? ` of ${formatCount(last)}` : ''}, {time}
          </b>
        </span>
        {event !== undefined && (
          <span class="clip soft">
            <span class="mono">{event.type}</span> {describeEvent(event)}
          </span>
        )}
      </p>
      {forksAt.value !== undefined && (
        <ForkDialog id={id} live={live} atSeq={forksAt.value} past={past} onClose={() => (forksAt.value = undefined)} />
      )}
    </section>
  )
}
