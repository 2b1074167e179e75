import { type ListQuery, type Page, type Thread, type ThreadQuery, ValidationError } from '@svc/core'

/**
 * Cuts one page out of a list.
 *
 * @param items ids with their values, oldest first
 * @throws ValidationError `validation_failed` for a bad limit, `invalid_cursor` for an unknown cursor
 */
export function toPage<T>(
  items: readonly (readonly [string, T])[],
  { limit = 20, after, order = 'desc' }: ListQuery = {},
  matches: (item: T) => boolean = () => true,
): Page<T> {
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new ValidationError('validation_failed', `limit: must be a whole number from 1 to 100, not ${limit}`)
  }
  const ordered = order === 'desc' ? items.toReversed() : items
  const at = after === undefined ? -1 : ordered.findIndex(([id]) => id === after)
  if (after !== undefined && at === -1) {
    throw new ValidationError('invalid_cursor', `after: "${after}" is no cursor of this list`)
  }
  const found = ordered.slice(at + 1).filter(([, item]) => matches(item))
  const last = found.length > limit ? found[limit - 1] : undefined
  return {
    data: found.slice(0, limit).map(([, item]) => item),
    hasMore: last !== undefined,
    ...(last === undefined ? {} : { nextCursor: last[0] }),
  }
}

const PLACE = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)?,./

/** Conversations, that first in which something happened last. A cursor holds a time and an id: it stays good though its conversation moves. */
export function pageByActivity(threads: readonly Thread[], { after, limit }: ThreadQuery): Page<Thread> {
  if (after !== undefined && !PLACE.test(after))
    throw new ValidationError('invalid_cursor', `after: "${after}" is no cursor of this list`)
  const items = threads
    .map((thread) => [`${thread.updatedAt},${thread.id}`, thread] as const)
    .filter(([place]) => after === undefined || place < after)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return toPage(items, limit === undefined ? {} : { limit })
}
