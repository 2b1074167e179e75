import { maxBy } from '../../../support/max-by.ts'
import { bestCandidate, type Candidate, suitability, type TeamMember, type Work } from '../agents.ts'

/**
 * Gives work to the members of a team: each to the one that suits it best, free ones first, ties in order.
 *
 * @returns for each work its member
 */
export function assign(members: readonly TeamMember[], work: readonly Work[]): (TeamMember | undefined)[] {
  const loads = new Map<TeamMember, number>()
  return work.map((item) => {
    const best = maxBy(members, (member) => suitability(member.candidate, item, (loads.get(member) ?? 0) / work.length))
    if (best !== undefined) loads.set(best, (loads.get(best) ?? 0) + 1)
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
