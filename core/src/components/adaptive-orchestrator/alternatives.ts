import type { AgentProfile, ErrorInfo, Plan, PlanAgent, PlanStep } from '../../contracts/index.ts'
import { decompose } from './decompose.ts'
import { ROLES } from './roles.ts'

/** Failures that say: this agent could not, another or a smaller piece of work might. Outages and limits are not among them. */
const GAPS: ReadonlySet<string> = new Set(['provider_bad_response', 'content_filtered', 'context_overflow'])

export const isGap = (error: Pick<ErrorInfo, 'code'> | undefined): boolean =>
  error !== undefined && GAPS.has(error.code)

/** Another place of the team that is filled differently: the same agent on the same model would fail the same way. */
export function otherAgent(plan: Plan, agentId: string): PlanAgent | undefined {
  const own = plan.agents.find((agent) => agent.agentId === agentId)
  return plan.agents.find((agent) => agent.agentId !== agentId && agent.profileId !== own?.profileId)
}

/** A profile outside the team. */
export function otherProfile(plan: Plan, profiles: readonly AgentProfile[]): AgentProfile | undefined {
  return profiles.find(({ id }) => plan.agents.every(({ profileId }) => profileId !== id))
}

/** The smaller pieces of a step's work; one when it has none. */
export const piecesOf = (step: PlanStep): string[] =>
  step.role === ROLES.worker ? decompose(step.objective).parts.map(({ objective }) => objective) : [step.objective]

/** Whether another plan could get round a failed step. */
export const canReplan = (plan: Plan, step: PlanStep, profiles: readonly AgentProfile[]): boolean =>
  otherProfile(plan, profiles) !== undefined || piecesOf(step).length > 1
