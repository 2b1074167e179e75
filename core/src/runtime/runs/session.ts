import type { AgentProfile } from '../../contracts/agent-profile.ts'
import type { ApprovalRequest, InputRequest, Resolution } from '../../contracts/approval.ts'
import { type EventData, type EventPlace, type EventType, isEphemeral, type RunEvent } from '../../contracts/event.ts'
import type { Lease, StepRow } from '../../contracts/journal.ts'
import type { MemoryHit } from '../../contracts/memory.ts'
import type { Plan } from '../../contracts/plan.ts'
import type { RunOptions } from '../../contracts/run.ts'
import type { RunContext, Steering as SteeringRequest } from '../../contracts/run-context.ts'
import { RunView } from '../../contracts/run-view.ts'
import type { StageTap } from '../../contracts/stage-tap.ts'
import type { Stage } from '../../contracts/stages.ts'
import type { Commit, Store } from '../../contracts/store.ts'
import { taints } from '../../contracts/taints.ts'
import type { ToolInfo } from '../../contracts/tool.ts'
import type { Warning } from '../../contracts/warning.ts'
import { CancelledError, type SvcError, toSvcError } from '../../errors.ts'
import type { Ledger } from '../budget/ledger.ts'
import { RunBudget } from '../budget/run-budget.ts'
import type { CallContext } from '../calls/call-context.ts'
import { ModelGateway } from '../calls/model/model-gateway.ts'
import type { Policy } from '../calls/policy.ts'
import { Steering } from '../calls/steering.ts'
import { ToolGateway } from '../calls/tool-gateway.ts'
import type { Environment } from '../environment.ts'
import { isHeard, notify, publish } from '../event-bus.ts'
import { createIdSource, createRandom, digest, nameOf, randomOf, ulidOf } from '../ids.ts'
import { EventLog } from '../journal/event-log.ts'
import { KeyedJournal } from '../journal/keyed-journal.ts'
import { LogSize } from '../journal/log-size.ts'
import { TapGuard } from '../pipeline/tap-guard.ts'
import { divergenceOf, isBegunOtherwise } from './compare-events.ts'
import { EarlierLives } from './earlier-lives.ts'
import { answerKey, type KeptStage, keptStagesOf, RECALLED_KEY } from './kept-stages.ts'
import { Lives } from './lives.ts'
import { type PreparedRun, seedOf } from './prepare-run.ts'
import { answerForNobody, Questions } from './questions.ts'
import { RowChanges } from './row-changes.ts'
import { RunStop } from './run-stop.ts'

/** What a session starts from beside the prepared run. */
export interface SessionSettings {
  store: Pick<Store, 'commit'>
  lease: Lease
  /** Renews the lease where it may have run out: see `KeyedJournalSettings`. */
  confirmLease?(): undefined | Promise<void>
  /** What earlier lives of the run have recorded. */
  events?: readonly RunEvent[]
  steps?: readonly StepRow[]
  /** False: who made the run reads no pieces of answers. */
  deltas?: boolean
  /** The run begins to wait for somebody, or goes on. */
  onRest?(isResting: boolean): void
  /** For a replay: nobody hears of it, and nothing new is done. */
  replay?: {
    onDeliver(recorded: RunEvent | undefined, emitted: RunEvent): void
    /** The error that a step ends with which is not recorded as done. */
    refuse(key: string): SvcError
  }
}

