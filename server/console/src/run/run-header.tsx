import { Status } from '../parts/status.tsx'
import type { ShownRun } from './shown-run.ts'

/** What the run is for, where it stands, and what one can do about it. */
export function RunHeader({ shown: { state } }: { shown: ShownRun }) {
  return (
    <header class="row">
      <h1>{state.created?.data.task ?? 'Run'}</h1>
      <Status of={state.view.status} />
    </header>
  )
}
