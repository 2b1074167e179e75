import { useSignal } from '@preact/signals'
import type { Run } from '@svc/sdk/remote'
import { useEffect } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { ErrorNote } from '../parts/error-note.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { type Loaded, useLoad } from '../session/use-load.ts'
import { Answers } from './answers.tsx'
import { Differences } from './differences.tsx'
import { Logs } from './logs.tsx'
import { RunFacts } from './run-facts.tsx'
import './compare.css'

const EVERY_MS = 3_000

/** Two runs side by side: figures, answers, what differs, and where their logs part. */
export default function Compare() {
  useViewTitle('Compare two runs')
  const { a = '', b = '' } = useRoute().params
  const left = useRunUntilEnd(a)
  const right = useRunUntilEnd(b)
  const [one, other] = [left.value, right.value]
  const bothEnded = one?.finishedAt !== undefined && other?.finishedAt !== undefined
  const isSame = a === b
  const diff = useLoad(async ({ runs }) => (bothEnded ? runs.diff(a, b, { all: true }) : undefined), [a, b, bothEnded])
  const parted = diff.value?.firstDivergence?.seq
  const to = (id: string): string => encodeURIComponent(id)
  return (
    <div class="stack compare">
      <div class="row">
        <h1>Compare two runs</h1>
        {!isSame && (
          <a class="button spread" href={`/console/compare/${to(b)}/${to(a)}`}>
            Swap sides
          </a>
        )}
      </div>
      {isSame && (
        <p class="soft">Both sides are the same run: nothing can differ. Mark two runs in the list to compare them.</p>
      )}
      <Missing name="Run A" id={a} run={left} />
      {!isSame && <Missing name="Run B" id={b} run={right} />}
      {(one !== undefined || other !== undefined) && <RunFacts left={one} right={other} />}
      {one !== undefined && other !== undefined && (
        <>
          <Answers left={one} right={other} />
          {!bothEnded && (
            <p class="soft">Plan, agents, tool calls, usage and logs are compared once both runs have ended.</p>
          )}
          <ErrorNote error={diff.error} onRetry={diff.reload} />
          {diff.value !== undefined && <Differences diff={diff.value} />}
          {parted !== undefined && <Logs key={`${a} ${b}`} ids={[a, b]} at={parted} />}
          {diff.value !== undefined && parted === undefined && !isSame && (
            <p class="soft">The logs say the same from the first event to the last, but for times and ids.</p>
          )}
        </>
      )}
    </div>
  )
}

/** Asks for a run, and again until it has ended or is known not to be there. */
function useRunUntilEnd(id: string): Loaded<Run> {
  const isOver = useSignal(false)
  const loaded = useLoad(({ runs }) => runs.get(id, { all: true }), [id], isOver.value ? {} : { everyMs: EVERY_MS })
  useEffect(() => {
    isOver.value = loaded.value?.finishedAt !== undefined || loaded.error?.retryable === false
  }, [loaded.value, loaded.error])
  return loaded
}

/** Why one side is not there. */
function Missing({ name, id, run }: { name: string; id: string; run: Loaded<Run> }) {
  if (run.error === undefined) return null
  return (
    <div class="stack">
      <p>
        {name} <span class="mono">{id}</span> cannot be shown. <a href="/console/runs">Choose runs from the list</a>
      </p>
      <ErrorNote error={run.error} onRetry={run.reload} />
    </div>
  )
}
