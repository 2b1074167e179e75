import type { EventOf, RunEvent, RunView } from '@svc/core/client'

type Update = EventOf<'topology.updated'>['data']
export type GraphNode = Update['nodes'][number]
export type GraphEdge = Update['edges'][number]

/** Who works with whom, event by event. */
export class Graph {
  readonly nodes = new Map<string, GraphNode>()
  edges: readonly GraphEdge[] = []
  /** Counts the changes of what there is, not of how it stands; only then is it laid out again. */
  shape = 0

  apply(event: RunEvent): void {
    if (event.type !== 'topology.updated') return
    const { nodes, edges } = event.data
    const isWhole = edges.length > 0
    if (isWhole) {
      this.nodes.clear()
      this.edges = edges
      this.shape++
    }
    for (const node of nodes) {
      if (!this.nodes.has(node.id)) this.shape++
      this.nodes.set(node.id, node)
    }
  }
}

/** The column of each node: one further than the furthest of those that lead to it. Loops do not count. */
export function columnsOf(nodes: Iterable<string>, edges: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const columns = new Map<string, number>()
  const into = Map.groupBy(edges, ({ to }) => to)
  const visit = (id: string, seen: ReadonlySet<string>): number => {
    const known = columns.get(id)
    if (known !== undefined) return known
    const path = new Set([...seen, id])
    const before = (into.get(id) ?? []).filter(({ from }) => !path.has(from)).map(({ from }) => visit(from, path))
    const column = before.length === 0 ? 0 : Math.max(...before) + 1
    if (seen.size === 0) columns.set(id, column)
    return column
  }
  for (const id of nodes) visit(id, new Set())
  return columns
}

/** The graph of a run that has said nothing of its topology yet: its plan's. */
export function planGraph({ plan }: RunView): { nodes: GraphNode[]; edges: GraphEdge[] } {
  if (plan === undefined) return { nodes: [], edges: [] }
  return {
    nodes: plan.steps.map(({ id, objective }) => ({ id, kind: 'step', label: objective, status: 'pending' as const })),
    edges: plan.steps.flatMap(({ id, dependsOn }) => dependsOn.map((from) => ({ from, to: id, kind: 'dependency' }))),
  }
}
