import type { EventPlace, EventType, NewEvent, RunEvent } from '../../contracts/event.ts'
import { isEphemeral } from '../../contracts/event.ts'
import type { Journal } from '../../contracts/journal.ts'
import type { Stage } from '../../contracts/stages.ts'
import { isoTime } from '../iso-time.ts'

export interface EventLogSettings {
  runId: string
  threadId: string | undefined
  journal: Journal
  /** What an earlier process has logged of this run; it is not logged again when the run walks past it. */
  earlier: readonly RunEvent[]
  clock: () => number
  /** Sends an event to everyone, once it is durable. */
  deliver(event: RunEvent): void
  /** The journal refused: the run cannot go on. */
  onFailure(thrown: unknown): void
}

/** The one ordered log of a run: what is durable is appended first and sent second. */
export class EventLog {
  readonly #settings: EventLogSettings
  readonly #events: RunEvent[]
  readonly #walked: Map<string, number>
  /** Events that are durable and wait to be sent, in order. */
  #ready: RunEvent[] = []
  #tail: Promise<unknown> = Promise.resolve()
  #sealed = false

  constructor(settings: EventLogSettings) {
    this.#settings = settings
    this.#events = [...settings.earlier]
    this.#walked = countByMark(settings.earlier)
  }

  /** Durable events so far, in order. */
  get events(): readonly RunEvent[] {
    return this.#events
  }

  /** What comes after the last event of a run is dropped. */
  seal(): void {
    this.#sealed = true
  }

  /** @param stage the stage that is being asked, where the place names no other */
  emit(type: EventType, data: object, place: EventPlace, stage?: Stage): void {
    if (this.#sealed) return
    const { runId, threadId, deliver, clock } = this.#settings
    const event: NewEvent = {
      type,
      ...(threadId === undefined ? undefined : { threadId }),
      ...(stage === undefined ? undefined : { stage }),
      ...place,
      data,
    }
    if (isEphemeral(type)) deliver({ v: 1, time: isoTime(clock()), runId, ...event } as RunEvent)
    else if (!this.#walkPast(event)) this.#append(event)
  }

  #append(event: NewEvent): void {
    const { journal, onFailure } = this.#settings
    try {
      const appended = journal.append(event)
      if (appended instanceof Promise) {
        this.#tail = Promise.all([this.#tail, appended]).then(([, durable]) => this.#send([durable]), onFailure)
        return
      }
      this.#ready.push(appended)
    } catch (thrown) {
      onFailure(thrown)
      return
    }
    // What is emitted in one go is sent in one go, after the emitter has done its work.
    if (this.#ready.length === 1) this.#tail = this.#tail.then(() => this.#send(this.#ready.splice(0)))
  }

  #send(events: readonly RunEvent[]): void {
    for (const event of events) {
      this.#events.push(event)
      this.#settings.deliver(event)
    }
  }

  /** Resolves when everything emitted so far is durable and sent. */
  async flush(): Promise<void> {
    await this.#tail
  }

  /** True for an event that the log holds already, from before the run was cut off. */
  #walkPast(event: NewEvent): boolean {
    if (this.#walked.size === 0) return false
    const mark = markOf(event.type, event)
    const left = this.#walked.get(mark) ?? 0
    if (left === 0) return false
    this.#walked.set(mark, left - 1)
    return true
  }
}

const markOf = (type: string, { stage, stepId, agentId, callId }: EventPlace): string =>
  [type, stage, stepId, agentId, callId].join('|')

/** Events that belong to one process's life, and so are logged again by the next. */
const ONCE_A_LIFE: ReadonlySet<string> = new Set([
  'run.started',
  'run.recovered',
  'run.queued',
  'run.waiting',
  'run.resumed',
])

function countByMark(events: readonly RunEvent[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const event of events) {
    if (ONCE_A_LIFE.has(event.type)) continue
    const mark = markOf(event.type, event)
    counts.set(mark, (counts.get(mark) ?? 0) + 1)
  }
  return counts
}
