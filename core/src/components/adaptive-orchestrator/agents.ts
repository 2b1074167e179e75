import type { AgentProfile, PlanAgent } from '../../contracts/index.ts'
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

/** What is known about an agent when steps are given out: of a profile or of a registered agent. */
export interface Candidate {
  id: string
  name: string
  role: string
  /** Capabilities and description as words. */
  abilities: string
  /** With `*`: all that the run allows. */
  tools: readonly string[]
}

export const fromProfile = (profile: AgentProfile): Candidate => ({
  id: profile.id,
  name: profile.name,
  role: profile.role,
  abilities: [...profile.capabilities, profile.description ?? ''].join(' '),
  tools: profile.tools,
})

export const fromSpec = (spec: AgentSpec): Candidate => ({
  id: spec.id,
  name: spec.name,
  role: spec.role,
  abilities: spec.capabilities.join(' '),
  tools: spec.tools ?? ['*'],
})

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

/**
 * How well an agent suits an objective, in [0, 1]: half by shared stems of its abilities, .3 by its role,
 * .2 by how free it is. A generalist takes any role.
 */
export function suitability(
  candidate: Candidate | undefined,
  work: { objective: string; role: string },
  load: number,
): number {
  return worthOf(fit(candidate, work), load)
}

const worthOf = ({ ability, role }: ReturnType<typeof fit>, load: number): number =>
  0.5 * ability + 0.3 * role + 0.2 * (1 - load)

function fit(
  candidate: Candidate | undefined,
  work: { objective: string; role: string },
): { ability: number; role: number } {
  if (candidate === undefined) return { ability: 0, role: 1 }
  const abilities = new Set(toStems(candidate.abilities))
  const objective = new Set(toStems(work.objective))
  const isNamed = candidate.role !== COMMON_ROLE && toStems(candidate.role).some((stem) => objective.has(stem))
  return {
    ability: abilities.size === 0 ? 0 : containment(abilities, objective),
    role: isNamed || candidate.role === work.role ? 1 : 0,
  }
}

/** The candidate that suits best, if any has something to do with the work; ties go to the first. */
export function bestCandidate(
  candidates: readonly Candidate[],
  work: { objective: string; role: string },
  loadOf: (candidate: Candidate) => number,
): Candidate | undefined {
  let best: Candidate | undefined
  let ofBest = Number.NEGATIVE_INFINITY
  for (const candidate of candidates) {
    const fitting = fit(candidate, work)
    if (fitting.ability === 0 && (fitting.role === 0 || candidate.role === COMMON_ROLE)) continue
    const worth = worthOf(fitting, loadOf(candidate))
    if (worth <= ofBest) continue
    best = candidate
    ofBest = worth
  }
  return best
}
