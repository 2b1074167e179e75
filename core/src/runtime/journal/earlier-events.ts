import type { EventPlace, EventType, RunEvent } from '../../contracts/log/event.ts'
import { RUN_LIFE } from './run-life.ts'

/**
 * Events that only a process at work emits: they time or count a real call, or tell of one process's life. Going over a
 * recorded run does not emit them again; every other event is emitted again in the same order within its place.
 */
const LIVE_ONLY: ReadonlySet<RunEvent['type']> = new Set<EventType>([
  ...RUN_LIFE,
  'budget.updated',
  'budget.warning',
  'budget.exhausted',
  'model.started',
  'model.failed',
  'model.retrying',
  'model.adapted',
  'model.fallback',
  'tool.started',
  'approval.requested',
  'approval.resolved',
  'approval.expired',
])

/** Whether an event tells of a run's life as such and belongs to no call: it stands, and is not come to again. */
export const isStanding = ({ type, callId }: RunEvent): boolean => callId === undefined && LIVE_ONLY.has(type)

/** Whether going over a recorded run emits the event again. */
export const isEmittedAgain = ({ type }: RunEvent): boolean => !LIVE_ONLY.has(type)

/** The log of a run's earlier lives, handed out again event by event as the run comes to where it was. */
export class EarlierEvents {
  readonly #recorded = new Map<string, RunEvent[]>()
  /** Live events by the call they belong to; they come out with the next recorded event of the call. */
  readonly #liveOfCall = new Map<string, RunEvent[]>()
  /** In order, from the beginning. */
  readonly standing: RunEvent[] = []

  constructor(events: readonly RunEvent[]) {
    for (const event of events) {
      if (isStanding(event)) this.standing.push(event)
      else if (LIVE_ONLY.has(event.type)) push(this.#liveOfCall, callOf(event), event)
      else push(this.#recorded, markOf(event), event)
    }
  }

  /**
   * Looks an event up that the run is about to emit.
   *
   * @returns the recorded event, after the live ones of its call that came before it; undefined for a new event
   */
  take(event: RunEvent): RunEvent[] | undefined {
    // A question that is still open is asked again under its id, and stands in the log once.
    if (event.type === 'approval.requested') return this.#takeQuestion(event)
    if (LIVE_ONLY.has(event.type)) return undefined
    const recorded = this.#recorded.get(markOf(event))?.shift()
    if (recorded === undefined) return undefined
    const live = recorded.callId === undefined ? undefined : this.#liveOfCall.get(callOf(recorded))
    if (live === undefined) return [recorded]
    const before = live.filter(({ seq = 0 }) => seq < (recorded.seq ?? 0))
    live.splice(0, before.length)
    return [...before, recorded]
  }

  /** What only a process at work emits of a call, where no event of its end is to bring it out. */
  takeCall(place: EventPlace): RunEvent[] {
    return this.#liveOfCall.get(callOf(place))?.splice(0) ?? []
  }

  #takeQuestion(event: RunEvent): RunEvent[] | undefined {
    const live = this.#liveOfCall.get(callOf(event)) ?? []
    const at = live.findIndex(({ type, approvalId }) => type === event.type && approvalId === event.approvalId)
    return at === -1 ? undefined : live.splice(0, at + 1)
  }
}

const markOf = ({ type, stage, stepId, agentId, callId }: RunEvent): string =>
  `${type}|${stage}|${stepId}|${agentId}|${callId}`

const callOf = ({ agentId, callId }: EventPlace): string => `${agentId}|${callId}`

function push(index: Map<string, RunEvent[]>, key: string, event: RunEvent): void {
  const events = index.get(key)
  if (events === undefined) index.set(key, [event])
  else events.push(event)
}
