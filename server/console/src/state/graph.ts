import type { EventOf, RunEvent, RunView } from '@svc/core/client'
import { groupBy } from './group-by.ts'

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
function columnsOf(nodes: Iterable<string>, edges: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const columns = new Map<string, number>()
  const path = new Set<string>()
  const into = groupBy(edges, ({ to }) => to)
  const visit = (id: string): number => {
    const known = columns.get(id)
    if (known !== undefined) return known
    path.add(id)
    const before = (into.get(id) ?? []).filter(({ from }) => !path.has(from)).map(({ from }) => visit(from))
    path.delete(id)
    const column = before.length === 0 ? 0 : Math.max(...before) + 1
    columns.set(id, column)
    return column
  }
  for (const id of nodes) visit(id)
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

/** Where a node stands: column and row, both from 0, rows by halves so that columns stand centred. */
export interface NodePosition {
  column: number
  row: number
}

/**
 * Places for all nodes, no two the same: columns by what leads to what, and within a column the order of those before it,
 * which keeps lines short and few of them crossing.
 */
export function placesOf(nodes: Iterable<string>, edges: readonly GraphEdge[]): ReadonlyMap<string, NodePosition> {
  const ids = [...nodes]
  const columns = new Map(columnsOf(ids, edges))
  // Who waits for nothing stands right before what comes of it, so that lines stay short.
  const outOf = groupBy(edges, ({ from }) => from)
  for (const [id, column] of columns) {
    const next = (outOf.get(id) ?? []).map(({ to }) => columns.get(to) ?? 1)
    if (column === 0 && next.length > 0) columns.set(id, Math.max(0, Math.min(...next) - 1))
  }
  const into = groupBy(edges, ({ to }) => to)
  const byColumn = groupBy(ids, (id) => columns.get(id) ?? 0)
  const tallest = Math.max(0, ...[...byColumn.values()].map(({ length }) => length))
  const places = new Map<string, NodePosition>()
  for (const column of [...byColumn.keys()].sort((a, b) => a - b)) {
    const wanted = new Map<string, number>()
    for (const id of byColumn.get(column) ?? []) {
      const rows = (into.get(id) ?? []).flatMap(({ from }) => places.get(from)?.row ?? [])
      wanted.set(id, rows.reduce((sum, row) => sum + row, 0) / rows.length || 0)
    }
    const inOrder = [...wanted].sort(([, a], [, b]) => a - b)
    const top = (tallest - inOrder.length) / 2
    for (const [index, [id]] of inOrder.entries()) places.set(id, { column, row: top + index })
  }
  return places
}
