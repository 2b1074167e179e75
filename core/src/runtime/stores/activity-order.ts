import type { Page } from '../../contracts/page.ts'
import type { Thread } from '../../contracts/run/thread.ts'
import type { ThreadQuery } from '../../contracts/store/records.ts'
import { checkLimit, unknownCursor } from './paging.ts'

/** Where a conversation stands in the order of activity: what happened last comes first, of what happened at once the highest id. */
export interface ActivityPlace {
  /** ISO, in UTC, to the millisecond: such times go by their letters. */
  time: string
  id: string
}

const CURSOR = /^((?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)?),(.{1,128})$/s

/**
 * The place that a cursor names. It stays good though something happens in the conversation that it was made of.
 *
 * @throws ValidationError `invalid_cursor`
 */
export function readActivityCursor(after: string): ActivityPlace {
  const [, time, id] = CURSOR.exec(after) ?? []
  if (time === undefined || id === undefined) throw unknownCursor(after)
  return { time, id }
}

/** A page of conversations in the order of activity. @param found the first that follow, one more than asked for where there are more */
export function toActivityPage(found: readonly Thread[], limit: number): Page<Thread> {
  const data = found.slice(0, limit)
  const last = found.length > limit ? data.at(-1) : undefined
  return {
    data,
    hasMore: last !== undefined,
    ...(last && { nextCursor: `${last.updatedAt},${last.id}` }),
  }
}

/**
 * Cuts one page out of all conversations, in the order of activity.
 *
 * @throws ValidationError `validation_failed` for a bad limit, `invalid_cursor` for what is no cursor
 */
export function pageByActivity(threads: readonly Thread[], query: ThreadQuery): Page<Thread> {
  const limit = checkLimit(query)
  const after = query.after === undefined ? undefined : readActivityCursor(query.after)
  const found = threads
    .filter((thread) => after === undefined || byActivity(after, placeOf(thread)) < 0)
    .sort((a, b) => byActivity(placeOf(a), placeOf(b)))
  return toActivityPage(found.slice(0, limit + 1), limit)
}

const placeOf = ({ updatedAt, id }: Thread): ActivityPlace => ({ time: updatedAt, id })

function byActivity(a: ActivityPlace, b: ActivityPlace): number {
  const [one, other] = a.time === b.time ? [a.id, b.id] : [a.time, b.time]
  return one === other ? 0 : one > other ? -1 : 1
}
