import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Text } from './schema.ts'

/** How a team works together. `SINGLE` is one agent and the default. */
export const Topology = Type.Enum(['SINGLE', 'SEQUENTIAL', 'PARALLEL', 'CENTRALIZED', 'DECENTRALIZED', 'HYBRID'])
export type Topology = Static<typeof Topology>

/** What the name of a topology that a plugin registers looks like. */
export const TOPOLOGY_NAME = /^[A-Z][A-Z0-9_]{0,63}$/

/** A topology of svc, or the name of one that a plugin has registered. */
export type TopologyName = Topology | (string & {})
export const TopologyName = Type.Unsafe<TopologyName>(
  Text('SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID, or the name of one that a plugin registered'),
)

/** All topologies of svc, in the order in which they are shown. */
export const TOPOLOGIES = [
  'SINGLE',
  'SEQUENTIAL',
  'PARALLEL',
  'CENTRALIZED',
  'DECENTRALIZED',
  'HYBRID',
] as const satisfies readonly Topology[]

/** Whether a topology is one of svc's own. */
export const isTopology = (name: TopologyName): name is Topology => TOPOLOGIES.some((topology) => topology === name)

/** How far a run goes: to the end, to the plan, or to the analysis. */
export const Mode = Type.Enum(['execute', 'plan', 'analyze'])
export type Mode = Static<typeof Mode>

/** What is at stake in a task. */
export const RiskLevel = Type.Enum(['low', 'medium', 'high', 'critical'])
export type RiskLevel = Static<typeof RiskLevel>

/** What a tool or a plan step may do, from harmless to irreversible. */
export const ToolRisk = Type.Enum(['read', 'write', 'network', 'execute', 'destructive'])
export type ToolRisk = Static<typeof ToolRisk>

/** How bad a finding is. */
export const Severity = Type.Enum(['info', 'warn', 'critical'])
export type Severity = Static<typeof Severity>

/** Where a run stands. The last four are terminal. */
export const RunStatus = Type.Enum([
  'queued',
  'running',
  'waiting',
  'cancelling',
  'completed',
  'incomplete',
  'failed',
  'cancelled',
])
export type RunStatus = Static<typeof RunStatus>

/** Where an agent or a step stands; `waiting` for a person. */
export const WorkStatus = Type.Enum(['pending', 'running', 'waiting', 'completed', 'failed', 'skipped', 'cancelled'])
export type WorkStatus = Static<typeof WorkStatus>

/** Where an approval stands. */
export const ApprovalStatus = Type.Enum(['pending', 'approved', 'denied', 'expired'])
export type ApprovalStatus = Static<typeof ApprovalStatus>

/** The three layers of memory. */
export const Layer = Type.Enum(['working', 'episodic', 'long-term'])
export type Layer = Static<typeof Layer>

const ALIASES: Readonly<Record<string, Topology>> = {
  INDEPENDENT: 'PARALLEL',
  PIPELINE: 'SEQUENTIAL',
  HIERARCHICAL: 'CENTRALIZED',
  SUPERVISOR: 'CENTRALIZED',
  DEBATE: 'DECENTRALIZED',
}

/**
 * Reads a topology as a person writes it: any case, with the field's other names.
 *
 * @param own names that plugins have registered
 * @returns the topology, `AUTO` for "let the analyzer choose", or `undefined` when the word is unknown
 */
export function toTopology(word: string): Topology | 'AUTO' | undefined
export function toTopology(word: string, own: readonly string[]): TopologyName | 'AUTO' | undefined
export function toTopology(word: string, own: readonly string[] = []): TopologyName | 'AUTO' | undefined {
  const upper = word.trim().toUpperCase()
  return ['AUTO', ...TOPOLOGIES, ...own].find((topology) => topology === upper) ?? ALIASES[upper]
}
