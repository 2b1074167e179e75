import { useSignal } from '@preact/signals'
import { type Run, type Runtime, SvcError } from '@svc/sdk/remote'
import { useMemo } from 'preact/hooks'
import { ErrorBoundary, lazy, useRoute } from 'preact-iso'
import { ErrorNote } from '../parts/error-note.tsx'
import { plural } from '../parts/format.ts'
import { Tabs } from '../parts/tabs.tsx'
import { ViewBoundary } from '../parts/view-boundary.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { useLoad } from '../session/use-load.ts'
import { useRun } from '../session/use-run.ts'
import { RunHeader } from './run-header.tsx'
import { isLeftOf, type ShownRun } from './shown-run.ts'
import { History } from './timeline/history.tsx'
import { Timeline } from './timeline/timeline.tsx'

// What draws graphs is loaded while the run is read.
const Live = lazy(() => import('./live/live.tsx'))

/** One run: what it does now, what it did, and how it stood at any moment. */
export default function RunPage() {
  const { id = '', tab = '' } = useRoute().params
  const { state, version, error } = useRun(id)
  useViewTitle(state.created?.data.task ?? 'Run')
  const past = useSignal<number | undefined>(undefined)
  const { value: seq } = past
  const { value: turn } = version
  const then = seq === undefined ? state : state.at(seq)
  const { length: told } = then.events
  const { value: row } = useLoad((from) => findRun(from, id), [id])
  const isLeft = isLeftOf(row, state)
  const shown = useMemo<ShownRun>(
    () => ({ id, live: state, state: then, past, isLeft, elsewhere: row?.elsewhere, turn }),
    [id, state, then, told, isLeft, row?.elsewhere, turn],
  )
  const path = `/console/runs/${id}`
  if (error !== undefined && NOT_THERE.has(error.code) && state.events.length === 0)
    return <NoRun id={id} error={error} />
  return (
    <div class="stack">
      <ViewBoundary of="The head of the run" at={`${id} ${tab}`}>
        <RunHeader shown={shown} parentRunId={row?.parentRunId} threadId={row?.threadId} isBrief={tab === 'timeline'} />
      </ViewBoundary>
      <ErrorNote error={error} />
      <Unread events={then.unread} path={path} />
      <Tabs
        label="Views of the run"
        current={tab === '' ? path : `${path}/${tab}`}
        tabs={[
          [path, 'Live'],
          [`${path}/timeline`, 'Timeline'],
        ]}
      />
      <ViewBoundary of="The history" at={id}>
        <History shown={shown} />
      </ViewBoundary>
      <ErrorBoundary>{tab === 'timeline' ? <Timeline shown={shown} /> : <Live shown={shown} />}</ErrorBoundary>
    </div>
  )
}

/** Says which events are not as svc writes them: what they would have changed is not shown. */
function Unread({ events, path }: { events: readonly number[]; path: string }) {
  const [first] = events
  if (first === undefined) return null
  return (
    <p class="warning" role="alert">
      {plural(events.length, 'event')} of this log, the first of them number {first}, cannot be read: what is shown of
      the run may be wrong. <a href={`${path}/timeline?view=log`}>The log</a> has them as they are.
    </p>
  )
}

/** A run, with its folder where that is not the one that this server works for: then it can be read here, and nothing else. */
async function findRun({ runs }: Runtime, id: string): Promise<Run & { elsewhere?: string | undefined }> {
  try {
    return await runs.get(id)
  } catch (thrown) {
    if (!SvcError.isInstance(thrown) || thrown.code !== 'run_not_found') throw thrown
    const run = await runs.get(id, { all: true })
    return { ...run, elsewhere: run.space }
  }
}

/** Codes of an address that names no run. */
const NOT_THERE: ReadonlySet<string> = new Set(['run_not_found', 'validation_failed'])

function NoRun({ id, error }: { id: string; error: SvcError }) {
  return (
    <div class="empty" role="alert">
      <h1>There is no such run</h1>
      <p>
        No run has the id <code>{id}</code>. <span class="tiny mono">{error.code}</span>
      </p>
      <p>
        <a href="/console/runs">To the runs</a>
      </p>
    </div>
  )
}
