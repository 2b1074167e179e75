import type { ListQuery, Page } from '@svc/core'
import { checkLimit, unknownCursor } from '@svc/core'
import { type Answer, ok } from './answer.ts'

/** A page of a list, with the address of the next one. */
export function pageAnswer<T>(page: Page<T>, url: string): Answer {
  const { nextCursor } = page
  if (nextCursor === undefined) return ok(page)
  const next = new URL(url, 'http://local')
  next.searchParams.set('after', nextCursor)
  return ok(page, { Link: `<${next.pathname}${next.search}>; rel="next"` })
}

/** One page of a list that is there as a whole. @throws ValidationError `invalid_cursor` */
export function cutPage<T>(items: readonly T[], query: ListQuery, idOf: (item: T, index: number) => string): Page<T> {
  const limit = checkLimit(query)
  const ids = items.map(idOf)
  const start = query.after === undefined ? 0 : ids.indexOf(query.after) + 1
  if (query.after !== undefined && start === 0) throw unknownCursor(query.after)
  const data = items.slice(start, start + limit)
  const hasMore = start + limit < items.length
  const nextCursor = hasMore ? ids[start + limit - 1] : undefined
  return { data, hasMore, ...(nextCursor !== undefined && { nextCursor }) }
}
