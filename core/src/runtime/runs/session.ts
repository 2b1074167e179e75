import type { AgentProfile } from '../../contracts/agent-profile.ts'
import type { ApprovalRequest, InputRequest, Resolution } from '../../contracts/approval.ts'
import type { EventPlace, EventType, RunEvent } from '../../contracts/event.ts'
import type { Journal } from '../../contracts/journal.ts'
import type { MemoryHit } from '../../contracts/memory.ts'
import type { Plan } from '../../contracts/plan.ts'
import type { RunOptions } from '../../contracts/run.ts'
import type { RunContext, Steering } from '../../contracts/run-context.ts'
import type { Stage } from '../../contracts/stages.ts'
import type { ToolInfo } from '../../contracts/tool.ts'
import type { Warning } from '../../contracts/warning.ts'
import { toSvcError } from '../../errors.ts'
import { Account } from '../account.ts'
import type { ApprovalsDesk, Asking, Waiting } from './approvals.ts'
import { abortable } from '../concurrency.ts'
import type { DoorContext } from '../door-context.ts'
import { EventLog } from '../journal/event-log.ts'
import { notify } from '../event-bus.ts'
import type { TapObserver, TapTrace } from '../pipeline/hooks.ts'
import { createIdSource, createRandom, digest } from '../ids.ts'
import type { Ledger } from '../budget/ledger.ts'
import { createModelDoor } from '../calls/model-gateway.ts'
import { SteeringDesk } from '../calls/steering.ts'
import { createToolDoor } from '../calls/tool-gateway.ts'

/** What a run is made of. */
export interface RunParts
  extends Pick<
    DoorContext,
    | 'hooks'
    | 'catalog'
    | 'policy'
    | 'fallbackModels'
    | 'workspace'
    | 'fetch'
    | 'toolOutputBytes'
    | 'clock'
    | 'semaphore'
    | 'keep'
    | 'isRead'
  > {
  id: string
  threadId: string | undefined
  options: RunOptions
  seed: number
  journal: Journal
  ledger: Ledger
  approvals: ApprovalsDesk
  toolRegistry: DoorContext['tools']
  tools: readonly ToolInfo[]
  agents: readonly AgentProfile[]
  defaultModel: string
  contextTokens?: number | undefined
  deterministic: boolean
  controller: AbortController
  earlierEvents: readonly RunEvent[]
  /** Sends an event to the listeners of the runtime. */
  publish(event: RunEvent): void
  onWaiting(waiting: Waiting | undefined, answered?: Waiting): void
  onTap: ((trace: TapTrace) => void) | undefined
}

/** One run at work: what plugins and components see of it, and what the corridor needs beyond. */
export class LiveRun implements RunContext, TapObserver {
  readonly id: string
  readonly threadId?: string
  readonly options: RunOptions
  readonly defaultModel: string
  readonly contextTokens?: number
  readonly deterministic: boolean
  readonly tools: readonly ToolInfo[]
  readonly agents: readonly AgentProfile[]
  readonly signal: AbortSignal
  readonly budget: RunContext['budget']
  readonly model: RunContext['model']
  readonly tool: RunContext['tool']
  readonly random: () => number
  readonly newId: (prefix: string) => string
  readonly warnings: Warning[] = []
  readonly ledger: Ledger
  /** What the run has taken so far. */
  readonly account: Account
  attempt = 0
  /** The stage that is being asked, for the events. */
  stage: Stage | undefined
  /** The plugin whose answer stands in the stage that is being asked. */
  answeredBy = ''
  readonly #parts: RunParts
  readonly #log: EventLog
  readonly #steering: SteeringDesk
  readonly #listeners = new Set<(event: RunEvent) => void>()
  readonly #unfinished = new Map<string, string>()
  #recalled: readonly MemoryHit[] = []
  #profiles = new Map<string, AgentProfile>()
  #asked = 0
  /** Questions that wait for an answer. */
  #open = 0

