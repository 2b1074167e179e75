import type { ListQuery, Page } from '../../contracts/page.ts'
import type { Thread } from '../../contracts/run/thread.ts'
import type { ThreadQuery } from '../../contracts/store/records.ts'
import { NotFoundError, ValidationError } from '../../errors.ts'
import { byTime, readTimeCursor, type TimePlace, toTimeCursor } from '../../support/time-cursor.ts'

/**
 * The checked limits of a list.
 *
 * @throws ValidationError `validation_failed` for a bad limit
 */
export function checkLimit({ limit = 20 }: Pick<ListQuery, 'limit'>): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 100) return limit
  throw new ValidationError('validation_failed', `limit: must be a whole number from 1 to 100, not ${limit}`, {
    errors: [{ path: '/limit', message: 'must be a whole number from 1 to 100' }],
  })
}

/** The error for a cursor that a list does not know. */
export const unknownCursor = (after: string): ValidationError =>
  new ValidationError('invalid_cursor', `after: "${after}" is no cursor of this list`)

/**
 * Cuts one page out of a list.
 *
 * @param items ids with their values, oldest first
 * @param matches what is listed at all; a cursor stays good when its item matches no more
 * @throws ValidationError `validation_failed` for a bad limit, `invalid_cursor` for an unknown cursor
 */
export function toPage<T>(
  items: readonly (readonly [string, T])[],
  query: ListQuery = {},
  matches: (item: T) => boolean = () => true,
): Page<T> {
  const limit = checkLimit(query)
  const { after, order = 'desc' } = query
  const step = order === 'desc' ? -1 : 1
  const start = after === undefined ? (step === 1 ? 0 : items.length - 1) : startAfter(items, after, step)
  const found: (readonly [string, T])[] = []
  for (let i = start; found.length <= limit; i += step) {
    const item = items[i]
    if (item === undefined) break
    if (matches(item[1])) found.push(item)
  }
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return {
    data: page.map(([, value]) => value),
    hasMore: last !== undefined,
    ...(last === undefined ? {} : { nextCursor: last[0] }),
  }
}

function startAfter<T>(items: readonly (readonly [string, T])[], after: string, step: number): number {
  const at = items.findIndex(([id]) => id === after)
  if (at === -1) throw unknownCursor(after)
  return at + step
}

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

/** The value, or the documented error when there is none. */
export function found<T>(
  value: T | undefined,
  kind: 'run' | 'thread' | 'agent' | 'memory' | 'approval',
  id: string,
): T {
  if (value === undefined) throw new NotFoundError(`${kind}_not_found`, `there is no ${kind} "${id}"`)
  return value
}

/** Every item of a paged list, by default the oldest first. */
export async function* allOf<T>(
  list: (query: ListQuery) => Page<T> | Promise<Page<T>>,
  order: 'asc' | 'desc' = 'asc',
): AsyncGenerator<T, void, undefined> {
  for (let after: string | undefined; ; ) {
    const page = await list({ limit: 100, order, ...(after === undefined ? {} : { after }) })
    yield* page.data
    if (page.nextCursor === undefined) return
    after = page.nextCursor
  }
}
