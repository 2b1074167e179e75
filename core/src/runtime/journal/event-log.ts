import type { EventData, EventPlace, EventType, RunEvent } from '../../contracts/log/event.ts'
import { isEphemeral, isTerminalEvent } from '../../contracts/log/event.ts'
import type { Lease, StepRow } from '../../contracts/log/journal.ts'
import type { RunView } from '../../contracts/run/run-view.ts'
import type { Stage } from '../../contracts/stages/stages.ts'
import type { Commit, NewRecord, Store } from '../../contracts/store/store.ts'
import { SvcError } from '../../errors.ts'
import { report } from '../../support/background.ts'
import { isoTime } from '../../support/iso-time.ts'
import { EarlierEvents, isStanding } from './earlier-events.ts'

export interface EventLogOptions {
  runId: string
  threadId: string | undefined
  store: Pick<Store, 'commit' | 'records'>
  lease: Lease
  clock: () => number
  /** Is kept in step with the log, as far as the run has come. */
  view: RunView
  /** The same with all that earlier lives have logged; in a fresh run the view itself. */
  whole: RunView
  /** What earlier lives of the run have logged: it is not logged again when the run comes to it. */
  earlier: readonly RunEvent[]
  /** Of a new run: nothing is sent before it resolves. */
  opened: Promise<void> | undefined
  /** Fields of the run's row that have changed since the last commit. */
  project(): Commit['run']
  /** Hands an event to the run's own listeners, who are in this process, as it happens. */
  deliver(event: RunEvent): void
  /** Sends an event to everybody else, once it is durable. */
  publish(event: RunEvent): void
  /** Hands an event of an earlier life to the run's own listeners as the run comes to it. */
  deliverAgain(recorded: RunEvent, emitted: RunEvent): void
  /** The store refused: the run cannot go on. */
  onFailure(thrown: unknown): void
}

/** How long what nobody waits for may stay unwritten, so that it leaves together with what follows. */
const LINGER_MS = 5

/** What waits for the next commit. */
interface Batch {
  events: RunEvent[]
  steps: StepRow[]
  approvals: NonNullable<Commit['approvals']>[number][]
  taken: string[]
  records: NewRecord[]
}

/** Who waits until a record is written. */
interface RecordWait {
  record: NewRecord
  resolve(seq: number): void
  reject(thrown: unknown): void
}

/**
 * The one writer of a run: events, steps and changes of its row leave in commits, in the order in which they happened.
 * The run's own listeners hear of an event at once, everybody else when it is durable.
 *
 * Who does something that others see, or that costs, waits for `flush` before. All else waits for that, for a few
 * milliseconds at most: a commit costs far more than what is in it. One commit is under way at a time.
 */
export class EventLog {
  readonly #settings: EventLogOptions
  readonly #events: RunEvent[] = []
  readonly #earlier: EarlierEvents | undefined
  #seq: number
  #batch: Batch = emptyBatch()
  #recordWaits: RecordWait[] = []
  /** What is sent after the next commit, in order: its events, and the ones between them that are not kept. */
  #outgoing: RunEvent[] = []
  /** What is sent after the commit that is under way. */
  #inFlight: RunEvent[] = []
  #underWay: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  /** Something is to leave with the next commit, and none was asked for. */
  #isLingering = false
  #timer: NodeJS.Timeout | undefined
  readonly #own: Outbox
  readonly #everybody: Outbox
  #isSealed = false
  #failure: { thrown: unknown } | undefined

  constructor(settings: EventLogOptions) {
    this.#settings = settings
    this.#own = new Outbox(settings.deliver)
    this.#everybody = new Outbox(settings.publish)
    this.#seq = settings.earlier.length
    // In a fresh run there is nothing but what the service says of it when it is made.
    if (!settings.earlier.every(isStanding)) this.#earlier = new EarlierEvents(settings.earlier)
    this.#events.push(...(this.#earlier?.standing ?? settings.earlier))
  }

  /** Events so far, in order; of an earlier life only those that the run has come to again. */
  get events(): readonly RunEvent[] {
    return this.#events
  }

  /** Number of the newest event. */
  get seq(): number {
    return this.#seq
  }

  get isSealed(): boolean {
    return this.#isSealed
  }

