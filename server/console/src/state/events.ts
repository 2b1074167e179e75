import type { EventOf, EventType, RunEvent } from '@svc/core/client'

/** Whether an event has what every event has. */
export function isReadable({ type, time, data }: RunEvent): boolean {
  return (
    typeof type === 'string' &&
    typeof time === 'string' &&
    !Number.isNaN(Date.parse(time)) &&
    typeof data === 'object' &&
    data !== null &&
    !Array.isArray(data)
  )
}

/** The type of an event that is not as svc writes it. */
const UNREAD = 'unread'

/** An event that nothing is made of: it stands in the log as it is kept. */
export const toUnread = (event: RunEvent, seq: number, time: string): RunEvent =>
  ({ seq, time, type: UNREAD, runId: event.runId, data: { event } }) as unknown as RunEvent

/** The newest event of a type. */
export function newest<T extends EventType>(events: readonly RunEvent[], type: T): EventOf<T> | undefined {
  return events.findLast((event): event is RunEvent & EventOf<T> => event.type === type)
}

/** All events of a type. */
export function allOf<T extends EventType>(events: readonly RunEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is RunEvent & EventOf<T> => event.type === type)
}
