import { type EventOf, type RunEvent, RunView } from '@svc/core/client'
import { isReadable, toUnread } from './events.ts'
import { Graph } from './graph.ts'
import { Spans } from './spans.ts'
import { StageViews } from './stages.ts'

/**
 * Everything that the console shows of one run, applied event by event.
 *
 * The same events give the same state, however they came: one at a time, at once, or twice after a resume.
 */
export class RunState {
  /** Events that are kept, in order: number `seq` is at `seq - 1`. */
  readonly events: RunEvent[] = []
  readonly view = new RunView()
  readonly stages = new StageViews()
  readonly spans = new Spans()
  readonly graph = new Graph()
  /** Numbers of events that are not as svc writes them. */
  readonly unread: number[] = []
  created: EventOf<'run.created'> | undefined
  /** What a tool at work prints, by agent and call: sent once and not kept. */
  readonly toolOutput = new Map<string, string>()
  /** What a model thinks aloud, by agent and call: sent once and not kept. */
  readonly reasoning = new Map<string, string>()
  #past: RunState | undefined

  /** @param events in order, from the first */
  constructor(events: Iterable<RunEvent> = []) {
    for (const event of events) this.apply(event)
  }

  /** Takes in the next event; one that is there already changes nothing. */
  apply(event: RunEvent): void {
    if (event.seq !== undefined) {
      if (event.seq <= this.events.length) return
      this.events.push(event)
    }
    const isTaken = isReadable(event) && this.#folds.filter((fold) => !takesIn(fold, event)).length === 0
    if (isTaken || event.seq === undefined) return
    this.unread.push(event.seq)
    this.events[this.events.length - 1] = toUnread(
      event,
      event.seq,
      this.events.at(-2)?.time ?? new Date(0).toISOString(),
    )
  }

  /** What is made of an event. One that fails leaves the others as they are. */
  readonly #folds: readonly ((event: RunEvent) => void)[] = [
    (event) => {
      if (event.type === 'tool.output') append(this.toolOutput, event, event.data.chunk)
      else if (event.type === 'reasoning.delta') append(this.reasoning, event, event.data.text)
    },
    (event) => {
      if (event.type === 'run.created' && typeof event.data.task === 'string') this.created = event
    },
    ...[this.stages, this.spans, this.graph].map((part) => (event: RunEvent) => {
      if (event.seq !== undefined) part.apply(event)
    }),
    (event) => this.view.apply(event),
  ]

  /** Forgets what is being said: a run that is followed again says it from its beginning. */
  forgetPieces(): void {
    for (const call of this.view.modelCalls) if (call.status === 'running') call.text = ''
    this.reasoning.clear()
    this.toolOutput.clear()
  }

  /**
   * The run as it was when an event had just happened. Asked for a later event, the same object goes on to it; for an
   * earlier one, another is made from the start.
   */
  at(seq: number): RunState {
    const length = Math.max(0, Math.min(seq, this.events.length))
    if (this.#past === undefined || this.#past.events.length > length) this.#past = new RunState()
    for (const event of this.events.slice(this.#past.events.length, length)) this.#past.apply(event)
    return this.#past
  }

  /** When the run was asked for, in milliseconds since the epoch. */
  get startedAt(): number {
    return Date.parse(this.events[0]?.time ?? '') || 0
  }

  /** When its newest event happened. */
  get newestAt(): number {
    return Date.parse(this.events.at(-1)?.time ?? '') || 0
  }
}

function takesIn(fold: (event: RunEvent) => void, event: RunEvent): boolean {
  try {
    fold(event)
    return true
  } catch {
    return false
  }
}

/** Characters of what a tool prints or a model thinks that are kept for showing. */
const MOST_OUTPUT = 20_000

function append(texts: Map<string, string>, { agentId, callId }: RunEvent, text: string): void {
  const key = `${agentId}|${callId}`
  texts.set(key, ((texts.get(key) ?? '') + text).slice(-MOST_OUTPUT))
}
