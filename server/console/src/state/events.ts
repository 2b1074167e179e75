import type { EventOf, EventType, RunEvent } from '@svc/core/client'

/** The newest event of a type. */
export function newest<T extends EventType>(events: readonly RunEvent[], type: T): EventOf<T> | undefined {
  return events.findLast((event): event is RunEvent & EventOf<T> => event.type === type)
}

/** All events of a type. */
export function allOf<T extends EventType>(events: readonly RunEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is RunEvent & EventOf<T> => event.type === type)
}
