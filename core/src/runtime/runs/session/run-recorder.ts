import {
  type EventData,
  type EventPlace,
  type EventType,
  isEphemeral,
  type RunEvent,
} from '../../../contracts/log/event.ts'
import type { Run } from '../../../contracts/run/run.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import { RunView } from '../../../contracts/run/run-view.ts'
import type { Stage } from '../../../contracts/stages/stages.ts'
import type { Commit, NewRecord } from '../../../contracts/store/store.ts'
import type { Warning } from '../../../contracts/warning.ts'
import { SvcError, toSvcError } from '../../../errors.ts'
import type { Ledger } from '../../budget/ledger.ts'
import { endUnrecorded } from '../../calls/end-unrecorded.ts'
import type { Environment } from '../../environment.ts'
import { EventLog } from '../../journal/event-log.ts'
import { formatOf, KeyedJournal } from '../../journal/keyed-journal.ts'
import { LogSize } from '../../journal/log-size.ts'
import { isHeard, notify, publish } from '../../observe/event-bus.ts'
import type { PreparedRun } from '../service/prepare-run.ts'
import { divergenceOf, isBegunOtherwise } from './recovery/compare-events.ts'
import { EarlierAttempts } from './recovery/earlier-attempts.ts'
import { RecoveryLimit } from './recovery/recovery-limit.ts'
import { RowChanges } from './row-changes.ts'
import type { RunStop } from './run-stop.ts'
import type { SessionOptions } from './session-options.ts'

/** With what the keys of steps begin that are neither of a model nor of a tool. */
export const BESIDE = 'record/'

/** Writes down what happens in a run: its events, its journal, its row. */
export class RunRecorder {
  /** As far as this life has come. */
  readonly view = new RunView()
  /** The log as a whole, with what earlier lives have logged and this one has not come to. */
  readonly whole: RunView
  readonly warnings: Warning[]
  readonly journal: KeyedJournal
  readonly lives: RecoveryLimit
  readonly earlier: EarlierAttempts
  /** How this life began, as those who listen have heard. */
  readonly begun: RunEvent[] = []
  /** The stage that is being asked, for the events. */
  stage: Stage | undefined
  readonly #env: Environment
  readonly #runId: string
  readonly #settings: SessionOptions
  readonly #stop: RunStop
  readonly #ledger: Ledger
  readonly #log: EventLog
  readonly #row = new RowChanges()
  readonly #size: LogSize
  /** Whether the run must say what is recorded, as it was begun under other conditions. */
  #isStrict: boolean
  readonly #listeners = new Set<(event: RunEvent) => void>()

