import { bestCandidate, type Candidate, type Slot, suitability } from './agents.ts'

/** Work that wants an agent. */
export interface Work {
  objective: string
  role: string
}

/**
 * Hands work to the places of a team: each to the one that suits it best, free ones first, ties in order of the places.
 *
 * @returns for each work the position of its place
 */
export function assign(slots: readonly Slot[], work: readonly Work[]): number[] {
  const loads = slots.map(() => 0)
  return work.map((item) => {
    let best = 0
    for (const [index, slot] of slots.entries()) {
      const ofSlot = suitability(slot.candidate, item, (loads[index] ?? 0) / work.length)
      const ofBest = suitability(slots[best]?.candidate, item, (loads[best] ?? 0) / work.length)
      if (ofSlot > ofBest) best = index
    }
    loads[best] = (loads[best] ?? 0) + 1
    return best
  })
}

/**
 * Makes the places of a team and fills them.
 *
 * @param count number of places, `agent-1` first
 * @param named agents that were asked for by name: they take the places in order
 * @param known agents that may be taken where they suit
 * @param roleOf what the place at a position is for
 * @param workOf what the place at a position is going to do, as far as it is known
 */
export function makeTeam(
  count: number,
  named: readonly Candidate[],
  known: readonly Candidate[],
  roleOf: (index: number) => string,
  workOf: (index: number) => string,
): Slot[] {
  const loads = new Map<string, number>()
  return Array.from({ length: count }, (_, index) => {
    const role = roleOf(index)
    const candidate =
      named[index] ??
      (named.length > 0
        ? undefined
        : bestCandidate(known, { objective: workOf(index), role }, ({ id }) => (loads.get(id) ?? 0) / count))
    if (candidate !== undefined) loads.set(candidate.id, (loads.get(candidate.id) ?? 0) + 1)
    const agentId = `agent-${index + 1}`
    return {
      agentId,
      name: candidate?.name ?? `Agent ${index + 1}`,
      role: candidate?.role ?? role,
      ...(candidate === undefined ? {} : { candidate }),
    }
  })
}
