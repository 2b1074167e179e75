import type { AgentProfile, EventData, Plan, PlanStep, RunContext, WorkStatus } from '../../../../contracts/index.ts'
import { ROLES } from '../../../../plan/roles.ts'
import { dependentsOf } from '../../../../support/graph.ts'
import { clip, oneLine } from '../../clip.ts'
import type { Worker } from '../../workers.ts'
import type { VoteRecord } from '../agent/vote.ts'
import { type DelegatedState, isOver, type StepState } from './step-state.ts'
import type { Tally } from './tally.ts'

type Graph = EventData['topology.updated']

/** Emits what the agents and steps of an execution do as events of the run. */
export class Progress {
  readonly #run: RunContext
  readonly #plan: Plan
  readonly #states: ReadonlyMap<string, StepState>
  readonly #tally: Tally
  readonly #agents: { agentId: string; name: string }[]
  readonly #dependents: ReadonlyMap<string, readonly PlanStep[]>
  /** The steps of each agent; made anew after one went to another agent. */
  #byAgent: ReadonlyMap<string, readonly StepState[]> | undefined
  /** Agents that have started and not ended. */
  readonly #working = new Set<string>()
  /** The status of each node of the graph as it was drawn last. */
  readonly #drawn = new Map<string, WorkStatus>()
  /** Steps that went to other agents since the edges were drawn last; endless before the first drawing. */
  #moved = Number.POSITIVE_INFINITY

  constructor(run: RunContext, plan: Plan, states: ReadonlyMap<string, StepState>, tally: Tally) {
    this.#run = run
    this.#plan = plan
    this.#states = states
    this.#tally = tally
    this.#dependents = dependentsOf(plan.steps)
    this.#agents = plan.agents.map(({ agentId, name }) => ({ agentId, name }))
  }

  /** Announces an agent that another one gives work to, and hands it over. */
  join({ step, parent }: DelegatedState, { agentId, name, role, profile }: Worker): void {
    this.#agents.push({ agentId, name })
    this.#byAgent = undefined
    this.#moved = Number.POSITIVE_INFINITY
    const at = { agentId, stepId: step.id }
    this.#run.emit('agent.created', profile ?? { id: agentId, name, role }, { agentId })
    const reason = `${parent.step.id} gives ${step.id} to ${name}`
    this.#run.emit('agent.handoff', { from: parent.agentId, to: agentId, reason, payloadRef: parent.step.id }, at)
  }

  /** What came of given work goes back to who gave it. */
  handBack({ step, agentId, parent }: DelegatedState): void {
    const reason = `${parent.step.id} gets what came of ${step.id}`
    const data = { from: agentId, to: parent.agentId, reason, payloadRef: step.id }
    this.#run.emit('agent.handoff', data, { agentId: parent.agentId, stepId: parent.step.id })
  }

  /** Announces the agents that are new. */
  introduce(profiles: readonly AgentProfile[], known: ReadonlySet<string>): void {
    for (const { agentId, name, role, profileId } of this.#plan.agents) {
      if (known.has(agentId)) continue
      const profile = profiles.find(({ id }) => id === profileId)
      this.#run.emit('agent.created', profile ?? { id: agentId, name, role }, { agentId })
    }
  }

  /**
   * Draws the graph at first, and where steps went to other agents; else only its nodes with a new status. Of a large plan the
   * edges are drawn anew once one in 32 of its steps went elsewhere, and at the end, so that the log of a run does not grow
   * with the square of its steps.
   */
  graph(isEnd = false): void {
    const isWhole = this.#moved >= (isEnd ? 1 : Math.max(1, this.#states.size / MOVES_DRAWN))
    if (isWhole) this.#moved = 0
    const nodes = this.#nodes((id, status) => isWhole || this.#drawn.get(id) !== status)
    for (const { id, status } of nodes) this.#drawn.set(id, status)
    if (nodes.length > 0) this.#run.emit('topology.updated', { nodes, edges: isWhole ? this.#edges() : [] })
  }

  /** A step goes to another agent. */
  handOver(data: EventData['agent.handoff'], at: { agentId: string; stepId: string }): void {
    this.#moved++
    this.#byAgent = undefined
    this.#run.emit('agent.handoff', data, at)
  }

  /** A step starts, and the results of others are handed to it. */
  start(state: StepState, softTokens: number | undefined): void {
    const { step, agentId } = state
    const at = { agentId, stepId: step.id }
    this.startAgent(state, softTokens)
    for (const id of step.dependsOn) {
      const from = this.#states.get(id)?.agentId
      if (from === undefined || from === agentId) continue
      this.#run.emit('agent.handoff', { from, to: agentId, reason: `${step.id} builds on ${id}`, payloadRef: id }, at)
    }
    this.#run.emit('step.started', { objective: step.objective, dependsOn: step.dependsOn }, at)
  }

