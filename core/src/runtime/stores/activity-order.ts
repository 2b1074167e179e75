import type { Page } from '../../contracts/page.ts'
import type { Thread } from '../../contracts/run/thread.ts'
import type { ThreadQuery } from '../../contracts/store/records.ts'
import { byTime, readTimeCursor, type TimePlace, toTimeCursor } from '../../support/time-cursor.ts'
import { toPage, unknownCursor } from './paging.ts'

/**
 * Cuts one page out of all conversations: what happened last first.
 *
 * @throws ValidationError `validation_failed` for a bad limit, `invalid_cursor` for what is no cursor
 */
export function pageByActivity(threads: Iterable<Thread>, { after, limit }: ThreadQuery): Page<Thread> {
  const end = after === undefined ? undefined : readTimeCursor(after)
  if (after !== undefined && end === undefined) throw unknownCursor(after)
  const items = [...threads]
    .map((thread) => ({ place: placeOf(thread), thread }))
    .filter(({ place }) => end === undefined || byTime(place, end) < 0)
    .sort((a, b) => byTime(a.place, b.place))
  return toPage(
    items.map(({ place, thread }) => [toTimeCursor(place), thread]),
    limit === undefined ? {} : { limit },
  )
}

const placeOf = ({ updatedAt, id }: Thread): TimePlace => ({ time: updatedAt, id })
