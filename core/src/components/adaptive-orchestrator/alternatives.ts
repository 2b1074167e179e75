import type { AgentProfile, Plan, PlanStep } from '../../contracts/index.ts'
import { ROLES } from '../../plan/roles.ts'
import { ALL_TOOLS } from '../../plan/validate-plan.ts'
import { maxBy } from '../../support/max-by.ts'
import { decompose, PART_OF } from '../../text/task/decompose.ts'
import { suitability } from './agents.ts'
import type { Worker } from './workers.ts'

/** Failures that say: this agent could not, another or a smaller piece of work might. Outages and limits are not among them. */
const GAPS: ReadonlySet<string> = new Set(['provider_bad_response', 'content_filtered', 'context_overflow'])
/** Failures of a model that the model gateway has given up on: only an agent on another model gets round them. */
const OUTAGES: ReadonlySet<string> = new Set([
  'provider_unavailable',
  'provider_timeout',
  'provider_rate_limited',
  'provider_auth',
  'model_not_found',
])

type Failure = { readonly code: string } | undefined

export const isGap = (error: Failure): boolean => error !== undefined && GAPS.has(error.code)
export const isOutage = (error: Failure): boolean => error !== undefined && OUTAGES.has(error.code)

/**
 * Who should try what this agent could not: the member of the team that suits the step best and has another profile,
 * for the same agent on the same model would fail the same way. After an outage only agents on another model count.
 */
export function nextBest(
  step: PlanStep,
  agentId: string,
  workers: ReadonlyMap<string, Worker>,
  error: Failure,
  isOut: (agentId: string) => boolean = () => false,
): Worker | undefined {
  const own = workers.get(agentId)
  return maxBy(workers.values(), (worker) => {
    if (worker.agentId === agentId || isOut(worker.agentId)) return undefined
    const isOther = isOutage(error) ? worker.model !== own?.model : isGap(error) && worker.profileId !== own?.profileId
    return isOther ? suitability(worker.candidate, step) + (hasTools(worker, step) ? 1 : 0) : undefined
  })
}

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
  const least = suitability(owner?.candidate, step)
  return [...workers.values()].find(
    (worker) =>
      worker.agentId !== ownerId &&
      isIdle(worker.agentId) &&
      hasTools(worker, step) &&
      (worker.profileId === owner?.profileId || suitability(worker.candidate, step) >= least),
  )
}

/** Whether an agent may call every tool of a step. */
export const hasTools = ({ candidate }: Worker, { tools }: PlanStep): boolean =>
  candidate === undefined || candidate.tools.includes(ALL_TOOLS) || tools.every((id) => candidate.tools.includes(id))

/** A profile outside the team that suits a step best; after an outage only one on another model. */
export function otherProfile(
  plan: Plan,
  step: PlanStep,
  profiles: readonly AgentProfile[],
  error: Failure,
): AgentProfile | undefined {
  const ownId = plan.agents.find(({ agentId }) => agentId === step.agentId)?.profileId
  const own = profiles.find(({ id }) => id === ownId)
  return maxBy(profiles, (profile) => {
    const { id, model } = profile
    if (plan.agents.some(({ profileId }) => profileId === id)) return undefined
    if (isOutage(error) && (model === undefined || model === own?.model)) return undefined
    return suitability(profile, step)
  })
}

/** The smaller pieces of a step's work; one when it has none. */
export function piecesOf({ role, objective }: PlanStep): string[] {
  if (role !== ROLES.worker) return [objective]
  const [own = '', ...whole] = objective.split(PART_OF)
  return decompose(own).parts.map((part) => [part.objective, ...whole].join(PART_OF))
}

/** Whether another plan could get round a failed step. */
export const canReplan = (plan: Plan, step: PlanStep, profiles: readonly AgentProfile[], error: Failure): boolean =>
  (isGap(error) || isOutage(error)) &&
  (otherProfile(plan, step, profiles, error) !== undefined || (isGap(error) && piecesOf(step).length > 1))