  /** Nothing more is said of the run here: what comes after its last event, or is left to another life, is dropped. */
  seal(): void {
    this.#isSealed = true
  }

  /** @param stage the stage that is being asked, where the place names no other */
  emit<T extends EventType>(
    type: T,
    data: EventData[T],
    place: EventPlace | undefined,
    stage: Stage | undefined,
  ): void {
    if (this.#isSealed || this.#failure !== undefined) return
    const { runId, threadId, view, whole, clock } = this.#settings
    const isKept = !isEphemeral(type)
    const seq = isKept ? this.#seq + 1 : undefined
    const event = toEvent(type, data, isoTime(clock()), runId, threadId, seq, stage, place)
    const known = isKept ? this.#earlier?.take(event) : undefined
    if (known !== undefined) {
      for (const recorded of known) this.#come(recorded, event)
      return
    }
    view.apply(event) // throws for data that no event of this type has: nothing is logged then
    if (whole !== view) whole.apply(event)
    if (isKept) {
      this.#seq++
      this.#events.push(event)
      this.#batch.events.push(event)
      this.#outgoing.push(event)
      this.#linger()
    } else this.#publishInTurn(event)
    // Whatever a listener says when it hears of the end comes too late.
    if (isTerminalEvent(event)) this.seal()
    this.#own.send([event])
  }

  /** Comes to what earlier lives have logged of a call beside its end. @returns it, in order */
  comeTo(call: EventPlace): readonly RunEvent[] {
    const known = this.#earlier?.takeCall(call) ?? []
    for (const recorded of known) this.#come(recorded, recorded)
    return known
  }

  #come(recorded: RunEvent, emitted: RunEvent): void {
    this.#events.push(recorded)
    this.#settings.view.apply(recorded)
    this.#settings.deliverAgain(recorded, emitted)
  }

  /** Adds what leaves with the next commit; nobody waits for it. */
  add({ steps = [], approvals = [], taken = [] }: Partial<Omit<Batch, 'events' | 'records'>>): void {
    if (this.#isSealed) return
    this.#batch.steps.push(...steps)
    this.#batch.approvals.push(...approvals)
    this.#batch.taken.push(...taken)
    this.#linger()
  }

  /**
   * Puts a record with the next commit.
   *
   * @returns its `seq`, when it is written; 0 where that is not known
   * @throws what the store threw
   */
  put(record: NewRecord): Promise<number> {
    this.#batch.records.push(record)
    this.#linger()
    return new Promise((resolve, reject) => this.#recordWaits.push({ record, resolve, reject }))
  }

  /**
   * Writes steps and what else belongs to them, together with every event that is not yet written.
   *
   * @throws what the store threw; `lease_lost` when another process holds the run
   */
  async commit(part: Parameters<EventLog['add']>[0] = {}): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.thrown
    this.add(part)
    return this.#write()
  }

  /** Resolves when everything so far is durable, what is being written included, and events are sent. */
  async flush(): Promise<void> {
    return this.#isLingering ? this.#write() : (this.#next ?? this.#underWay)
  }

  /** Something is to be written, now or in a moment. */
  #linger(): void {
    this.#isLingering = true
    // It runs on where a commit comes first: what then lingers leaves a little earlier.
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (this.#isLingering) this.#write().catch(() => {}) // onFailure was called
    }, LINGER_MS)
  }

  /** Writes all that waits, after the commit that is under way. */
  #write(): Promise<void> {
    this.#isLingering = false
    const write = (): Promise<void> => {
      this.#next = undefined
      this.#underWay = this.#writeBatch()
      return this.#underWay
    }
    // Also where that one failed: who waits for a record hears of it.
    this.#next ??= this.#underWay.then(write, write)
    this.#next.catch(() => {}) // it reaches those that wait for it, and onFailure has it already
    return this.#next
  }

  async #writeBatch(): Promise<void> {
    const { store, lease, project, opened } = this.#settings
    const batch = this.#batch
    const recordWaits = this.#recordWaits
    this.#inFlight = this.#outgoing
    this.#batch = emptyBatch()
    this.#recordWaits = []
    this.#outgoing = []
    try {
      if (this.#failure !== undefined) throw this.#failure.thrown
      const run = project()
      if (run !== undefined || !isEmpty(batch)) await store.commit(lease, run === undefined ? batch : { ...batch, run })
      await opened
      for (const { record } of recordWaits) if (record.seq === undefined) await putIgnored(store, record)
    } catch (thrown) {
      for (const { reject } of recordWaits) reject(thrown)
      throw this.fail(thrown)
    }
    for (const { record, resolve } of recordWaits) resolve(record.seq ?? 0)
    // Of a run that has ended the timer would keep all until it fires, which a busy process comes to late.
    if (this.#isSealed && !this.#isLingering) {
      clearTimeout(this.#timer)
      this.#timer = undefined
    }
    const written = this.#inFlight
    this.#inFlight = []
    this.#everybody.send(written)
  }

  /** The store refused what belongs to the run: nothing of it is written any more. @returns what was thrown */
  fail(thrown: unknown): unknown {
    if (this.#failure === undefined) {
      this.#failure = { thrown }
      this.#settings.onFailure(thrown)
    }
    return thrown
  }

  /** An event that is not kept is sent after those that were emitted before it, which may still be on their way. */
  #publishInTurn(event: RunEvent): void {
    if (this.#outgoing.length > 0) {
      this.#outgoing.push(event)
      // A piece of an answer is for those who look on: what stands before it must not linger.
      this.#write().catch(() => {}) // onFailure was called
    } else if (this.#inFlight.length > 0) this.#inFlight.push(event)
    else this.#everybody.send([event])
  }
}

