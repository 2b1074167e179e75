import type { EventOf, RunEvent } from '../log/event.ts'
import { toText } from '../model/message-text.ts'
import type { Usage, UsageTotal } from '../model/usage.ts'
import { addInto, addUsage, noUsage } from '../model/usage-sum.ts'
import type { Allocation } from '../stages/allocation.ts'
import type { Complexity } from '../stages/complexity.ts'
import type { Plan } from '../stages/plan.ts'
import type { Stage } from '../stages/stages.ts'
import type { ClientCall } from '../tool/client-tool.ts'
import type { RunStatus, TopologyName, WorkStatus } from '../words.ts'
import type { Approval } from './approval.ts'
import type { AgentView, ModelCallView, StepView, ToolCallView } from './call-view.ts'
import { findMissingEffect } from './missing-effect.ts'
import type { ModelUse } from './run.ts'
import { shownPartOf } from './run-end.ts'
import type { RunMessage } from './run-message.ts'

/**
 * The one projection of a run's log: what the run is doing and has done, applied event by event.
 *
 * Everybody who wants to know something of a run reads it here and folds no events by hand: results, lists, terminal,
 * console, components. At any moment it holds what a new one made from the same events would hold.
 */
export class RunView {
  status: RunStatus = 'queued'
  /** Number of the newest durable event. */
  lastSeq = 0
  stage: Stage | undefined
  complexity: Complexity | undefined
  allocation: Allocation | undefined
  plan: Plan | undefined
  topology: TopologyName | undefined
  /** In the order in which they began. */
  readonly modelCalls: ModelCallView[] = []
  readonly toolCalls: ToolCallView[] = []
  readonly steps = new Map<string, StepView>()
  readonly agents = new Map<string, AgentView>()
  /** Every approval that was asked for, with where it stands. */
  readonly approvals = new Map<string, Approval>()
  /** What people said to the run while it worked and an agent has read, in that order. */
  readonly messages: RunMessage[] = []
  /** Calls that are waited for of the program that asked for the run, by agent and call. */
  readonly clientCalls = new Map<string, ClientCall>()
  readonly #usage: UsageTotal = { ...noUsage(), modelCalls: 0 }
  #costUsd: number | null = 0
  #waitsForInput = false
  readonly #models = new Map<string, ModelUse>()
  #usageByStep: Map<string, Usage> | undefined
  #usageByAgent: Map<string, { usage: Usage; costUsd: number | null }> | undefined
  /** The newest call of each agent and call id: providers repeat ids from agent to agent and from try to try. */
  #newestModelCall: Map<string, ModelCallView> | undefined
  #newestToolCall: Map<string, ToolCallView> | undefined

  constructor(events: Iterable<RunEvent> = []) {
    for (const event of events) this.apply(event)
  }

