import type { AgentProfile, Plan, PlanAgent } from '../../contracts/index.ts'
import type { Candidate, RegisteredAgent } from './agents.ts'

/** An agent of a plan: what running its steps needs to know about it. */
export interface Worker {
  agentId: string
  name: string
  role: string
  profileId?: string | undefined
  profile?: AgentProfile | undefined
  /** What it is good at; a generalist has none. */
  candidate?: Candidate | undefined
  /** `provider/model`; empty: the run's default. The model gateway tries the profile's other models when this one fails. */
  model: string
  /** How many steps at once. */
  maxConcurrent: number
}

/** The workers of a plan, by `agentId`. One without profile is a generalist on the run's default model. */
export function workersOf(
  plan: Plan,
  profiles: readonly AgentProfile[],
  registered: readonly RegisteredAgent[],
): Map<string, Worker> {
  return new Map(plan.agents.map((agent) => [agent.agentId, toWorker(agent, profiles, registered)]))
}

/** One of them. */
export function toWorker(
  agent: PlanAgent,
  profiles: readonly AgentProfile[] = [],
  registered: readonly RegisteredAgent[] = [],
): Worker {
  const { agentId, name, role, profileId } = agent
  const profile = profiles.find(({ id }) => id === profileId)
  const spec = registered.find(({ id }) => id === profileId)
  return {
    agentId,
    name,
    role,
    profileId,
    profile,
    candidate: profile ?? spec,
    model: profile?.model ?? spec?.model ?? '',
    maxConcurrent: spec?.maxConcurrent ?? Number.POSITIVE_INFINITY,
  }
}