  /** The agent of a step starts, unless it is at work. */
  startAgent({ step, agentId }: StepState, softTokens: number | undefined): void {
    if (this.#working.has(agentId)) return
    this.#working.add(agentId)
    const data = { objective: step.objective, tokens: softTokens ?? step.estimatedTokens }
    this.#run.emit('agent.started', data, { agentId, stepId: step.id })
  }

  /** A step is over, whichever way. */
  end(state: StepState, vote?: VoteRecord): void {
    const { step, agentId, status, error, output } = state
    const at = { agentId, stepId: step.id }
    if (status === 'completed') {
      const usage = this.#tally.ofStep(step.id)
      this.#run.emit('step.completed', vote === undefined ? { output, usage } : { output, usage, vote }, at)
    } else if (status === 'failed' && error !== undefined) this.#run.emit('step.failed', { error }, at)
    else if (status === 'skipped') this.#run.emit('step.skipped', { why: error?.message ?? '' }, at)
    this.#message(state)
    for (const id of this.#working) this.#endAgent(id, this.#stepsOf(id))
  }

  /** Everything stops, also the agents at work. */
  cancel(reason: string): void {
    for (const { step, agentId, status } of this.#states.values()) {
      if (status !== 'running' || !this.#working.delete(agentId)) continue
      this.#run.emit('agent.cancelled', { reason }, { agentId, stepId: step.id })
    }
  }

  #nodes(isDrawn: (id: string, status: WorkStatus) => boolean): Graph['nodes'] {
    const nodes: Graph['nodes'] = []
    for (const { agentId, name } of this.#agents) {
      const status = statusOfAgent(this.#stepsOf(agentId))
      if (isDrawn(agentId, status)) nodes.push({ id: agentId, kind: 'agent', label: name, status })
    }
    for (const { step, status } of this.#states.values()) {
      const { id, role, objective } = step
      if (!isDrawn(id, status)) continue
      nodes.push({ id, kind: role === ROLES.worker ? 'step' : role, label: clip(oneLine(objective), 120), status })
    }
    return nodes
  }

  #edges(): Graph['edges'] {
    return [...this.#states.values()].flatMap(({ step: { id, role, dependsOn }, agentId, parent }) => [
      { from: agentId, to: id, kind: 'does' },
      ...(parent === undefined ? [] : [{ from: parent.step.id, to: id, kind: 'delegates' as const }]),
      ...dependsOn.map((from) => ({ from, to: id, kind: EDGE_KINDS[role] ?? 'feeds' })),
    ])
  }

  #stepsOf(agentId: string): readonly StepState[] {
    this.#byAgent ??= byAgentOf(this.#states.values())
    return this.#byAgent.get(agentId) ?? []
  }

  /** What a step found goes to the agents that build on it; the whole text is in `step.completed`. */
  #message({ step, agentId, output }: StepState): void {
    if (output === '') return
    const dependents = this.#dependents.get(step.id) ?? []
    if (dependents.length === 0) return
    const readers = dependents.map(({ id, agentId: own }) => this.#states.get(id)?.agentId ?? own)
    const to = [...new Set(readers)].filter((reader) => reader !== agentId)
    if (to.length === 0) return
    const content = clip(output, 500)
    const message = { from: agentId, to, role: step.role, content, trust: 'trusted' } as const
    this.#run.emit('agent.message', message, { agentId, stepId: step.id })
  }

  /** An agent ends with the last of its steps. One whose steps all went to others has been announced as failed. */
  #endAgent(agentId: string, own: readonly StepState[]): void {
    if (!own.every(isOver)) return
    this.#working.delete(agentId)
    const last = own.findLast(({ status }) => status !== 'skipped') ?? own.at(-1)
    if (last === undefined) return
    const at = { agentId, stepId: last.step.id }
    const error = own.find(({ status }) => status === 'failed')?.error
    if (error === undefined) {
      const data = { output: clip(last.output, 500), usage: this.#tally.ofAgent(agentId), durationMs: timeOf(own) }
      this.#run.emit('agent.completed', data, at)
    } else this.#run.emit('agent.failed', { error, willRetry: false }, at)
  }
}

/** Of so many steps one has gone elsewhere when the edges are drawn anew. */
const MOVES_DRAWN = 32

function byAgentOf(states: Iterable<StepState>): Map<string, StepState[]> {
  const byAgent = new Map<string, StepState[]>()
  for (const state of states) {
    const own = byAgent.get(state.agentId)
    if (own === undefined) byAgent.set(state.agentId, [state])
    else own.push(state)
  }
  return byAgent
}

function statusOfAgent(own: readonly StepState[]): WorkStatus {
  if (own.some(({ status }) => status === 'running')) return 'running'
  return own.every(isOver) ? agentStatus(own) : 'pending'
}

const EDGE_KINDS: Readonly<Record<string, string>> = {
  [ROLES.critic]: 'reviews',
  [ROLES.vote]: 'votes',
  [ROLES.synthesizer]: 'gathers',
}

const GRAVEST_FIRST = ['failed', 'cancelled', 'running', 'completed', 'skipped'] as const

/** What became of an agent, by what became of its steps. */
export function agentStatus(own: readonly StepState[]): WorkStatus {
  return GRAVEST_FIRST.find((wanted) => own.some(({ status }) => status === wanted)) ?? 'pending'
}

/** Milliseconds in the steps of an agent. */
export const timeOf = (own: readonly StepState[]): number =>
  own.reduce((sum, { startedAt, endedAt }) => sum + Math.max(0, (endedAt ?? startedAt ?? 0) - (startedAt ?? 0)), 0)