  constructor(parts: RunParts) {
    this.#parts = parts
    this.id = parts.id
    if (parts.threadId !== undefined) this.threadId = parts.threadId
    this.options = parts.options
    this.defaultModel = parts.defaultModel
    if (parts.contextTokens !== undefined) this.contextTokens = parts.contextTokens
    this.deterministic = parts.deterministic
    this.tools = parts.tools
    this.agents = parts.agents
    this.signal = parts.controller.signal
    this.ledger = parts.ledger
    this.account = new Account(parts.earlierEvents)
    const { ledger, journal, controller } = parts
    this.budget = {
      remaining: (agentId) => ledger.remaining(agentId),
      spent: () => ledger.spent(),
      get exhausted() {
        return ledger.exhausted
      },
      available: (agentId) => ledger.available(agentId),
    }
    this.random = createRandom(parts.seed)
    this.newId = createIdSource(parts.seed, () => journal.time)
    this.#steering = new SteeringDesk((error) => controller.abort(error), parts.clock)
    this.#log = new EventLog({
      runId: parts.id,
      threadId: parts.threadId,
      journal,
      earlier: parts.earlierEvents,
      clock: parts.clock,
      deliver: (event) => this.#deliver(event),
      onFailure: (thrown) => controller.abort(toSvcError(thrown)),
    })
    const door: DoorContext = {
      ...pickDoor(parts),
      run: this,
      tools: parts.toolRegistry,
      steering: this.#steering,
      signal: this.signal,
      random: createRandom(parts.seed ^ 0x5bd1e995),
      profileOf: (agentId) => this.#profiles.get(agentId),
      emit: (type, data, at) => this.emit(type, data, at),
      flush: () => this.flush(),
      onWaiting: this.#onWaiting,
    }
    this.model = createModelDoor(door)
    this.tool = createToolDoor(door)
  }

  get recalled(): readonly MemoryHit[] {
    return this.#recalled
  }

  recall(hits: readonly MemoryHit[]): void {
    this.#recalled = hits
  }

  /** Takes over which profile fills which slot, and its hard limit. A slot without a step gives its share back. */
  bind(plan: Plan): void {
    const busy = new Set(plan.steps.map(({ agentId }) => agentId))
    for (const agentId of this.ledger.slots) if (!busy.has(agentId)) this.ledger.finish(agentId)
    for (const { agentId, profileId } of plan.agents) {
      const profile = this.agents.find(({ id }) => id === profileId)
      if (profile === undefined) continue
      this.#profiles.set(agentId, profile)
      if (profile.budget.maxTokens !== undefined) this.ledger.limit(agentId, profile.budget.maxTokens)
    }
  }

  async ask(request: ApprovalRequest | InputRequest): Promise<Resolution> {
    const { approvals, journal } = this.#parts
    if (request.kind === 'approval' && this.options.approval !== 'wait') return this.#answerForNobody(request)
    const asking: Asking = {
      runId: this.id,
      agentId: '',
      journal,
      key: `ask:${digest(++this.#asked, JSON.stringify(request)).slice(0, 16)}`,
      emit: (type: EventType, data: object, at?: EventPlace) => this.emit(type, data, at),
      onWaiting: this.#onWaiting,
    }
    const asked =
      request.kind === 'approval' ? approvals.askApproval(request, asking) : approvals.askInput(request, asking)
    return abortable(asked, this.signal)
  }

  /** What is decided about a question where nobody is there to answer it. */
  #answerForNobody({ tool, risk, args, reason }: ApprovalRequest): Resolution {
    const isAllowed = this.options.approval === 'allow-write' && (risk === 'read' || risk === 'write')
    if (isAllowed) return { kind: 'approval', decision: 'approve', args, by: 'allow-write' }
    this.warn({ code: 'approval_required', message: `${tool}: nobody is there to approve it (${reason})` })
    return { kind: 'approval', decision: 'deny', args, by: 'nobody' }
  }

  readonly #onWaiting = (waiting: Waiting | undefined, answered?: Waiting): void => {
    this.#open += waiting === undefined ? -1 : 1
    if (waiting !== undefined) {
      this.emit(
        'run.waiting',
        'approval' in waiting
          ? { reason: 'approval', approvalIds: [waiting.approval.id] }
          : { reason: 'input', input: waiting.input },
      )
    } else if (this.#open === 0) this.emit('run.resumed', { by: 'answer' })
    this.#parts.onWaiting(waiting, answered)
  }

  /** The last event is said: nothing is logged any more. */
  seal(): void {
    this.#log.seal()
  }

  emit(type: EventType, data: object, at: EventPlace = {}): void {
    if (at.agentId !== undefined && isEndOfAgent(type, data)) this.ledger.finish(at.agentId)
    this.#log.emit(type, data, at, this.stage)
    this.#collect(type, data, at.callId)
  }

  /** What models have said of answers that are not finished: the last there is when a run is stopped in between. */
  unfinishedText(): string {
    return [...this.#unfinished.values()].join('\n\n')
  }

  #collect(type: EventType, data: object, callId = ''): void {
    if (type === 'message.delta' && 'text' in data) {
      this.#unfinished.set(callId, `${this.#unfinished.get(callId) ?? ''}${String(data.text)}`)
    } else if (type === 'message.completed' || (type === 'model.failed' && !this.signal.aborted)) {
      this.#unfinished.delete(callId)
    }
  }

  events(): readonly RunEvent[] {
    return this.#log.events
  }

  onEvent(handler: (event: RunEvent) => void): () => void {
    this.#listeners.add(handler)
    return () => this.#listeners.delete(handler)
  }

  steer(steering: Steering): void {
    this.#steering.apply(steering)
  }

  warn(warning: Warning): void {
    const known = this.warnings.some(({ code, message }) => code === warning.code && message === warning.message)
    if (!known) this.warnings.push(warning)
  }

  record<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#parts.journal.step(`record/${key}`, 'pure', () => work())
  }

  now(): number {
    return this.#parts.journal.time
  }

  tapped(trace: TapTrace): void {
    if (trace.answered) this.answeredBy = trace.plugin
    this.#parts.onTap?.(trace)
  }

  /** Resolves when every event so far is durable and sent. */
  flush(): Promise<void> {
    return this.#log.flush()
  }

  #deliver(event: RunEvent): void {
    this.account.add(event)
    for (const listener of this.#listeners) notify(listener, event, (thrown) => this.#complain(thrown))
    this.#parts.publish(event)
  }

  #complain(thrown: unknown): void {
    this.warn({ code: 'event_handler_failed', message: `an event handler threw: ${toSvcError(thrown).message}` })
  }
}

/** An agent that failed and is tried again still needs its share. */
const isEndOfAgent = (type: EventType, data: object): boolean =>
  type === 'agent.completed' ||
  type === 'agent.cancelled' ||
  (type === 'agent.failed' && (data as { willRetry?: boolean }).willRetry !== true)

function pickDoor(
  parts: RunParts,
): Omit<
  DoorContext,
  'run' | 'tools' | 'steering' | 'signal' | 'random' | 'profileOf' | 'emit' | 'flush' | 'onWaiting'
> {
  const {
    hooks,
    catalog,
    ledger,
    journal,
    policy,
    approvals,
    fallbackModels,
    workspace,
    fetch,
    toolOutputBytes,
    clock,
    semaphore,
    keep,
    isRead,
  } = parts
  return {
    hooks,
    catalog,
    ledger,
    journal,
    policy,
    approvals,
    fallbackModels,
    workspace,
    fetch,
    toolOutputBytes,
    clock,
    semaphore,
    keep,
    isRead,
  }
}
