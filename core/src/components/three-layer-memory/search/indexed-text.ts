/** What filters decide by. */
export type TextGroup = Readonly<Record<string, string | boolean | undefined>>

/** A text as the index takes it. */
export interface IndexedText {
  /** Unique; a second text of the same id replaces the first. */
  id: string
  text: string
  /** Who said it; the name is searchable, and a query that names exactly one known author prefers what that author said. */
  author?: string | undefined
  /** Texts of one session are each other's context, in the order in which they were added; without one a text stands alone. */
  session?: string | undefined
  /** When it was said, in milliseconds since the epoch. */
  at: number
  /** In [0, 1]; default 0. */
  importance?: number
  /** What filters decide by; default nothing. */
  group?: TextGroup
  /** Since when and until when it is true, in milliseconds since the epoch; default always. */
  from?: number
  to?: number
}

/** Which texts a search may see. Everything else is as if it were not there, in the counts as in the hits. */
export interface IndexFilter {
  accepts(group: TextGroup): boolean
  /** The moment at which a text must be true, in milliseconds since the epoch; default now. */
  at?: number
  /** Names what it accepts: an index keeps what the filters of one key see from search to search. Default nothing is kept. */
  key?: string
  /** The only session that it may accept texts of, where that is known. */
  session?: string | undefined
}
