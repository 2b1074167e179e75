import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useMedia } from '../../parts/use-media.ts'
import type { Span } from '../../state/spans.ts'
import type { ShownRun } from '../shown-run.ts'
import { useInAddress } from './address.ts'
import { Details } from './details/details.tsx'
import { Log } from './log/log.tsx'
import { Waterfall } from './waterfall.tsx'
import './timeline.css'

/** What happened when: spans on an axis of time, or the events one by one; and all about what was chosen. */
export function Timeline({ shown }: { shown: ShownRun }) {
  const { state, id } = shown
  const { query, path } = useLocation()
  const isNarrow = useMedia('(width <= 1000px)')
  const chosen = useSignal<number | undefined>(undefined)
  useInAddress('span', chosen, id)
  const isLog = query.view === 'log'
  const span = chosen.value === undefined ? undefined : findSpan(state.spans.all, chosen.value)
  const details = span !== undefined && <Details span={span} shown={shown} onChoose={(seq) => (chosen.value = seq)} />
  return (
    <section class="timeline" aria-label="Timeline">
      <nav class="tabs" aria-label="Views of the timeline">
        <a href={path} aria-current={isLog ? undefined : 'page'}>
          Waterfall
        </a>
        <a href={`${path}?view=log`} aria-current={isLog ? 'page' : undefined}>
          Log
        </a>
      </nav>
      {isLog ? (
        <Log shown={shown} />
      ) : (
        <div class="timeline-parts" data-chosen={span !== undefined && !isNarrow}>
          <Waterfall shown={shown} chosen={chosen} />
          {isNarrow ? (
            <Sheet isOpen={span !== undefined} onClose={() => (chosen.value = undefined)} children={details} />
          ) : (
            details
          )}
        </div>
      )}
    </section>
  )
}

/** The span that an event began; spans are in the order of their numbers. */
function findSpan(spans: readonly Span[], seq: number): Span | undefined {
  return spans.find((span) => span.seq === seq)
}

/** What was chosen, over the page: there is no place beside it. */
function Sheet({ isOpen, onClose, children }: { isOpen: boolean; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (!isOpen) dialog.current?.close()
    else if (!dialog.current?.open) dialog.current?.showModal()
  }, [isOpen])
  return (
    <dialog ref={dialog} class="sheet" aria-label="Details" onClose={onClose}>
      {children}
    </dialog>
  )
}
