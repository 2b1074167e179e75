import type { RiskLevel, Topology } from '../../contracts/words.ts'
import { ValidationError } from '../../errors.ts'

/** A piece of work and the pieces it waits for. */
export interface DagNode {
  id: string
  dependsOn?: readonly string[]
}

/**
 * Which topology suits pieces of work whose order is known?
 *
 * By the widest level and the longest path of the graph, in one pass over nodes and edges (after the idea of Yu,
 * AdaptOrch, 2026, arXiv 2602.16873; the thresholds are ours): no order at all is PARALLEL, hardly any width is
 * SEQUENTIAL, width is CENTRALIZED, and width with depth under high risk is HYBRID.
 *
 * @param nodes ids are unique; a dependency on an unknown id is an error
 * @param riskLevel default `low`
 * @throws ValidationError `validation_failed` for a repeated id, an unknown dependency, or a cycle
 */
export function toTopologyOfDag(nodes: readonly DagNode[], riskLevel: RiskLevel = 'low'): Topology {
  const { width, depth, edges } = measure(nodes)
  const count = nodes.length
  if (count <= 1) return 'SINGLE'
  const isWide = width / count >= 0.4
  if (depth / count >= 0.8) return 'SEQUENTIAL'
  if (edges === 0) return 'PARALLEL'
  const isRisky = riskLevel === 'high' || riskLevel === 'critical'
  if (count >= 6 && isWide && depth / count >= 0.4 && isRisky) return 'HYBRID'
  return isWide ? 'CENTRALIZED' : 'SEQUENTIAL'
}

/** Nodes of the widest level, nodes of the longest path, number of edges. */
function measure(nodes: readonly DagNode[]): { width: number; depth: number; edges: number } {
  const waitsFor = new Map<string, number>()
  const dependents = new Map<string, string[]>()
  for (const { id } of nodes) {
    if (waitsFor.has(id)) throw invalid(`step "${id}" is there twice; give every step an id of its own`)
    waitsFor.set(id, 0)
  }
  let edges = 0
  for (const { id, dependsOn = [] } of nodes) {
    const unique = new Set(dependsOn)
    for (const dependency of unique) {
      if (!waitsFor.has(dependency)) throw invalid(`step "${id}" depends on "${dependency}", which is not a step`)
      const list = dependents.get(dependency)
      if (list === undefined) dependents.set(dependency, [id])
      else list.push(id)
    }
    waitsFor.set(id, unique.size)
    edges += unique.size
  }
  let level = nodes.filter(({ id }) => waitsFor.get(id) === 0).map(({ id }) => id)
  let width = 0
  let depth = 0
  let done = 0
  while (level.length > 0) {
    width = Math.max(width, level.length)
    depth++
    done += level.length
    const next: string[] = []
    for (const id of level) {
      for (const dependent of dependents.get(id) ?? []) {
        const left = (waitsFor.get(dependent) ?? 0) - 1
        waitsFor.set(dependent, left)
        if (left === 0) next.push(dependent)
      }
    }
    level = next
  }
  if (done < nodes.length) {
    const stuck = nodes.filter(({ id }) => (waitsFor.get(id) ?? 0) > 0).map(({ id }) => `"${id}"`)
    throw invalid(`the steps ${stuck.slice(0, 5).join(', ')} wait for each other in a circle`)
  }
  return { width, depth, edges }
}

const invalid = (message: string): ValidationError => new ValidationError('validation_failed', message)
