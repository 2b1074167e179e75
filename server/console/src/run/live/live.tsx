import type { ShownRun } from '../shown-run.ts'

/** What the run does: stages, agents, text, steps, budget. */
export function Live({ shown: { state } }: { shown: ShownRun }) {
  return <p>{state.stages.all.map(({ stage, state }) => `${stage}: ${state}`).join(', ')}</p>
}
