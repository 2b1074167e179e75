import type { EventData, EventPlace, EventType, RunEvent } from '../../contracts/log/event.ts'
import { isEphemeral } from '../../contracts/log/event.ts'
import type { Lease, StepRow } from '../../contracts/log/journal.ts'
import type { RunView } from '../../contracts/run/run-view.ts'
import type { Stage } from '../../contracts/stages/stages.ts'
import type { Commit, Store } from '../../contracts/store/store.ts'
import { isoTime } from '../../support/iso-time.ts'
import { EarlierEvents, isStanding } from './earlier-events.ts'

export interface EventLogSettings {
  runId: string
  threadId: string | undefined
  store: Pick<Store, 'commit'>
  lease: Lease
  clock: () => number
  /** Is kept in step with the log. */
  view: RunView
  /** What earlier lives of the run have logged: it is not logged again when the run comes to it. */
  earlier: readonly RunEvent[]
  /** Fields of the run's row that have changed since the last commit. */
  project(): Commit['run']
  /** Sends an event to listeners, once it is durable. */
  deliver(event: RunEvent): void
  /** Hands an event of an earlier life to the run's own listeners as the run comes to it. */
  deliverAgain(recorded: RunEvent, emitted: RunEvent): void
  /** The store refused: the run cannot go on. */
  onFailure(thrown: unknown): void
}

/** How long an event that nobody waits for may stay unwritten, so that it leaves together with what follows. */
const LINGER_MS = 5

/** What waits for the next commit. */
interface Batch {
  events: RunEvent[]
  steps: StepRow[]
  approvals: NonNullable<Commit['approvals']>[number][]
  taken: string[]
}

/**
 * The one writer of a run: events, steps and changes of its row leave in commits, in the order in which they happened,
 * and listeners hear of an event when it is durable.
 *
 * Over a store that answers at once every event is written and sent when it is emitted, or with the one that follows it
 * at once, and nothing here makes a promise. Over any other store what is emitted while a commit is under way leaves
 * together in the next, and an event that nobody waits for stays a few milliseconds for company: a commit costs far more
 * than what is in it.
 */
export class EventLog {
  readonly #settings: EventLogSettings
  readonly #events: RunEvent[] = []
  #earlier: EarlierEvents | undefined
  #seq: number
  #batch: Batch = emptyBatch()
  /** What is sent after the next commit, in order: its events, and the ones between them that are not kept. */
  #outgoing: RunEvent[] = []
  /** What is sent after the commit that is under way. */
  #inFlight: RunEvent[] = []
  #isAsync = false
  /** Something waits for what follows it at once. */
  #isHeld = false
  #underWay: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #lingering: NodeJS.Timeout | undefined
  /** Events that are durable and wait for their turn, while a listener emits others. */
  readonly #outbox: RunEvent[] = []
  #isDelivering = false
  #isSealed = false
  #failure: { thrown: unknown } | undefined

  constructor(settings: EventLogSettings) {
    this.#settings = settings
    this.#seq = settings.earlier.length
    if (settings.earlier.every(isStanding)) {
      // A fresh run: nothing but what the service says of it when it is made.
      this.#events.push(...settings.earlier)
      return
    }
    const earlier = new EarlierEvents(settings.earlier)
    this.#events.push(...earlier.standing)
    this.#earlier = earlier
  }

  /** Durable events so far, in order; of an earlier life only those that the run has come to again. */
  get events(): readonly RunEvent[] {
    this.#writeHeld()
    return this.#events
  }

  /** Number of the newest event. */
  get seq(): number {
    return this.#seq
  }

  /** What comes after the last event of a run is dropped. */
  seal(): void {
    this.#isSealed = true
  }

