import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { ErrorNote } from '../parts/error-note.tsx'
import { later } from '../parts/later.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { useRun } from '../session/use-run.ts'
import { RunHeader } from './run-header.tsx'
import type { ShownRun } from './shown-run.ts'
import { History } from './timeline/history.tsx'
import { Timeline } from './timeline/timeline.tsx'
import { usePast } from './use-past.ts'

// What draws graphs and series is loaded while the run is read.
const Live = later(() => import('./live/live.tsx'))

const TABS = [
  { tab: '', name: 'Live' },
  { tab: 'timeline', name: 'Timeline' },
] as const

/** One run: what it does now, what it did, and how it stood at any moment. */
export default function RunPage() {
  const { id = '', tab = '' } = useRoute().params
  const { state, version, error } = useRun(id)
  useViewTitle(state.created?.data.task ?? 'Run')
  const past = useSignal<number | undefined>(undefined)
  const { value: seq } = past
  const { value: turn } = version
  const then = usePast(state, seq)
  const { length: told } = then.events
  const shown = useMemo<ShownRun>(() => ({ id, live: state, state: then, past, turn }), [id, state, then, told, turn])
  return (
    <div class="stack">
      <RunHeader shown={shown} isBrief={tab === 'timeline'} />
      <ErrorNote error={error} />
      <nav class="tabs" aria-label="Views of the run">
        {TABS.map(({ tab: name, name: label }) => (
          <a
            key={name}
            href={`/console/runs/${id}${name && `/${name}`}`}
            aria-current={tab === name ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      <History shown={shown} />
      {tab === 'timeline' ? <Timeline shown={shown} /> : <Live shown={shown} />}
    </div>
  )
}