/** One run at work: what plugins and components see of it, and what the gateways and the pipeline need beyond. */
export class RunSession implements RunContext, CallContext {
  readonly env: Environment
  readonly id: string
  readonly originId: string
  readonly threadId: string | undefined
  readonly options: RunOptions
  readonly defaultModel: string
  readonly contextTokens: number | undefined
  readonly deterministic: boolean
  readonly tools: readonly ToolInfo[]
  readonly agents: readonly AgentProfile[]
  readonly isThreadTainted: boolean
  readonly ledger: Ledger
  readonly policy: Policy
  readonly view: RunView
  readonly lives: Lives
  readonly earlier: EarlierLives
  readonly journal: KeyedJournal
  readonly questions: Questions
  readonly steering: Steering
  readonly taps: TapGuard
  readonly budget: RunContext['budget']
  readonly warnings: Warning[]
  attempt = 0
  /** The stage that is being asked, for the events. */
  stage: Stage | undefined
  answeredBy = ''
  tapped: StageTap[] = []
  readonly #settings: SessionSettings
  readonly #prepared: PreparedRun
  readonly #createdAt: number
  readonly #log: EventLog
  #models: ModelGateway | undefined
  readonly #stop = new RunStop()
  readonly #row = new RowChanges()
  readonly #size: LogSize
  #model: RunContext['model'] | undefined
  #tool: RunContext['tool'] | undefined
  /** Made with the first: most runs have none. */
  #listeners: Set<(event: RunEvent) => void> | undefined
  readonly #profiles = new Map<string, AgentProfile>()
  readonly #deferred: (() => Promise<void>)[] = []
  #random: (() => number) | undefined
  #newId: ((prefix: string) => string) | undefined
  #recalled: readonly MemoryHit[] = []
  #asked = 0
  #isOver = false
  readonly #isStrict: boolean
  /** Of the run that this is a fork of. */
  readonly #kept: ReadonlyMap<string, KeptStage> | undefined
  readonly #stagesAsked: Stage[] = []