  /**
   * @param stage the stage that is being asked, where the place names no other
   * @param isFollowed another event, or a commit, comes at once and takes this one along
   */
  emit<T extends EventType>(
    type: T,
    data: EventData[T],
    place: EventPlace | undefined,
    stage: Stage | undefined,
    isFollowed = false,
  ): void {
    if (this.#isSealed || this.#failure !== undefined) return
    const { runId, threadId, view, clock } = this.#settings
    const isKept = !isEphemeral(type)
    const seq = isKept ? this.#seq + 1 : undefined
    const event = toEvent(type, data, isoTime(clock()), runId, threadId, seq, stage, place)
    if (!isKept) {
      view.apply(event)
      this.#sendInTurn(event)
      return
    }
    const known = this.#earlier?.take(event)
    if (known !== undefined) {
      this.#writeHeld()
      for (const recorded of known) {
        this.#events.push(recorded)
        view.apply(recorded)
        this.#settings.deliverAgain(recorded, event)
      }
      return
    }
    view.apply(event) // throws for data that no event of this type has: nothing is logged then
    this.#seq++
    if (!this.#isAsync && !this.#isHeld && !isFollowed) {
      try {
        this.#writeNow({ events: [event] })
      } catch {
        // onFailure was called; the emitter is not to blame.
      }
      return
    }
    this.#batch.events.push(event)
    this.#outgoing.push(event)
    if (this.#isAsync) this.#linger()
    else if (isFollowed) this.#isHeld = true
    else this.#writeHeld()
  }

  /**
   * Writes steps and what else belongs to them, together with every event that is not yet written.
   *
   * @param isFollowed as for an event
   * @throws what the store threw; `lease_lost` when another process holds the run
   */
  commit(part: Partial<Omit<Batch, 'events'>> = {}, isFollowed = false): void | Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.thrown
    if (!this.#isAsync && !this.#isHeld && !isFollowed) return this.#writeNow(part)
    const { steps, approvals, taken } = this.#batch
    if (part.steps !== undefined) steps.push(...part.steps)
    if (part.approvals !== undefined) approvals.push(...part.approvals)
    if (part.taken !== undefined) taken.push(...part.taken)
    if (!isFollowed) return this.#isAsync ? this.#writeSoon() : this.#writeBatch()
    if (this.#isAsync) this.#linger()
    else this.#isHeld = true
  }

  /** Resolves when everything emitted so far is durable and sent; undefined when it is already. */
  flush(): undefined | Promise<void> {
    this.#writeHeld()
    if (!this.#isAsync) return undefined
    return this.#lingering === undefined ? (this.#next ?? this.#underWay) : this.#writeSoon()
  }

  #linger(): void {
    this.#lingering ??= setTimeout(() => this.#writeSoon().catch(() => {}), LINGER_MS) // onFailure was called
  }

  #writeSoon(): Promise<void> {
    clearTimeout(this.#lingering)
    this.#lingering = undefined
    this.#next ??= this.#underWay.then(() => {
      this.#next = undefined
      return this.#writeBatch()
    })
    return this.#next
  }

  #writeHeld(): void {
    if (!this.#isHeld) return
    try {
      this.#writeBatch()
    } catch {
      // onFailure was called.
    }
  }

  #writeBatch(): void | Promise<void> {
    const batch = this.#batch
    const outgoing = this.#outgoing
    this.#batch = emptyBatch()
    this.#outgoing = []
    this.#isHeld = false
    return this.#writeNow(batch, outgoing)
  }

  #writeNow(write: Partial<Batch>, outgoing: RunEvent[] = write.events ?? []): void | Promise<void> {
    const { store, lease, project } = this.#settings
    const run = project()
    if (run === undefined && isEmpty(write)) {
      this.#send(outgoing)
      return
    }
    let written: ReturnType<Store['commit']>
    try {
      written = store.commit(lease, run === undefined ? write : { ...write, run })
    } catch (thrown) {
      throw this.fail(thrown)
    }
    if (!(written instanceof Promise)) {
      this.#send(outgoing)
      return
    }
    this.#isAsync = true
    this.#inFlight = outgoing
    this.#underWay = written.then(
      () => {
        this.#send(outgoing)
        this.#inFlight = []
      },
      (thrown) => {
        throw this.fail(thrown)
      },
    )
    this.#underWay.catch(() => {}) // who waits for it hears of it, and onFailure has
    return this.#underWay
  }

  /** The store refused what belongs to the run: nothing of it is written any more. @returns what was thrown */
  fail(thrown: unknown): unknown {
    if (this.#failure === undefined) {
      this.#failure = { thrown }
      this.#settings.onFailure(thrown)
    }
    return thrown
  }

  #send(outgoing: readonly RunEvent[]): void {
    for (const event of outgoing) {
      if (event.seq !== undefined) this.#events.push(event)
      this.#deliver(event)
    }
  }

  /** An event that is not kept is sent after those that were emitted before it, which may still be on their way. */
  #sendInTurn(event: RunEvent): void {
    const ahead = this.#outgoing.length > 0 ? this.#outgoing : this.#inFlight
    if (ahead.length === 0) {
      this.#deliver(event)
      return
    }
    ahead.push(event)
    // A piece of an answer is for who looks on: what stands before it must not linger.
    if (this.#lingering !== undefined) this.#writeSoon().catch(() => {}) // onFailure was called
  }

  /** A listener that emits has its event sent after all others have heard the one before. */
  #deliver(event: RunEvent): void {
    if (this.#isDelivering) {
      this.#outbox.push(event)
      return
    }
    this.#isDelivering = true
    try {
      this.#settings.deliver(event)
      for (let next = this.#outbox.shift(); next !== undefined; next = this.#outbox.shift()) {
        this.#settings.deliver(next)
      }
    } finally {
      this.#isDelivering = false
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

const isEmpty = (write: Partial<Batch>): boolean => Object.values(write).every((list) => list.length === 0)

const emptyBatch = (): Batch => ({ events: [], steps: [], approvals: [], taken: [] })