/** Events whose turn it is: that of a listener which emits is sent after all others have heard the one before. */
class Outbox {
  readonly #send: (event: RunEvent) => void
  readonly #waiting: RunEvent[] = []
  #isSending = false

  constructor(send: (event: RunEvent) => void) {
    this.#send = send
  }

  send(events: readonly RunEvent[]): void {
    this.#waiting.push(...events)
    if (this.#isSending) return
    this.#isSending = true
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#send(next)
    } finally {
      this.#isSending = false
    }
  }
}

/**
 * An event with the fields that it has and no others. The common ones are written out: an object that gets its fields one
 * by one takes twice the memory, and there are forty of them in the shortest run.
 */
function toEvent(
  type: EventType,
  data: object,
  time: string,
  runId: string,
  threadId: string | undefined,
  seq: number | undefined,
  stage: Stage | undefined,
  place: EventPlace | undefined,
): RunEvent {
  if (seq !== undefined && threadId === undefined && stage !== undefined) {
    if (place === undefined) return { v: 1, seq, type, time, runId, stage, data } as RunEvent
    if (isCallPlace(place)) {
      const { agentId, callId, stepId } = place
      return { v: 1, seq, type, time, runId, stage, agentId, callId, stepId, data } as RunEvent
    }
  }
  const event = seq === undefined ? { v: 1, type, time, runId } : { v: 1, seq, type, time, runId }
  return Object.assign(event, threadId !== undefined && { threadId }, stage !== undefined && { stage }, place, {
    data,
  }) as RunEvent
}

/** Whether a place is that of a call of a step: what the gateways hand over. */
function isCallPlace(place: EventPlace): boolean {
  let fields = 0
  for (const _ in place) fields++
  return fields === 3 && place.agentId !== undefined && place.callId !== undefined && place.stepId !== undefined
}

/** Stores of which it was said. */
const saidOf = new WeakSet<object>()

/** Puts a record of a commit by itself where the store has left it out; it may also have lost its database's answer. */
async function putIgnored(store: Pick<Store, 'records'>, { kind, space, id, value }: NewRecord): Promise<void> {
  const place = store.records(kind, space)
  if ((await place.get(id)) !== undefined) return
  await place.put(id, value)
  if (saidOf.has(store)) return
  saidOf.add(store)
  const reason =
    'its commits leave records out, so that a crash may lose them: checkStore() of @svc/core/testing says what else'
  report('the store breaks its contract', new SvcError('store_unavailable', reason))
}

const isEmpty = (write: Partial<Batch>): boolean => Object.values(write).every((list) => list.length === 0)

const emptyBatch = (): Batch => ({ events: [], steps: [], approvals: [], taken: [], records: [] })
