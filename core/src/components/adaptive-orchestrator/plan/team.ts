import { bestCandidate, type Candidate, suitability, type TeamMember } from '../agents.ts'

/** Work that wants an agent. */
export interface Work {
  objective: string
  role: string
}

/**
 * Gives work to the members of a team: each to the one that suits it best, free ones first, ties in order.
 *
 * @returns for each work the position of its member
 */
export function assign(members: readonly TeamMember[], work: readonly Work[]): number[] {
  if (members.length === 1) return work.map(() => 0)
  const loads = members.map(() => 0)
  return work.map((item) => {
    let best = 0
    let ofBest = Number.NEGATIVE_INFINITY
    for (const [index, member] of members.entries()) {
      const ofMember = suitability(member.candidate, item, (loads[index] ?? 0) / work.length)
      if (ofMember <= ofBest) continue
      best = index
      ofBest = ofMember
    }
    loads[best] = (loads[best] ?? 0) + 1
    return best
  })
}

/**
 * Makes a team: agents asked for by name first, then those that suit.
 *
 * @param count number of members, `agent-1` first
 * @param named agents that were asked for by name: they become members in order
 * @param known agents that may be taken where they suit
 * @param roleOf what the member at a position is for
 * @param workOf what the member at a position is going to do, as far as it is known
 */
export function makeTeam(
  count: number,
  named: readonly Candidate[],
  known: readonly Candidate[],
  roleOf: (index: number) => string,
  workOf: (index: number) => string,
): TeamMember[] {
  const loads = new Map<string, number>()
  const members: TeamMember[] = []
  for (let index = 0; index < count; index++) {
    const role = roleOf(index)
    const candidate =
      named[index] ??
      (named.length > 0
        ? undefined
        : bestCandidate(known, { objective: workOf(index), role }, ({ id }) => (loads.get(id) ?? 0) / count))
    if (candidate !== undefined) loads.set(candidate.id, (loads.get(candidate.id) ?? 0) + 1)
    const agentId = `agent-${index + 1}`
    members.push({
      agentId,
      name: candidate?.name ?? `Agent ${index + 1}`,
      role: candidate?.role ?? role,
      candidate,
    })
  }
  return members
}
