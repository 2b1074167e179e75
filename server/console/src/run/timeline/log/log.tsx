import { useSignal } from '@preact/signals'
import type { RunEvent } from '@svc/core/client'
import { useMemo, useRef } from 'preact/hooks'
import { formatClock, formatCount } from '../../../parts/format.ts'
import { JsonText } from '../../../parts/text.tsx'
import { useMedia } from '../../../parts/use-media.ts'
import { VirtualList } from '../../../parts/virtual-list.tsx'
import type { ShownRun } from '../../shown-run.ts'
import { describeEvent } from './describe-event.ts'
import { filterLog, GROUPS, type Group } from './log-filter.ts'
import './log.css'

const ROW_HEIGHT = 26
/** The line of what it says stands below the facts. */
const NARROW_ROW_HEIGHT = 46
const NAMES = Object.keys(GROUPS) as Group[]

/** Every event of the run, one line each; what comes after the event that is looked at is dimmed. */
export function Log({ shown }: { shown: ShownRun }) {
  const { live, past } = shown
  const isNarrow = useMedia('(width <= 760px)')
  const groups = useSignal<readonly Group[]>([])
  const text = useSignal('')
  const opened = useSignal<number | undefined>(undefined)
  const found = useMemo(
    () => filterLog(live.events, groups.value, text.value),
    [live, live.events.length, groups.value, text.value],
  )
  const at = past.value
  const frame = useRef<HTMLDivElement>(null)
  const close = (): void => {
    frame.current?.querySelector<HTMLElement>('[aria-expanded="true"]')?.focus()
    opened.value = undefined
  }
  const open = opened.value === undefined ? undefined : live.events[opened.value - 1]
  /** Where the last event up to a number is. */
  const indexUpTo = (seq: number): number => found.findLastIndex((event) => (event.seq ?? 0) <= seq)
  const shownSeq = opened.value ?? at
  const toggle = (group: Group): void => {
    const { value } = groups
    groups.value = value.includes(group) ? value.filter((other) => other !== group) : [...value, group]
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
    if (step === undefined || opened.value === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    opened.value = found[indexUpTo(opened.value) + step]?.seq ?? opened.value
  }
  return (
    <div class="card log" data-narrow={isNarrow}>
      <div class="row log-tools">
        <input
          type="search"
          class="log-search"
          placeholder="Search the log"
          aria-label="Search the log"
          value={text.value}
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        />
        <fieldset class="row log-groups" aria-label="Types of events">
          {NAMES.map((group) => (
            <button key={group} type="button" aria-pressed={groups.value.includes(group)} onClick={() => toggle(group)}>
              {group}
            </button>
          ))}
        </fieldset>
        <span class="soft small spread" role="status">
          {formatCount(found.length)} of {formatCount(live.events.length)} events
        </span>
      </div>
      {found.length === 0 && <p class="empty">No event fits. Search for something else, or choose other types.</p>}
      <div
        ref={frame}
        role="group"
        aria-label="Log"
        class="log-parts"
        data-open={open !== undefined && !isNarrow}
        onKeyDown={onKeyDown}
      >
        <VirtualList
          label="Events of the run"
          items={found}
          rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
          height={640}
          follows={at === undefined}
          showIndex={shownSeq === undefined ? undefined : indexUpTo(shownSeq)}
          row={(event) => (
            <LogRow
              key={event.seq}
              event={event}
              isOpen={event.seq === opened.value}
              isLater={at !== undefined && (event.seq ?? 0) > at}
              onOpen={() => (opened.value = opened.value === event.seq ? undefined : event.seq)}
            />
          )}
        />
        {open !== undefined && (
          <section class="stack tight log-event" aria-label={`Event ${open.seq}`}>
            <header class="row">
              <h2 class="mono">
                {open.seq} {open.type}
              </h2>
              <button type="button" onClick={() => (past.value = open.seq)}>
                Show the run at this event
              </button>
              <button type="button" class="plain spread" aria-label="Close the event" onClick={close}>
                ✕
              </button>
            </header>
            <JsonText key={open.seq} value={open} label={`Event ${open.seq} as it is kept`} />
          </section>
        )}
      </div>
    </div>
  )
}

const FAILURE = /\.(?:failed|denied|error|exhausted|expired)$/

interface LogRowProps {
  event: RunEvent
  isOpen: boolean
  /** It had not happened yet. */
  isLater: boolean
  onOpen: () => void
}

/** One event on one line. */
function LogRow({ event, isOpen, isLater, onOpen }: LogRowProps) {
  return (
    <div class="log-row" role="listitem" data-later={isLater}>
      <button type="button" class="line" aria-expanded={isOpen} onClick={onOpen}>
        <span class="log-number number">{event.seq}</span>
        <time class="number" dateTime={event.time}>
          {formatClock(event.time)}
          <span class="soft">{event.time.slice(19, 23)}</span>
        </time>
        <span class={`mono tiny clip ${FAILURE.test(event.type) ? 'error-text' : ''}`}>{event.type}</span>
        <span class="clip soft">{event.agentId ?? event.stage ?? ''}</span>
        <span class="log-text clip">{describeEvent(event)}</span>
      </button>
    </div>
  )
}
