import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { ErrorNote } from '../parts/error-note.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { useRun } from '../session/use-run.ts'
import { Live } from './live/live.tsx'
import { RunHeader } from './run-header.tsx'
import type { ShownRun } from './shown-run.ts'
import { History } from './timeline/history.tsx'
import { Timeline } from './timeline/timeline.tsx'

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
  const shown = useMemo<ShownRun>(
    () => ({ id, live: state, state: seq === undefined ? state : state.at(seq), past, turn }),
    [id, state, seq, turn],
  )
  return (
    <div class="stack">
      <RunHeader shown={shown} />
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