  /** Takes in the next event. */
  apply(event: RunEvent): void {
    if (event.seq !== undefined && event.seq > this.lastSeq) this.lastSeq = event.seq
    switch (event.type) {
      case 'run.resumed':
        this.#waitsForInput = false
        this.clientCalls.clear()
        this.#showWaits()
        if (this.status !== 'cancelling') this.status = 'running'
        return
      case 'run.started':
        if (this.status !== 'cancelling') this.status = 'running'
        return
      case 'run.queued':
        this.status = 'queued'
        return
      case 'run.recovered':
        if (this.status === 'running') this.status = 'queued' // what waits goes on waiting
        return
      case 'run.waiting':
        if (this.status !== 'cancelling') this.status = 'waiting'
        if (event.data.input !== undefined) this.#waitsForInput = true
        for (const call of event.data.calls ?? []) this.clientCalls.set(`${call.agentId}|${call.callId}`, call)
        this.#showWaits()
        return
      case 'run.cancelling':
        this.status = 'cancelling'
        return
      case 'run.completed':
      case 'run.incomplete':
      case 'run.failed':
      case 'run.cancelled':
        this.#end(event.type.slice(4) as RunStatus, event)
        return
      case 'stage.started':
        this.stage = event.stage
        return
      case 'stage.completed':
      case 'stage.failed':
        this.stage = undefined
        return
      case 'analysis.completed':
        this.complexity = event.data
        return
      case 'budget.allocated':
        this.allocation = event.data
        return
      case 'plan.created':
        this.#setPlan(event.data)
        return
      case 'plan.revised':
        this.#setPlan(event.data.plan)
        return
      case 'agent.created':
        this.#agent(event.agentId ?? event.data.id, event.data).status = 'pending'
        return
      case 'agent.started': {
        const agent = this.#agent(event.agentId)
        agent.status = 'running'
        agent.objective = event.data.objective
        return
      }
      case 'agent.completed':
        this.#agent(event.agentId).status = 'completed'
        return
      case 'agent.failed':
        this.#agent(event.agentId).status = event.data.willRetry ? 'running' : 'failed'
        return
      case 'agent.cancelled':
        this.#agent(event.agentId).status = 'cancelled'
        return
      case 'agent.steered':
        for (const message of event.data.messages)
          if (!this.messages.some(({ id }) => id === message.id)) this.messages.push(message)
        return
      case 'step.started': {
        const step = this.#step(event)
        step.status = 'running'
        step.objective = event.data.objective
        step.dependsOn = event.data.dependsOn
        step.tries = Math.max(1, step.tries)
        return
      }
      case 'step.retrying': {
        const step = this.#step(event)
        step.status = 'running'
        step.tries = event.data.tries
        return
      }
      case 'step.completed': {
        const step = this.#endStep(event, 'completed')
        step.output = event.data.output
        return
      }
      case 'step.failed':
        this.#endStep(event, 'failed').error = event.data.error
        return
      case 'step.skipped':
        this.#endStep(event, 'skipped')
        return
      case 'model.started': {
        const call = this.#modelCall(event)
        call.status = 'running'
        call.provider = event.data.provider
        call.model = event.data.model
        call.startedSeq = event.seq
        call.text = ''
        return
      }
      case 'model.retrying': {
        const call = this.#modelCall(event)
        call.retries++
        call.text = ''
        const { reserve } = event.data
        if (reserve !== undefined) this.#charge(call, reserve.usage, reserve.costUsd)
        return
      }
      case 'model.completed':
        this.#completeModelCall(event)
        return
      case 'model.failed': {
        const call = this.#modelCall(event)
        call.status = 'failed'
        call.error = event.data.error
        call.seq = event.seq
        const { usage = noUsage(), costUsd = 0 } = event.data
        this.#charge(call, usage, costUsd)
        return
      }
      // Without the name of a call, they are the answer of the run, which is in its result.
      case 'message.delta':
        if (event.callId !== undefined) this.#modelCall(event).text += event.data.text
        return
      case 'message.snapshot':
        if (event.callId !== undefined) this.#modelCall(event).text = event.data.textSoFar
        return
      case 'message.completed':
        if (event.callId !== undefined) this.#modelCall(event).text = toText(event.data.content)
        return
      case 'tool.requested': {
        const call = this.#newToolCall(event)
        call.tool = event.data.tool
        call.args = event.data.args
        call.risk = event.data.risk ?? 'execute'
        call.status = 'requested'
        call.requestedSeq = event.seq
        return
      }
      case 'tool.started': {
        const call = this.#toolCall(event)
        call.status = 'running'
        call.startedSeq = event.seq
        return
      }
      case 'tool.completed': {
        const call = this.#toolCall(event)
        const { result, trust, tainted, truncated, durationMs } = event.data
        call.status = 'completed'
        call.result = result
        call.trust = trust
        if (tainted !== undefined) call.tainted = tainted
        call.truncated = truncated
        call.durationMs = durationMs
        call.seq = event.seq
        call.args = event.data.args ?? call.args
        this.#closeClientCall(event)
        return
      }
      case 'tool.failed': {
        const call = this.#toolCall(event)
        call.status = 'failed'
        call.args = event.data.args ?? call.args
        call.error = event.data.error
        call.durationMs = event.data.durationMs ?? 0
        call.seq = event.seq
        this.#closeClientCall(event)
        return
      }
      case 'tool.denied': {
        const call = this.#toolCall(event)
        const { rule, reason, by = 'rule', error, allowedBy } = event.data
        call.status = 'denied'
        call.denied = { rule, reason, by, ...(allowedBy && { allowedBy }) }
        if (error !== undefined) call.error = error
        call.seq = event.seq
        return
      }
      case 'approval.requested':
        this.approvals.set(event.data.id, event.data)
        this.#showWaits()
        return
      case 'approval.resolved': {
        const { decision, by, args } = event.data
        const asked = this.approvals.get(event.approvalId ?? '')
        const call = args === undefined ? undefined : this.#newestToolCall?.get(`${asked?.agentId}|${asked?.callId}`)
        if (call !== undefined) call.args = args
        this.#closeApproval(event.approvalId, { status: decision === 'deny' ? 'denied' : 'approved', decision, by })
        return
      }
      case 'approval.expired':
        this.#closeApproval(event.approvalId, { status: 'expired' })
        return
    }
  }

