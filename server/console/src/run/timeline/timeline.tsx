import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Dialog } from '../../parts/dialog.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useMedia } from '../../parts/use-media.ts'
import { ViewBoundary } from '../../parts/view-boundary.tsx'
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
  const frame = useRef<HTMLElement>(null)
  const isLog = query.view === 'log'
  const logPath = `${path}?view=log`
  const span = state.spans.all.find(({ seq }) => seq === chosen.value)
  const choose = (seq: number | undefined): void => {
    // What is closed gives the focus back to the span that it is of.
    if (seq === undefined) frame.current?.querySelector<HTMLElement>('.span-button[aria-current]')?.focus()
    chosen.value = seq
  }
  const details = span !== undefined && (
    <ViewBoundary of="What was chosen" at={span}>
      <Details span={span} shown={shown} onChoose={choose} />
    </ViewBoundary>
  )
  return (
    <section ref={frame} class="timeline" aria-label="Timeline">
      <Tabs
        label="Views of the timeline"
        current={isLog ? logPath : path}
        tabs={[
          [path, 'Waterfall'],
          [logPath, 'Log'],
        ]}
      />
      {isLog ? (
        <ViewBoundary of="The log">
          <Log shown={shown} />
        </ViewBoundary>
      ) : (
        <div class="timeline-parts" data-chosen={span !== undefined && !isNarrow}>
          <ViewBoundary of="The waterfall">
            <Waterfall shown={shown} chosen={chosen} />
          </ViewBoundary>
          {isNarrow ? (
            <Dialog
              class="sheet"
              label="Details"
              isOpen={span !== undefined}
              onClose={() => (chosen.value = undefined)}
            >
              {details}
            </Dialog>
          ) : (
            details
          )}
        </div>
      )}
    </section>
  )
}
