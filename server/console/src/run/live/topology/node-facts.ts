import type { GraphNode } from '../../../state/graph.ts'
import type { RunState } from '../../../state/run-state.ts'

/** What an agent is for, or what kind of step it is where it is no ordinary one. */
export const roleOf = ({ id, kind }: GraphNode, { view }: RunState): string =>
  kind === 'agent' ? (view.agents.get(id)?.role ?? '') : kind === 'step' ? '' : kind

/** Input and output tokens of a node's model calls. */
export function tokensOf({ id, kind }: GraphNode, { view }: RunState): number {
  const usage = kind === 'agent' ? view.usageOfAgent(id).usage : view.usageOfStep(id)
  return usage.inputTokens + usage.outputTokens
}
