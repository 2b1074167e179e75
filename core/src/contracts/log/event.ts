import type { Stage } from '../stages/stages.ts'
import type { EPHEMERAL_EVENT_DATA, EventData } from './event-data.ts'

export type { EventData } from './event-data.ts'

/** The name of an event: `noun.verb`. */
export type EventType = keyof EventData

/** Events that are sent once and not kept. */
export type EphemeralEventType = keyof typeof EPHEMERAL_EVENT_DATA

/** Where in a run an event belongs. */
export interface EventPlace {
  stage?: Stage
  stepId?: string
  agentId?: string
  parentAgentId?: string
  callId?: string
  approvalId?: string
  span?: string
}

/** What every event has. */
interface Envelope extends EventPlace {
  v: 1
  /** Gap-free from 1; absent on ephemeral events. */
  seq?: number
  /** When, as an ISO string. */
  time: string
  runId: string
  threadId?: string
}

/** An event of one type. */
export type EventOf<T extends EventType> = Envelope & { type: T; data: EventData[T] }

/** An event of a type that this version knows. */
export type KnownEvent = { [T in EventType]: EventOf<T> }[EventType]

/**
 * An event of a type that this version does not know, such as a newer server sends. In truth `type` is any other word: written
 * like this, no comparison with a known one can mean it.
 */
export type LaterEvent = Envelope & { type: `later:${string}`; data: Readonly<Record<string, unknown>> }

/** Something that happened in a run: told apart by `type`, which says what `data` is. */
export type RunEvent = KnownEvent | LaterEvent

/** A durable event before the store has numbered it. */
export type NewEvent = RunEvent

const EPHEMERAL: ReadonlySet<string> = new Set([
  'message.delta',
  'message.reset',
  'message.snapshot',
  'reasoning.delta',
  'tool.output',
  'log.line',
  'stream.warning',
] satisfies EphemeralEventType[])

/** Whether events of this type are sent once and not kept. */
export const isEphemeral = (type: RunEvent['type']): type is EphemeralEventType => EPHEMERAL.has(type)

/** The last event of a run, which carries its result. */
export type TerminalEvent = EventOf<'run.completed' | 'run.incomplete' | 'run.failed' | 'run.cancelled'>

/** Whether this is the last event of its run. */
export const isTerminalEvent = (event: RunEvent): event is TerminalEvent =>
  event.type === 'run.completed' ||
  event.type === 'run.incomplete' ||
  event.type === 'run.failed' ||
  event.type === 'run.cancelled'
