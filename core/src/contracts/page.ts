/** One page of a list. */
export interface Page<T> {
  data: T[]
  hasMore: boolean
  /** Hand it back as `after`. */
  nextCursor?: string
}
