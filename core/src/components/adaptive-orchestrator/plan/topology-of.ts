import type { PlanStep, Topology } from '../../../contracts/index.ts'
import { sinksOf } from '../graph.ts'
import { ROLES } from '../roles.ts'

/** From this share of steps on a level is wide, from this one on a chain is the whole plan. */
const WIDE = 0.4
const CHAIN = 0.8

/**
 * The topology that steps have by the shape of their graph: one step is SINGLE, a chain SEQUENTIAL, work without order
 * PARALLEL, with or without a last step that gathers it, and what is wide but ordered CENTRALIZED.
 *
 * @see Yu, AdaptOrch, 2026 (arXiv 2602.16873) for routing by the shape of the graph; the thresholds are svc's own
 */
export function topologyOf(steps: readonly PlanStep[]): Topology {
  const count = steps.length
  if (count <= 1) return 'SINGLE'
  const sizes = new Map<number, number>()
  for (const level of levelsOf(steps).values()) sizes.set(level, (sizes.get(level) ?? 0) + 1)
  if (sizes.size / count >= CHAIN) return 'SEQUENTIAL'
  const ends = sinksOf(steps)
  const gathered = steps.filter(
    (step) => step.role !== ROLES.synthesizer && step !== (ends.length === 1 ? ends[0] : undefined),
  )
  if (gathered.every(({ dependsOn }) => dependsOn.length === 0)) return 'PARALLEL'
  return Math.max(...sizes.values()) / count >= WIDE ? 'CENTRALIZED' : 'SEQUENTIAL'
}

function levelsOf(steps: readonly PlanStep[]): Map<string, number> {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const levels = new Map<string, number>()
  const levelOf = (step: PlanStep): number => {
    const known = levels.get(step.id)
    if (known !== undefined) return known
    levels.set(step.id, 0)
    let level = 0
    for (const id of step.dependsOn) {
      const other = byId.get(id)
      if (other !== undefined) level = Math.max(level, 1 + levelOf(other))
    }
    levels.set(step.id, level)
    return level
  }
  for (const step of steps) levelOf(step)
  return levels
}
