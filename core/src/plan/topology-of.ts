import type { PlanStep, Topology } from '../contracts/index.ts'
import { sinksOf, topologicalOrder } from '../support/graph.ts'
import { ROLES } from './roles.ts'

/** From this share of steps on a level is wide, from this one on a chain is the whole plan. */
const WIDE = 0.4
const CHAIN = 0.8

/**
 * The topology that steps have by the shape of their graph: one step is SINGLE, a chain SEQUENTIAL, work without order
 * PARALLEL, with or without a last step that gathers it, and what is wide but ordered CENTRALIZED.
 *
 * @see Yu, AdaptOrch, 2026 (arXiv 2602.16873) for routing by the shape of the graph; the thresholds are svc's own
 */
export function topologyOf(steps: readonly Pick<PlanStep, 'id' | 'role' | 'dependsOn'>[]): Topology {
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

/** How many steps come before each one in a row. */
function levelsOf(steps: readonly Pick<PlanStep, 'id' | 'dependsOn'>[]): Map<string, number> {
  const levels = new Map<string, number>()
  for (const { id, dependsOn } of topologicalOrder(steps))
    levels.set(id, Math.max(0, ...dependsOn.map((other) => 1 + (levels.get(other) ?? -1))))
  return levels
}
