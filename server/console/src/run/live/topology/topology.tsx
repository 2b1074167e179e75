import { useMemo } from 'preact/hooks'
import { Card } from '../../../parts/card.tsx'
import { formatCount, oneLine } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import { type GraphEdge, type GraphNode, planGraph } from '../../../state/graph.ts'
import { groupBy } from '../../../state/group-by.ts'
import type { RunState } from '../../../state/run-state.ts'
import { partOf, type ShownRun } from '../../shown-run.ts'
import { roleOf, TopologyGraph, tokensOfNode } from './topology-graph.tsx'
import './topology.css'

/** Who works with whom: as a graph, and as a list that says the same. */
export function Topology({ shown }: { shown: ShownRun }) {
  const { state, isLeft } = shown
  const { graph, view } = state
  const told = graph.nodes.size > 0
  const { nodes, edges } = useMemo(
    () => toShown(told ? { nodes: [...graph.nodes.values()], edges: graph.edges } : planGraph(view), shown),
    [graph, told, graph.shape, view.plan, state.events.length, isLeft],
  )
  if (nodes.length === 0) return null
  return (
    <Card class="topology" title="Team" note={view.topology?.toLowerCase()}>
      <div class="topology-views">
        <TopologyGraph state={state} nodes={nodes} edges={edges} />
        <div class="topology-list" role="region" aria-labelledby="topology-list-title" tabIndex={0}>
          <h3 id="topology-list-title">Agents and steps</h3>
          <ul class="stack tight">
            {nodes.map((node) => (
              <Row key={node.id} node={node} state={state} edges={edges} />
            ))}
          </ul>
        </div>
      </div>
    </Card>
  )
}

/** Agents and steps stand as the run's view has them; the graph knows no more than how they are connected. */
function toShown({ nodes, edges }: { nodes: GraphNode[]; edges: readonly GraphEdge[] }, shown: ShownRun) {
  const { agents, steps } = shown.state.view
  const statusOf = ({ id, status }: GraphNode): GraphNode['status'] =>
    partOf(shown, (agents.get(id) ?? steps.get(id))?.status ?? status, id) as GraphNode['status']
  return { nodes: nodes.map((node) => ({ ...node, status: statusOf(node) })), edges }
}

const EDGE_WORDS: Readonly<Record<string, string>> = {
  does: 'done by',
  feeds: 'builds on',
  gathers: 'combines',
  reviews: 'reviews',
  votes: 'decides between',
  dependency: 'builds on',
}

function Row({ node, state, edges }: { node: GraphNode; state: RunState; edges: readonly GraphEdge[] }) {
  const into = groupBy(
    edges.filter(({ to }) => to === node.id),
    ({ kind }) => kind,
  )
  const role = roleOf(node, state)
  return (
    <li>
      <div class="row">
        <Status of={node.status} />
        <strong>{node.kind === 'agent' ? node.label : node.id}</strong>
        {role !== '' && <span class="soft small">{role}</span>}
        <span class="spread small number">{formatCount(tokensOfNode(node, state))} tokens</span>
      </div>
      {node.kind !== 'agent' && <p class="small">{oneLine(node.label, 140)}</p>}
      {into.size > 0 && (
        <p class="soft tiny">
          {[...into]
            .map(([kind, from]) => `${EDGE_WORDS[kind] ?? kind} ${from.map((edge) => edge.from).join(', ')}`)
            .join('; ')}
        </p>
      )}
    </li>
  )
}
