import type { PlanStep } from '../../contracts/index.ts'
import { suitability } from './agents.ts'
import { hasTools } from './alternatives.ts'
import type { Worker } from './workers.ts'

/**
 * An idle agent that can do a step as well as the one it waits for: filled by the same profile, or at least as suitable,
 * with all the tools that the step needs. Ties go to the first.
 */
export function findThief(
  step: PlanStep,
  ownerId: string,
  workers: ReadonlyMap<string, Worker>,
  isIdle: (agentId: string) => boolean,
): Worker | undefined {
  const owner = workers.get(ownerId)
  const least = suitability(owner?.candidate, step, 0)
  return [...workers.values()].find(
    (worker) =>
      worker.agentId !== ownerId &&
      isIdle(worker.agentId) &&
      (worker.profileId === owner?.profileId || suitability(worker.candidate, step, 0) >= least) &&
      hasTools(worker, step),
  )
}
