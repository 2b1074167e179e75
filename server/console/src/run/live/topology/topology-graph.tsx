import {
  type Edge,
  getViewportForBounds,
  Handle,
  type Node,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatShort, oneLine, tokensOf } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import { type GraphEdge, type GraphNode, placesOf } from '../../../state/graph.ts'
import type { RunState } from '../../../state/run-state.ts'
import '@xyflow/react/dist/base.css'

const WIDTH = 196
const HEIGHT = 72
const COLUMN = WIDTH + 56
const ROW = HEIGHT + 20
/** A narrower frame has the earlier on top, in pixels. */
const NARROW = 620
/** Of the frame, in pixels: what the rows want, within these. */
const LEAST_HEIGHT = 200
const MOST_HEIGHT = 460
/** Of the frame, which stays free around the graph. */
const PADDING = 0.06
const LEAST_ZOOM = 0.2

/** What an agent is for, or what kind of step it is where it is no ordinary one. */
export const roleOf = ({ id, kind }: GraphNode, { view }: RunState): string =>
  kind === 'agent' ? (view.agents.get(id)?.role ?? '') : kind === 'step' ? '' : kind

/** Tokens of a node's model calls. */
export const tokensOfNode = ({ id, kind }: GraphNode, { view }: RunState): number =>
  tokensOf(kind === 'agent' ? view.usageOfAgent(id).usage : view.usageOfStep(id))

interface NodeData extends Record<string, unknown> {
  node: GraphNode
  text: string
  tokens: number
}

interface GraphProps {
  state: RunState
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
}

/** Agents and steps in columns, the earlier to the left, fitted to the frame. */
export function TopologyGraph({ state, nodes, edges }: GraphProps) {
  const [flow, setFlow] = useState<ReactFlowInstance<Node<NodeData>> | undefined>(undefined)
  const frame = useRef<HTMLDivElement>(null)
  const ids = nodes.map(({ id }) => id)
  const shape = `${ids.join()} ${edges.length}`
  const places = useMemo(() => placesOf(ids, edges), [shape])
  const [isDown, setDown] = useState(false)
  const lines = Math.max(1, ...[...places.values()].map(({ row, column }) => (isDown ? column : row) + 1))
  const height = Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, lines * ROW + 40))
  // The library's own `fitView` takes the nodes as it last saw them, which may be those of the other direction.
  const fit = (): void => {
    if (frame.current === null) return
    const { clientWidth, clientHeight } = frame.current
    const all = [...places.values()].map((place) => positionOf(place, isDown))
    const bounds = {
      x: 0,
      y: 0,
      width: Math.max(0, ...all.map(({ x }) => x)) + WIDTH,
      height: Math.max(0, ...all.map(({ y }) => y)) + HEIGHT,
    }
    void flow?.setViewport(getViewportForBounds(bounds, clientWidth, clientHeight, LEAST_ZOOM, 1, PADDING))
  }
  useEffect(() => {
    const { current } = frame
    if (current === null) return
    // It is told of the frame's size at first too.
    const observer = new ResizeObserver(() => {
      setDown(current.clientWidth < NARROW)
      fit()
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [flow, shape, isDown])
  const status = new Map(nodes.map((node) => [node.id, node.status]))
  return (
    <div class="topology-graph">
      <div ref={frame} class="topology-frame" style={{ minHeight: `${height}px` }}>
        <ReactFlow
          nodes={nodes.map((node) => toNode(node, state, isDown, places.get(node.id)))}
          edges={edges.map((edge) => toEdge(edge, status))}
          nodeTypes={NODE_TYPES}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          zoomOnScroll={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          minZoom={LEAST_ZOOM}
          maxZoom={2}
          disableKeyboardA11y
          onInit={setFlow}
        />
      </div>
      <div class="topology-tools" role="group" aria-label="Size of the graph">
        <button type="button" aria-label="Larger" onClick={() => void flow?.zoomIn()}>
          +
        </button>
        <button type="button" aria-label="Smaller" onClick={() => void flow?.zoomOut()}>
          −
        </button>
        <button type="button" onClick={fit}>
          Fit
        </button>
      </div>
    </div>
  )
}

const positionOf = ({ column, row }: { column: number; row: number }, isDown: boolean): { x: number; y: number } =>
  isDown ? { x: row * (WIDTH + 16), y: column * (ROW + 24) } : { x: column * COLUMN, y: row * ROW }

function toNode(node: GraphNode, state: RunState, isDown: boolean, place = { column: 0, row: 0 }): Node<NodeData> {
  const isAgent = node.kind === 'agent'
  const role = roleOf(node, state)
  return {
    id: node.id,
    type: 'work',
    position: positionOf(place, isDown),
    sourcePosition: isDown ? Position.Bottom : Position.Right,
    targetPosition: isDown ? Position.Top : Position.Left,
    width: WIDTH,
    height: HEIGHT,
    data: {
      node,
      text: isAgent ? role : `${role && `${role}: `}${oneLine(node.label, 90)}`,
      tokens: tokensOfNode(node, state),
    },
  }
}

/** What flows into work that goes on moves, where motion is allowed. */
function toEdge({ from, to, kind }: GraphEdge, status: ReadonlyMap<string, string>): Edge {
  const isFlowing = status.get(to) === 'running'
  return {
    id: `${from} ${to} ${kind}`,
    source: from,
    target: to,
    animated: isFlowing,
    className: `edge-${kind}${isFlowing ? ' is-flowing' : ''}`,
  }
}

const NODE_TYPES = { work: WorkNode }

interface WorkNodeProps {
  data: NodeData
  sourcePosition?: Position
  targetPosition?: Position
}

function WorkNode({ data, sourcePosition = Position.Right, targetPosition = Position.Left }: WorkNodeProps) {
  const { node, text, tokens } = data
  const isAgent = node.kind === 'agent'
  return (
    <div class="work-node" data-kind={isAgent ? 'agent' : 'step'} data-status={node.status}>
      <Handle type="target" position={targetPosition} isConnectable={false} />
      <div class="work-title">
        <Status of={node.status} label="" />
        <strong class="clip">{isAgent ? node.label : node.id}</strong>
        <span class="tiny soft spread number">{tokens > 0 && `${formatShort(tokens)} tok`}</span>
      </div>
      <div class="work-text">{text}</div>
      <Handle type="source" position={sourcePosition} isConnectable={false} />
    </div>
  )
}
