import { useRoute } from 'preact-iso'
import { ErrorNote } from '../parts/error-note.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { useLoad } from '../session/use-load.ts'
import { ExperimentList } from './experiment-list.tsx'
import { Report } from './report/report.tsx'
import './experiments.css'

const EVERY_MS = 10_000

/** What `svc experiment` measured in this folder: all of it, or the report of one. */
export default function Experiments() {
  const { id } = useRoute().params
  return <div class="experiments">{id === undefined ? <All /> : <One key={id} id={id} />}</div>
}

function All() {
  useViewTitle('Experiments')
  const { value, error, reload } = useLoad(({ experiments }) => experiments.list(), [], { everyMs: EVERY_MS })
  return (
    <div class="stack">
      <h1>Experiments</h1>
      <ErrorNote error={error} onRetry={reload} />
      {value === undefined ? (
        error === undefined && <p class="empty">Asking the server…</p>
      ) : (
        <ExperimentList items={value} />
      )}
    </div>
  )
}

function One({ id }: { id: string }) {
  useViewTitle(id)
  const { value, error, reload } = useLoad(({ experiments }) => experiments.get(id), [id], { everyMs: EVERY_MS })
  return (
    <div class="stack">
      <div class="row">
        <h1>{id}</h1>
        <a class="spread small" href="/console/experiments">
          All experiments
        </a>
      </div>
      <ErrorNote error={error} onRetry={reload} />
      {value === undefined ? error === undefined && <p class="empty">Asking the server…</p> : <Report shown={value} />}
    </div>
  )
}
