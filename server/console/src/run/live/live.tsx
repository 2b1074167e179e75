import { useMemo } from 'preact/hooks'
import type { ShownRun } from '../shown-run.ts'
import { Budget } from './budget.tsx'
import { StageStrip } from './steps/stage-strip.tsx'
import { Steps } from './steps/steps.tsx'
import { Talk } from './talk.tsx'
import { Topology } from './topology/topology.tsx'
import './live.css'

/** What the run does: stages, agents, text, steps, budget. Only the text is drawn again with each piece that comes. */
export default function Live({ shown }: { shown: ShownRun }) {
  const { state } = shown
  const { length: told } = state.events
  const [above, below] = useMemo(
    () => [
      [<StageStrip key="stages" shown={shown} />, <Topology key="team" shown={shown} />],
      [<Steps key="steps" shown={shown} />, <Budget key="budget" shown={shown} />],
    ],
    [state, told],
  )
  if (told === 0) return <p class="empty">Nothing has happened yet.</p>
  return (
    <div class="stack live">
      {above}
      <Talk shown={shown} />
      {below}
    </div>
  )
}