  /** @param waiting what the run waits for, as it is listed */
  constructor(
    env: Environment,
    { row, ledger }: PreparedRun,
    settings: SessionOptions,
    stop: RunStop,
    waiting: () => Run['waiting'],
  ) {
    const { events = [], steps = [], store, lease } = settings
    this.#env = env
    this.#runId = row.id
    this.#settings = settings
    this.#stop = stop
    this.#ledger = ledger
    this.warnings = [...env.warnings]
    this.view.status = row.status
    this.whole = row.startedAt === undefined ? this.view : new RunView(events)
    this.earlier = new EarlierAttempts(events, steps)
    this.lives = new RecoveryLimit(row, lease.epoch, (change) => this.patch(change))
    this.#isStrict = isBegunOtherwise(row, events, env)
    this.#log = new EventLog({
      runId: row.id,
      threadId: row.threadId,
      store,
      lease,
      clock: env.clock,
      view: this.view,
      whole: this.whole,
      earlier: events,
      opened: settings.opened,
      project: () => this.#row.take(this.whole, waiting),
      deliver: (event) => this.#deliver(event),
      publish: (event) => {
        if (event.type === 'run.recovered' || event.type === 'run.started') this.begun.push(event)
        publish(env, event)
      },
      deliverAgain: (recorded, emitted) => this.#deliverAgain(recorded, emitted),
      onFailure: (thrown) => stop.stop(toSvcError(thrown, 'store_unavailable')),
    })
    this.#size = new LogSize({
      limits: env.logLimits,
      onLong: (message) => this.warn({ code: 'log_long', message }),
      onFull: (error) => stop.stop(error),
    })
    this.journal = new KeyedJournal({
      log: this.#log,
      rows: steps,
      clock: env.clock,
      createdAt: Date.parse(row.createdAt),
      refuse: (key) => this.refuseNew(key),
      onBegin: (key) => this.#begin(key),
      confirmLease: () => settings.confirmLease?.(),
      onRecord: (row) => {
        this.patch(formatOf([row]))
        // With what the gateways say of it, which follows at once.
        if (this.lives.record()) setImmediate(() => this.commit().catch(() => {})) // onFailure was called
      },
      stop,
    })
    for (const { seq = 0, data } of events) this.#size.add(seq, data)
    if (row.startedAt !== undefined && env.cassette === undefined) stop.onStop((reason) => this.#sealParted(reason))
  }

  /** Whether somebody reads answers as they come; else models may answer over the cheaper call. */
  get isRead(): boolean {
    const { deltas } = this.#settings
    return deltas !== false || isHeard(this.#env, this.#runId)
  }

  /** The events so far, in order, ephemeral ones left out. */
  get events(): readonly RunEvent[] {
    return this.#log.events
  }

  emit<T extends EventType>(type: T, data: EventData[T], at?: EventPlace): void {
    if (type === 'run.waiting') this.lives.getOn()
    if (at?.agentId !== undefined && isEndOfAgent(type, data)) this.#ledger.finish(at.agentId)
    this.#row.note(type)
    try {
      this.#log.emit(type, data, at, this.stage)
      // Nothing comes after the last event, which holds the whole result.
      if (!isEphemeral(type) && !this.#log.isSealed) this.#size.add(this.#log.seq, data)
    } catch (thrown) {
      this.warn({ code: 'event_invalid', message: `an event ${type} was dropped: ${toSvcError(thrown).message}` })
    }
  }

  /** Comes to what earlier lives have logged of a call beside its end. @returns it, in order */
  comeTo(call: EventPlace): readonly RunEvent[] {
    return this.#log.comeTo(call)
  }

  /** @returns how to stop listening */
  onEvent(handler: (event: RunEvent) => void): () => void {
    this.#listeners.add(handler)
    return () => this.#listeners.delete(handler)
  }

  /** The same code and message is kept once. */
  warn(warning: Warning): void {
    const known = this.warnings.some(({ code, message }) => code === warning.code && message === warning.message)
    if (!known) this.warnings.push(warning)
  }

  /** Records an answer that nothing reads in this run, so that a fork can keep it; it leaves with the event that follows. */
  note(key: string, outcome: unknown): void {
    const step = { key, effect: 'pure', state: 'done', time: this.#env.clock(), seq: this.#log.seq, outcome } as const
    this.#log.add({ steps: [step] })
  }

  /** Whether an earlier life, or the run that this one goes on from, has recorded it. */
  hasNoted(key: string): boolean {
    return this.#settings.steps?.some((step) => step.key === key) === true
  }

  /**
   * Stores a large value beside the log.
   *
   * @returns its SHA-256
   * @throws what the store threw. The run then stops as for any write that failed: what was done and not recorded is in doubt
   */
  async keep(bytes: Uint8Array): Promise<string> {
    try {
      return await this.#env.store.payloads.put(this.#runId, bytes)
    } catch (thrown) {
      throw this.#log.fail(thrown)
    }
  }

  /** @throws `replay_diverged`, or as the recorded run was stopped, where only what is recorded may happen */
  refuseNew(key: string): void {
    const { cassette } = this.#env
    if (cassette?.isStrict !== true) return
    throw endUnrecorded({ stop: this.#stop }, cassette, `the recording holds no ${key}`)
  }

  /** A person said that the run goes on, though it parts from its records. */
  mayPart(): void {
    this.#isStrict = false
    this.journal.mayPart()
  }

  /**
   * Resolves when all that is recorded so far is durable and sent, and the run is still held here.
   *
   * @throws what the store threw, or why the run was stopped meanwhile
   */
  async flush(): Promise<void> {
    await this.#log.flush()
    await this.#settings.confirmLease?.()
    this.#stop.throwIfStopped()
  }

  /** Changes fields of the run's row with the next commit. */
  patch(change: NonNullable<Commit['run']>): void {
    this.#row.patch(change)
  }

  /** Adds what leaves with the next commit. */
  add(part: Parameters<EventLog['add']>[0]): void {
    this.#log.add(part)
  }

  /**
   * Puts a record with what is recorded so far; once the run's end is said, by itself.
   *
   * @returns its `seq`, when it is written
   * @throws why the run goes on elsewhere, where it does: what it leaves is written there
   */
  async put(record: NewRecord): Promise<number> {
    const { kind, space, id, value } = record
    if (!this.isSealed) return this.#log.put(record)
    if (!isTerminal(this.whole.status)) throw this.#stop.reason
    return this.#env.store.records(kind, space).put(id, value)
  }

  /** Writes what is not yet written. */
  commit(part?: Parameters<EventLog['commit']>[0]): Promise<void> {
    return this.#log.commit(part)
  }

  get isSealed(): boolean {
    return this.#log.isSealed
  }

  /** The last event is said: nothing is logged any more. */
  seal(): void {
    this.#log.seal()
  }

  /** Tells those who listen again what an earlier life has logged. @returns false where there is nothing of the kind */
  announceAgain(waiting: EventData['run.waiting']): boolean {
    if (this.view.status !== 'waiting') return false
    const known = this.earlier.findWaiting(waiting)
    if (known === undefined) return false
    this.lives.getOn()
    this.#deliver(known)
    publish(this.#env, known)
    return true
  }

  /** A run that parts from its records goes on elsewhere, or later: how the work ends that was stopped here is not its own. */
  #sealParted(reason: unknown): void {
    if (SvcError.isInstance(reason) && reason.code === 'replay_diverged') this.seal()
  }

  #begin(key: string): boolean {
    // What plugins do beside is soon done, and is written later: a process that ends meanwhile says nothing of the run.
    return !key.startsWith(BESIDE) && this.lives.begin()
  }

  #deliver(event: RunEvent): void {
    for (const listener of this.#listeners) notify(listener, event, this.#onListenerFailure)
  }

  #deliverAgain(recorded: RunEvent, emitted: RunEvent): void {
    this.#deliver(recorded)
    const divergence: SvcError | undefined = this.#isStrict ? divergenceOf(recorded, emitted) : undefined
    if (divergence !== undefined) this.#stop.stop(divergence)
    if (recorded.type !== emitted.type) return
    if (recorded.type === 'approval.requested') publish(this.#env, recorded)
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
