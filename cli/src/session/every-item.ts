import type { ListQuery, Page } from '@svc/core'
import { defined } from '../line/given-options.ts'

const PAGE = 100

/** What a list holds, page by page, the newest first. @param most how many at most; default all */
export async function* everyItem<Item>(
  list: (query: ListQuery) => Promise<Page<Item>>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<Item> {
  let after: string | undefined
  let left = most
  do {
    const page = await list({ limit: Math.min(PAGE, left), ...defined({ after }) })
    yield* page.data
    left -= page.data.length
    after = page.hasMore ? page.nextCursor : undefined
  } while (after !== undefined && left > 0)
}