  /** The whole run; failed calls count with what they took. */
  get usage(): UsageTotal {
    return { ...this.#usage }
  }

  /** US dollars; null as soon as one call had no price. */
  get costUsd(): number | null {
    return this.#costUsd
  }

  /** What was taken of each model, in the order in which they were first asked. */
  get models(): ModelUse[] {
    return [...this.#models.values()].map((use) => ({ ...use }))
  }

  usageOfStep(stepId: string): Usage {
    return this.#usageByStep?.get(stepId) ?? noUsage()
  }

  usageOfAgent(agentId: string): { usage: Usage; costUsd: number | null } {
    return this.#usageByAgent?.get(agentId) ?? { usage: noUsage(), costUsd: 0 }
  }

  /** The newest model call of an agent under an id. */
  findModelCall(agentId = '', callId = ''): ModelCallView | undefined {
    return this.#newestModelCall?.get(`${agentId}|${callId}`)
  }

  /** The newest tool call of an agent under an id. */
  findToolCall(agentId = '', callId = ''): ToolCallView | undefined {
    return this.#newestToolCall?.get(`${agentId}|${callId}`)
  }

  /** How many tool calls were asked for, failed and were refused. */
  get toolCallCounts(): { total: number; failed: number; denied: number } {
    const counts = { total: 0, failed: 0, denied: 0 }
    for (const { status } of this.toolCalls) {
      counts.total++
      if (status === 'failed') counts.failed++
      else if (status === 'denied') counts.denied++
    }
    return counts
  }

  /** The first call that was to change something, was refused, and that nothing later made good. */
  get missingEffect(): ToolCallView | undefined {
    return findMissingEffect(this.toolCalls)
  }

  /** The answers of finished steps, and the beginning of what was being said: the best there is of an unfinished run. */
  textSoFar(): string {
    const texts: string[] = []
    for (const { status, output } of this.steps.values())
      if (status === 'completed' && output !== '') texts.push(output)
    for (const { status, text, stepId } of this.modelCalls) {
      const isOpen = stepId === undefined || this.steps.get(stepId)?.status !== 'completed'
      if (status !== 'completed' && isOpen && text !== '') texts.push(text)
    }
    return texts.join('\n\n')
  }

  /** Nobody is at work in a run that has ended, and nothing is to come. */
  #end(status: RunStatus, { time }: RunEvent): void {
    this.status = status
    this.clientCalls.clear()
    for (const agent of this.agents.values()) agent.status = shownPartOf(agent.status, this)
    for (const step of this.steps.values()) {
      if (isUnderway(step)) step.endedAt = Date.parse(time)
      step.status = shownPartOf(step.status, this)
    }
  }

  #closeClientCall({ agentId, callId }: RunEvent): void {
    if (this.clientCalls.delete(`${agentId}|${callId}`)) this.#showWaits()
  }

