import type { Plan } from '../../../contracts/index.ts'
import { isOptional, ROLES } from '../../../plan/roles.ts'
import type { StepState } from './state/step-state.ts'

/** What the answer needed and did not get, and what failed without being missed. */
export interface Shortfall {
  /** Steps stopped half-way, failed or skipped. */
  missing: StepState[]
  /** Failed steps that the answer could do without. */
  spared: StepState[]
}

export function findShortfall(plan: Plan, states: ReadonlyMap<string, StepState>, sinkId: string): Shortfall {
  // Who gave work away says in its own result what came of it.
  const all = [...states.values()].filter(({ parent }) => parent === undefined)
  const vote = plan.steps.find(({ role }) => role === ROLES.vote)
  /** A draft for a vote can be missed while others are there. */
  const isDraft = (id: string): boolean =>
    vote?.dependsOn.includes(id) === true && vote.dependsOn.some((other) => states.get(other)?.status === 'completed')
  const missing = all.filter(({ step, status }) => {
    if (status === 'completed') return false
    return step.id === sinkId || (!isOptional(plan, step) && !isDraft(step.id))
  })
  return { missing, spared: all.filter((state) => state.status === 'failed' && !missing.includes(state)) }
}
