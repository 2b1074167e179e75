import type { Plan, Previous } from '../../contracts/index.ts'
import { isOptional } from '../../plan/roles.ts'
import { sinksOf, topologicalOrder } from '../../support/graph.ts'

/**
 * Which steps keep the result of an earlier execution.
 * After a reflection: all but the last step, and what did not get done. After a new plan: the finished steps that are asked
 * the same and stand only on such steps.
 */
export function reusableSteps(plan: Plan, previous: Previous | undefined): Set<string> {
  const kept = new Set<string>()
  if (previous === undefined) return kept
  const results = new Map(previous.execution.steps.map((result) => [result.id, result]))
  const before = new Map(previous.plan.steps.map((step) => [step.id, step]))
  const last = new Set(previous.reflection?.retry === undefined ? [] : sinksOf(plan.steps).map(({ id }) => id))
  for (const step of topologicalOrder(plan.steps)) {
    if (last.has(step.id) || before.get(step.id)?.objective !== step.objective) continue
    const status = results.get(step.id)?.status
    const isDone = status === 'completed' && (last.size > 0 || step.dependsOn.every((id) => kept.has(id)))
    // A brief or review that failed is not worth a second try when only the answer is revised.
    const isGivenUp = last.size > 0 && isOptional(plan, step) && (status === 'failed' || status === 'skipped')
    if (isDone || isGivenUp) kept.add(step.id)
  }
  return kept
}
