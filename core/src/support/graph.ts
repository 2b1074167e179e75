import { maxBy } from './max-by.ts'

/** Questions about a directed acyclic graph of steps. All are linear in nodes and edges unless they say otherwise. */

export interface GraphNode {
  readonly id: string
  readonly dependsOn: readonly string[]
}

/** Which nodes wait for each node, in the order of the nodes. */
export function dependentsOf<N extends GraphNode>(nodes: readonly N[]): Map<string, N[]> {
  const dependents = new Map<string, N[]>(nodes.map(({ id }) => [id, []]))
  for (const node of nodes) for (const id of node.dependsOn) dependents.get(id)?.push(node)
  return dependents
}

/**
 * The nodes so that each comes after all it depends on (Kahn, 1962); ties keep the given order.
 * Nodes on a cycle, and those behind one, are left out.
 */
export function topologicalOrder<N extends GraphNode>(nodes: readonly N[]): N[] {
  const dependents = dependentsOf(nodes)
  const waitsFor = new Map(nodes.map(({ id, dependsOn }) => [id, new Set(dependsOn).size]))
  const order = nodes.filter(({ id }) => waitsFor.get(id) === 0)
  for (let index = 0; index < order.length; index++) {
    const node = order[index] as N
    for (const dependent of new Set(dependents.get(node.id))) {
      const left = (waitsFor.get(dependent.id) ?? 0) - 1
      waitsFor.set(dependent.id, left)
      if (left === 0) order.push(dependent)
    }
  }
  return order
}

/** The nodes that nothing depends on. */
export function sinksOf<N extends GraphNode>(nodes: readonly N[]): N[] {
  const needed = new Set(nodes.flatMap(({ dependsOn }) => dependsOn))
  return nodes.filter(({ id }) => !needed.has(id))
}

/** The given nodes and all that depends on them, directly or not. */
export function withDescendants(nodes: readonly GraphNode[], ids: Iterable<string>): Set<string> {
  const found = new Set(ids)
  for (const node of topologicalOrder(nodes)) if (node.dependsOn.some((id) => found.has(id))) found.add(node.id)
  return found
}

/** The nodes and all that they depend on. */
export function withAncestors(nodes: readonly GraphNode[], ids: Iterable<string>): Set<string> {
  const found = new Set(ids)
  for (const node of topologicalOrder(nodes).reverse())
    if (found.has(node.id)) for (const id of node.dependsOn) found.add(id)
  return found
}

/** The length of the heaviest path from each node to a sink, its own weight included: the rank of list scheduling. */
export function ranksOf<N extends GraphNode>(nodes: readonly N[], weightOf: (node: N) => number): Map<string, number> {
  const dependents = dependentsOf(nodes)
  const ranks = new Map<string, number>()
  for (const node of topologicalOrder(nodes).reverse()) {
    const behind = (dependents.get(node.id) ?? []).map(({ id }) => ranks.get(id) ?? 0)
    ranks.set(node.id, weightOf(node) + Math.max(0, ...behind))
  }
  return ranks
}

/** The ids on the heaviest path, first to last; ties keep the given order. */
export function heaviestPath<N extends GraphNode>(nodes: readonly N[], weightOf: (node: N) => number): string[] {
  const ranks = ranksOf(nodes, weightOf)
  const dependents = dependentsOf(nodes)
  const path: string[] = []
  let candidates = nodes.filter(({ dependsOn }) => dependsOn.length === 0)
  while (candidates.length > 0) {
    const next = maxBy(candidates, ({ id }) => ranks.get(id) ?? 0)?.id ?? ''
    path.push(next)
    candidates = dependents.get(next) ?? []
  }
  return path
}

/** How many nodes the longest chain has. */
export const depthOf = (nodes: readonly GraphNode[]): number => Math.max(0, ...ranksOf(nodes, () => 1).values())

/** One cycle as its ids in order, each depending on the one before and the first on the last; `undefined` without one. */
export function findCycle(nodes: readonly GraphNode[]): string[] | undefined {
  const order = topologicalOrder(nodes)
  if (order.length === nodes.length) return undefined
  const ordered = new Set(order.map(({ id }) => id))
  const left = new Map(nodes.filter(({ id }) => !ordered.has(id)).map((node) => [node.id, node]))
  const trail: string[] = []
  // Every node left waits for another one left, so walking backwards must come round.
  let id = left.keys().next().value
  while (id !== undefined && !trail.includes(id)) {
    trail.push(id)
    id = left.get(id)?.dependsOn.find((dependency) => left.has(dependency))
  }
  return id === undefined ? undefined : trail.slice(trail.indexOf(id)).reverse()
}