  /** Who asked what nobody has answered waits, with its step; nobody knows who asked for an input. */
  #showWaits(): void {
    const asking = new Set<string>()
    for (const { status, agentId } of this.approvals.values()) if (status === 'pending') asking.add(agentId)
    for (const { agentId } of this.clientCalls.values()) asking.add(agentId)
    const statusOf = (agentId: string): WorkStatus =>
      this.#waitsForInput || asking.has(agentId) ? 'waiting' : 'running'
    for (const agent of this.agents.values()) if (isUnderway(agent)) agent.status = statusOf(agent.id)
    for (const step of this.steps.values()) if (isUnderway(step)) step.status = statusOf(step.agentId)
  }

  #setPlan(plan: Plan): void {
    this.plan = plan
    this.topology = plan.topology
  }

  #agent(id = '', named?: { name: string; role: string }): AgentView {
    let agent = this.agents.get(id)
    if (agent === undefined) {
      agent = { id, name: named?.name ?? id, role: named?.role ?? '', status: 'pending' }
      this.agents.set(id, agent)
    } else if (named !== undefined) {
      agent.name = named.name
      agent.role = named.role
    }
    return agent
  }

  #step({ stepId = '', agentId = '', time }: RunEvent): StepView {
    let step = this.steps.get(stepId)
    if (step === undefined) {
      const startedAt = Date.parse(time)
      step = {
        id: stepId,
        agentId,
        objective: '',
        dependsOn: [],
        status: 'pending',
        output: '',
        tries: 0,
        startedAt,
      }
      this.steps.set(stepId, step)
    }
    if (agentId !== '') step.agentId = agentId
    return step
  }

  #endStep(event: RunEvent, status: WorkStatus): StepView {
    const step = this.#step(event)
    step.status = status
    step.endedAt = Date.parse(event.time)
    return step
  }

  #modelCall({ callId = '', agentId = '', stepId }: RunEvent): ModelCallView {
    const key = `${agentId}|${callId}`
    this.#newestModelCall ??= new Map()
    let call = this.#newestModelCall.get(key)
    if (call === undefined) {
      call = {
        callId,
        agentId,
        stepId,
        provider: '',
        model: '',
        status: 'running',
        text: '',
        toolCalls: [],
        usage: noUsage(),
        costUsd: 0,
        latencyMs: 0,
        retries: 0,
      }
      this.#newestModelCall.set(key, call)
      this.modelCalls.push(call)
    }
    return call
  }

  #completeModelCall(event: EventOf<'model.completed'>): void {
    const call = this.#modelCall(event)
    const { provider, model, toolCalls, finishReason, usage, costUsd, latencyMs } = event.data
    call.provider = provider
    call.model = model
    call.status = 'completed'
    call.toolCalls = toolCalls
    call.finishReason = finishReason
    call.latencyMs = latencyMs
    call.seq = event.seq
    this.#charge(call, usage, costUsd)
  }

  /** A call counts once, with all of its tries: when it has taken something, or is answered. */
  #charge(call: ModelCallView, usage: Usage, costUsd: number | null): void {
    const isCounted = tokensOf(call.usage) > 0
    if (!isCounted && (call.status === 'completed' || tokensOf(usage) > 0)) this.#usage.modelCalls++
    call.usage = isCounted ? addUsage(call.usage, usage) : usage
    call.costUsd = addCost(call.costUsd, costUsd)
    addInto(this.#usage, usage)
    this.#costUsd = addCost(this.#costUsd, costUsd)
    this.#chargeModel(call, usage, costUsd)
    this.#usageByAgent ??= new Map()
    let ofAgent = this.#usageByAgent.get(call.agentId)
    if (ofAgent === undefined) {
      ofAgent = { usage: noUsage(), costUsd: 0 }
      this.#usageByAgent.set(call.agentId, ofAgent)
    }
    addInto(ofAgent.usage, usage)
    ofAgent.costUsd = addCost(ofAgent.costUsd, costUsd)
    if (call.stepId === undefined) return
    this.#usageByStep ??= new Map()
    let ofStep = this.#usageByStep.get(call.stepId)
    if (ofStep === undefined) {
      ofStep = noUsage()
      this.#usageByStep.set(call.stepId, ofStep)
    }
    addInto(ofStep, usage)
  }

  #chargeModel({ provider, model }: ModelCallView, { inputTokens, outputTokens }: Usage, costUsd: number | null): void {
    if (provider === '') return
    const name = `${provider}/${model}`
    const use = this.#models.get(name) ?? { model: name, inputTokens: 0, outputTokens: 0, costUsd: 0 }
    use.inputTokens += inputTokens
    use.outputTokens += outputTokens
    use.costUsd = addCost(use.costUsd, costUsd)
    this.#models.set(name, use)
  }

  #toolCall(event: RunEvent): ToolCallView {
    return this.#newestToolCall?.get(`${event.agentId}|${event.callId}`) ?? this.#newToolCall(event)
  }

  #newToolCall({ callId = '', agentId = '', stepId }: RunEvent): ToolCallView {
    const call: ToolCallView = {
      callId,
      agentId,
      stepId,
      tool: '',
      args: undefined,
      risk: 'execute',
      status: 'requested',
      trust: 'trusted',
      truncated: false,
      durationMs: 0,
    }
    this.#newestToolCall ??= new Map()
    this.#newestToolCall.set(`${agentId}|${callId}`, call)
    this.toolCalls.push(call)
    return call
  }

  #closeApproval(id = '', change: Partial<Approval>): void {
    const approval = this.approvals.get(id)
    if (approval === undefined) return
    this.approvals.set(id, { ...approval, ...change })
    this.#showWaits()
  }
}

const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens

const isUnderway = ({ status }: { status: WorkStatus }): boolean => status === 'running' || status === 'waiting'

/** Rounded far below a price, so that a bill does not depend on the order in which calls end. */
const addCost = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : Math.round((a + b) * 1e12) / 1e12