  constructor(env: Environment, prepared: PreparedRun, settings: SessionSettings) {
    const { row, options, model, ledger, policy, tools, agents, isThreadTainted } = prepared
    const { events = [], steps = [] } = settings
    this.env = env
    this.id = row.id
    this.originId = row.originRunId ?? row.id
    this.threadId = row.threadId
    this.options = options
    this.defaultModel = model === undefined ? '' : `${model.provider.id}/${model.model}`
    this.contextTokens = model?.info?.context
    this.deterministic = model?.provider.deterministic === true
    this.tools = tools
    this.agents = agents
    this.isThreadTainted = isThreadTainted
    this.ledger = ledger
    this.policy = policy
    this.warnings = [...env.warnings]
    this.#settings = settings
    this.#prepared = prepared
    this.#createdAt = Date.parse(row.createdAt)
    this.earlier = new EarlierLives(events, steps)
    this.lives = new Lives(row, settings.lease.epoch, (change) => this.patch(change))
    this.#isStrict = settings.replay === undefined && isBegunOtherwise(row, events, env)
    this.#kept = keptStagesOf(steps)
    this.view = new RunView()
    this.view.status = row.status
    this.#log = new EventLog({
      runId: row.id,
      threadId: row.threadId,
      store: settings.store,
      lease: settings.lease,
      clock: env.clock,
      view: this.view,
      earlier: events,
      project: () => this.#row.take(this.view, () => this.questions.waiting),
      deliver: (event) => this.#deliver(event),
      deliverAgain: (recorded, emitted) => this.#deliverAgain(recorded, emitted),
      onFailure: (thrown) => this.abort(toSvcError(thrown, 'store_unavailable')),
    })
    this.#size = new LogSize({
      limits: env.logLimits,
      onLong: (message) => this.warn({ code: 'log_long', message }),
      onFull: (error) => this.abort(error),
    })
    this.journal = new KeyedJournal({
      log: this.#log,
      rows: steps,
      clock: env.clock,
      createdAt: this.#createdAt,
      ...(settings.replay === undefined ? {} : { refuse: settings.replay.refuse }),
      onBegin: () => this.#begin(),
      confirmLease: () => settings.confirmLease?.(),
      onRecord: () => this.lives.record(),
    })
    this.steering = new Steering(
      (error) => this.abort(error),
      () => this.now(),
    )
    this.taps = new TapGuard(env.deadlines)
    this.questions = new Questions({
      runId: row.id,
      journal: this.journal,
      log: this.#log,
      clock: env.clock,
      // Runs may share a seed; their questions stand in one store.
      newId: (prefix, key) => this.newId(prefix, `${this.id}/${key}`),
      emit: (type, data, at) => {
        if (type === 'run.waiting' || type === 'run.resumed') settings.onRest?.(type === 'run.waiting')
        this.emit(type, data, at)
      },
      onStop: (handler) => this.onStop(handler),
      throwIfStopped: () => this.throwIfStopped(),
      announceAgain: (waiting) => this.#announceAgain(waiting),
      onOpen: () => this.observe(),
    })
    this.budget = new RunBudget(ledger)
    for (const { seq = 0, data } of events) this.#size.add(seq, data)
  }

  get isRead(): boolean {
    const { deltas, replay } = this.#settings
    if (replay !== undefined) return false
    return deltas !== false || isHeard(this.env, this.id)
  }

  get isTainted(): boolean {
    return (
      this.isThreadTainted ||
      this.#recalled.some(taints) ||
      (!this.env.trustsWorkspace && this.options.context !== undefined) ||
      this.events().some(({ type, data }) => {
        const hasRead = type === 'tool.completed' || type === 'tool.failed'
        return hasRead && data.trust !== undefined && comesFromOutside(data.trust, this.env)
      })
    )
  }

  get recalled(): readonly MemoryHit[] {
    return this.#recalled
  }

  recall(hits: readonly MemoryHit[]): void {
    this.#recalled = hits
    this.#note(RECALLED_KEY, hits)
  }

  /** Counts that a stage is asked. @returns it as it went in the run that this is a fork of, where that is kept */
  enterStage(stage: Stage): KeptStage | undefined {
    this.#stagesAsked.push(stage)
    return this.#kept?.get(`${stage}:${this.#countOf(stage)}`)
  }

  /** Records an answer that no event holds, so that a fork can keep it; it leaves with the event that follows at once. */
  noteAnswer(stage: Stage, answer: unknown): void {
    this.#note(answerKey(stage, this.#countOf(stage)), answer)
  }

  #countOf(stage: Stage): number {
    return this.#stagesAsked.filter((asked) => asked === stage).length
  }

  /** Nothing reads it in this run. */
  #note(key: string, outcome: unknown): void {
    if (this.#settings.replay !== undefined) return
    const step: StepRow = { key, effect: 'pure', state: 'done', time: this.env.clock(), seq: this.#log.seq, outcome }
    void this.#log.commit({ steps: [step] }, true)
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get isStopped(): boolean {
    return this.#stop.isStopped
  }

  get stopReason(): unknown {
    return this.#stop.reason
  }

  throwIfStopped(): void {
    this.#stop.throwIfStopped()
  }

  get model(): RunContext['model'] {
    if (this.#model === undefined) {
      const models = this.#modelGateway
      this.#model = models.call.bind(models)
    }
    return this.#model
  }

  get tool(): RunContext['tool'] {
    if (this.#tool === undefined) {
      const tools = new ToolGateway(this)
      this.#tool = tools.call.bind(tools)
    }
    return this.#tool
  }

  /** Made at the first call: many runs, and most plugins, make none. */
  get #modelGateway(): ModelGateway {
    this.#models ??= new ModelGateway(this)
    return this.#models
  }

  embed(request: Parameters<RunContext['embed']>[0]): Promise<number[][]> {
    return this.#modelGateway.embed(request)
  }

  /** Takes over which profile an agent has, and its hard limit. An agent without a step gives its share back. */
  bind(plan: Plan): void {
    const busy = new Set(plan.steps.map(({ agentId }) => agentId))
    for (const agentId of this.ledger.agentIds) if (!busy.has(agentId)) this.ledger.finish(agentId)
    for (const { agentId, profileId } of plan.agents) {
      const profile = this.agents.find(({ id }) => id === profileId)
      if (profile === undefined) continue
      this.#profiles.set(agentId, profile)
      if (profile.budget.maxTokens !== undefined) this.ledger.limit(agentId, profile.budget.maxTokens)
    }
  }

  profileOf(agentId: string): AgentProfile | undefined {
    return this.#profiles.get(agentId)
  }

  async ask(request: ApprovalRequest | InputRequest, key = this.#nextQuestion(request)): Promise<Resolution> {
    const { approval } = this.options
    if (approval !== 'wait') return answerForNobody(request, approval, (warning) => this.warn(warning))
    return request.kind === 'approval'
      ? this.questions.askApproval(request, key, {})
      : this.questions.askInput(request, key)
  }

  #nextQuestion(request: ApprovalRequest | InputRequest): string {
    return `ask:${nameOf(16, ++this.#asked, JSON.stringify(request))}`
  }

  emit<T extends EventType>(type: T, data: EventData[T], at?: EventPlace, isFollowed = false): void {
    if (type === 'run.waiting') this.lives.getOn()
    if (at?.agentId !== undefined && isEndOfAgent(type, data)) this.ledger.finish(at.agentId)
    this.#row.note(type)
    try {
      this.#log.emit(type, data, at, this.stage, isFollowed)
      if (!isEphemeral(type)) this.#size.add(this.#log.seq, data)
    } catch (thrown) {
      this.warn({ code: 'event_invalid', message: `an event ${type} was dropped: ${toSvcError(thrown).message}` })
    }
  }

  events(): readonly RunEvent[] {
    return this.#log.events
  }

  onEvent(handler: (event: RunEvent) => void): () => void {
    this.#listeners ??= new Set()
    this.#listeners.add(handler)
    return () => this.#listeners?.delete(handler)
  }

  async keep(bytes: Uint8Array): Promise<string> {
    try {
      return await this.env.store.payloads.put(this.id, bytes)
    } catch (thrown) {
      throw this.#log.fail(thrown)
    }
  }

  /** Resolves when every event so far is durable and sent; undefined when it is already. */
  flush(): undefined | Promise<void> {
    return this.#log.flush()
  }

  steer(request: SteeringRequest): void {
    this.steering.apply(request)
  }

  warn(warning: Warning): void {
    const known = this.warnings.some(({ code, message }) => code === warning.code && message === warning.message)
    if (!known) this.warnings.push(warning)
  }

  async record<T>(
    key: string,
    work: (idempotencyKey: () => string) => Promise<T>,
    { effect = 'idempotent' }: { effect?: 'pure' | 'idempotent' } = {},
  ): Promise<T> {
    const stepKey = `record/${key}`
    const outcome = await this.journal.step(stepKey, effect, () =>
      work(() => digest(this.originId, stepKey).slice(0, 32)),
    )
    // What was only read is there to be read again: it leaves with what follows.
    const flushing = effect === 'pure' ? undefined : this.flush()
    if (flushing !== undefined) await flushing
    return outcome
  }

  defer(work: () => Promise<void>): void {
    this.#deferred.push(work)
  }

  /** What the run need not wait for, in the order in which it was put off. */
  async runDeferred(): Promise<void> {
    for (const work of this.#deferred.splice(0)) await work()
  }

  now(): number {
    return this.journal.time
  }

  random(key?: string): number {
    const seed = seedOf(this.#prepared)
    if (key !== undefined) return randomOf(seed, key)
    this.#random ??= createRandom(seed)
    return this.#random()
  }

  newId(prefix: string, key?: string): string {
    const seed = seedOf(this.#prepared)
    if (key !== undefined) return `${prefix}_${ulidOf(this.#createdAt, seed, prefix, key)}`
    this.#newId ??= createIdSource(seed, () => this.now())
    return this.#newId(prefix)
  }

  /** Ends the run's calls and taps; the first reason stands. */
  abort(reason: unknown): void {
    if (this.#stop.stop(reason)) this.taps.stop(reason)
  }

  onStop(handler: (reason: unknown) => void): () => void {
    return this.#stop.onStop(handler)
  }

  /** Looks for requests from other processes, and from this one: they all come through the store. */
  observe(): void {
    this.env.background.run(`commands of ${this.id}`, () => this.readCommands())
  }

  /** Takes what was asked of the run so far. */
  async readCommands(): Promise<void> {
    const commands = await this.env.store.commands(this.id)
    if (this.#isOver) return
    const taken: string[] = []
    for (const command of commands) {
      if (command.kind !== 'cancel') {
        if (this.questions.answer(command)) taken.push(command.id)
        continue
      }
      taken.push(command.id)
      if (this.isStopped) continue
      const { reason, by } = command
      this.emit('run.cancelling', { reason, by })
      this.abort(new CancelledError('cancelled', reason))
    }
    if (taken.length > 0) await this.#log.commit({ taken })
  }

  /** Changes fields of the run's row with the next commit. */
  patch(change: NonNullable<Commit['run']>): void {
    this.#row.patch(change)
  }

  /** Writes what is not yet written. */
  commit(part?: Parameters<EventLog['commit']>[0]): void | Promise<void> {
    return this.#log.commit(part)
  }

  /** The last event is said: nothing is logged any more. */
  seal(): void {
    this.#isOver = true
    this.#log.seal()
  }

  /** The last thing that this life writes: another goes on. */
  release(): void | Promise<void> {
    this.seal()
    this.patch({ released: true })
    this.lives.getOn()
    return this.commit()
  }

  #begin(): void | Promise<void> {
    try {
      if (this.lives.begin()) return this.commit()
    } catch (thrown) {
      this.abort(thrown)
      throw thrown
    }
  }

  #announceAgain(waiting: EventData['run.waiting']): boolean {
    if (this.view.status !== 'waiting') return false
    const known = this.earlier.findWaiting(waiting)
    if (known === undefined) return false
    this.lives.getOn()
    this.#deliver(known)
    return true
  }

  /** Events of earlier lives that the run has not come to. */
  get missing(): readonly RunEvent[] {
    return this.#log.missing
  }

  #deliver(event: RunEvent): void {
    if (this.#listeners !== undefined)
      for (const listener of this.#listeners) notify(listener, event, this.#onListenerFailure)
    const { replay } = this.#settings
    if (replay === undefined) publish(this.env, event)
    else if (event.seq !== undefined) replay.onDeliver(undefined, event)
  }

  #deliverAgain(recorded: RunEvent, emitted: RunEvent): void {
    for (const listener of this.#listeners ?? []) notify(listener, recorded, this.#onListenerFailure)
    const divergence = this.#isStrict ? divergenceOf(recorded, emitted) : undefined
    if (divergence !== undefined) this.abort(divergence)
    if (recorded.type !== emitted.type) return
    const { replay } = this.#settings
    replay?.onDeliver(recorded, emitted)
    if (replay === undefined && recorded.type === 'approval.requested') publish(this.env, recorded)
  }

  readonly #onListenerFailure = (thrown: unknown): void => {
    this.warn({ code: 'event_handler_failed', message: `an event handler threw: ${toSvcError(thrown).message}` })
  }
}

/** An agent that failed and is tried again still needs its share. */
const isEndOfAgent = (type: EventType, data: object): boolean =>
  type === 'agent.completed' ||
  type === 'agent.cancelled' ||
  (type === 'agent.failed' && (data as EventData['agent.failed'] | null)?.willRetry !== true)

function comesFromOutside(trust: 'trusted' | 'untrusted', { trustsWorkspace }: Environment): boolean {
  return trust === 'untrusted' || !trustsWorkspace
}
