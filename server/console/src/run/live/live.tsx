import type { ComponentChild } from 'preact'
import { useMemo } from 'preact/hooks'
import { ViewBoundary } from '../../parts/view-boundary.tsx'
import type { ShownRun } from '../shown-run.ts'
import { Budget } from './budget.tsx'
import { StageStrip } from './steps/stage-strip.tsx'
import { Steps } from './steps/steps.tsx'
import { Talk } from './talk.tsx'
import { Topology } from './topology/topology.tsx'
import './live.css'

const part = (name: string, content: ComponentChild) => (
  <ViewBoundary key={name} of={name}>
    {content}
  </ViewBoundary>
)

/** What the run does: stages, agents, text, steps, budget. Only the text is drawn again with each piece that comes. */
export default function Live({ shown }: { shown: ShownRun }) {
  const { state, isLeft } = shown
  const { length: told } = state.events
  const [above, below] = useMemo(
    () => [
      [part('The stages', <StageStrip shown={shown} />), part('The team', <Topology shown={shown} />)],
      [part('The steps', <Steps shown={shown} />), part('The budget', <Budget shown={shown} />)],
    ],
    [state, told, isLeft],
  )
  if (told === 0) return <p class="empty">Nothing has happened yet.</p>
  return (
    <div class="stack live">
      {above}
      {part('What is said', <Talk shown={shown} />)}
      {below}
    </div>
  )
}
