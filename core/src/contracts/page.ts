/** One page of a list. */
export interface Page<T> {
  data: T[]
  hasMore: boolean
  /** Hand it back as `after`. */
  nextCursor?: string
}

/** What a list is narrowed by. */
export interface ListQuery {
  /** 1 to 100, default 20. */
  limit?: number
  /** Opaque, from the last page's `nextCursor`. */
  after?: string
  /** Default `desc`: newest first. */
  order?: 'asc' | 'desc'
}
