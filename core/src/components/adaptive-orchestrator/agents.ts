import type { PlanAgent } from '../../contracts/index.ts'
import { maxBy } from '../../support/max-by.ts'
import { containment, toStems } from '../../text/index.ts'

/** An agent that the orchestrator may give work to, by what it is for and what it is good at. */
export interface AgentSpec {
  /** Slug, unique within the orchestrator. */
  id: string
  /** Shown to people. */
  name: string
  /** What it is for. */
  role: string
  /** What it is good at, matched against objectives. */
  capabilities: readonly string[]
  /** Ids of the tools it may call. Default: all that the run allows. */
  tools?: readonly string[]
  /** `provider/model`. Default: the run's. */
  model?: string
  /** How many steps it does at once. Default: no limit of its own. */
  maxConcurrent?: number
}

/** An agent that was registered, with its defaults. */
export type RegisteredAgent = AgentSpec & Required<Pick<AgentSpec, 'tools'>>

/** What is known about an agent when steps are given out: a profile, or a registered agent. */
export interface Candidate extends Pick<RegisteredAgent, 'id' | 'name' | 'role' | 'capabilities' | 'tools'> {
  description?: string | undefined
}

/** Capabilities and description as words. */
export const abilitiesOf = ({ capabilities, description = '' }: Candidate): string =>
  [...capabilities, description].join(' ')

/** A member of a team: a candidate, or a generalist. */
export interface TeamMember {
  agentId: string
  name: string
  role: string
  candidate?: Candidate | undefined
}

export const toPlanAgent = ({ agentId, name, role, candidate }: TeamMember): PlanAgent => ({
  agentId,
  name,
  role,
  ...(candidate === undefined ? {} : { profileId: candidate.id }),
})

/** The role of agents that have no other. */
const COMMON_ROLE = 'worker'

/** Work that wants an agent. */
export interface Work {
  objective: string
  role: string
}

/**
 * How well an agent suits an objective, in [0, 1]: half by shared stems of its abilities, .3 by its role,
 * .2 by how free it is. A generalist takes any role.
 */
export function suitability(candidate: Candidate | undefined, work: Work, load = 0): number {
  const { ability, role } = fit(candidate, work)
  return 0.5 * ability + 0.3 * role + 0.2 * (1 - load)
}

function fit(candidate: Candidate | undefined, work: Work): { ability: number; role: number } {
  if (candidate === undefined) return { ability: 0, role: 1 }
  const abilities = new Set(toStems(abilitiesOf(candidate)))
  const objective = new Set(toStems(work.objective))
  const isNamed = candidate.role !== COMMON_ROLE && toStems(candidate.role).some((stem) => objective.has(stem))
  return {
    ability: abilities.size === 0 ? 0 : containment(abilities, objective),
    role: isNamed || candidate.role === work.role ? 1 : 0,
  }
}

/** The candidate that suits best, if any has something to do with the work; ties go to the first. */
export const bestCandidate = (
  candidates: readonly Candidate[],
  work: Work,
  loadOf: (candidate: Candidate) => number,
): Candidate | undefined =>
  maxBy(candidates, (candidate) => {
    const { ability, role } = fit(candidate, work)
    const isStranger = ability === 0 && (role === 0 || candidate.role === COMMON_ROLE)
    return isStranger ? undefined : suitability(candidate, work, loadOf(candidate))
  })
