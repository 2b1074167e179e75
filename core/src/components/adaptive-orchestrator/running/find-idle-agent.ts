import type { PlanStep } from '../../../contracts/index.ts'
import { suitability } from '../agents.ts'
import { hasTools } from '../alternatives.ts'
import type { Worker } from '../workers.ts'

/**
 * An idle agent that can do a step as well as the busy one it waits for: filled by the same profile, or at least as
 * suitable, with all the tools that the step needs. Ties go to the first.
 */
export function findIdleAgent(
  step: PlanStep,
  ownerId: string,
  workers: ReadonlyMap<string, Worker>,
  isIdle: (agentId: string) => boolean,
): Worker | undefined {
  const owner = workers.get(ownerId)
  const least = suitability(owner?.candidate, step, 0)
  for (const worker of workers.values()) {
    if (worker.agentId === ownerId || !isIdle(worker.agentId) || !hasTools(worker, step)) continue
    if (worker.profileId === owner?.profileId || suitability(worker.candidate, step, 0) >= least) return worker
  }
  return undefined
}
