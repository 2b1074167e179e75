import type { IndexFilter, TextGroup } from './indexed-text.ts'

/** A text in the index. */
export interface TextEntry {
  readonly id: string
  /** Ascends in the order in which texts were added. */
  readonly order: number
  readonly session: string
  readonly author: string | undefined
  readonly at: number
  /** Its stems, each once, and how many there are with repetitions. */
  readonly stems: readonly string[]
  readonly length: number
  /** Whether there is a question mark, and whether the text ends in one. */
  readonly asks: boolean
  readonly endsAsking: boolean
  group: TextGroup
  importance: number
  from: number
  to: number
  /** Where it stands in the view of the last search that saw it. */
  place: number
}

/** What one search may see: its texts, session by session, so that neighbours stand side by side. */
export interface View {
  readonly texts: readonly TextEntry[]
  /** Number of each text's session. */
  readonly sessions: readonly number[]
  /** Stems of each text with those that it borrows, and of each session. */
  readonly lengths: readonly number[]
  readonly sessionLengths: readonly number[]
  readonly authors: ReadonlySet<string>
}

/** Whether a search at a moment may see a text. */
export function isSeen({ group, from, to }: TextEntry, now: number, filter: IndexFilter | undefined): boolean {
  const at = filter?.at ?? now
  return from <= at && to > at && (filter === undefined || filter.accepts(group))
}

/** @param neighbours how much texts borrow from those one, two, ... places away */
export function createView(
  members: Iterable<readonly TextEntry[]>,
  now: number,
  filter: IndexFilter | undefined,
  neighbours: readonly number[],
): View {
  const texts: TextEntry[] = []
  const sessions: number[] = []
  const lengths: number[] = []
  const sessionLengths: number[] = []
  const authors = new Set<string>()
  for (const session of members) {
    const number = sessionLengths.length
    let sessionLength = 0
    for (const text of session) {
      if (!isSeen(text, now, filter)) continue
      const place = texts.push(text) - 1
      text.place = place
      sessions.push(number)
      if (text.author !== undefined) authors.add(text.author)
      sessionLength += text.length
      let length = text.length
      for (let away = 1; away <= neighbours.length && sessions[place - away] === number; away++) {
        const other = place - away
        const share = neighbours[away - 1] ?? 0
        length += share * (texts[other]?.length ?? 0)
        lengths[other] = (lengths[other] ?? 0) + share * text.length
      }
      lengths.push(length)
    }
    if (sessionLength > 0) sessionLengths.push(sessionLength)
  }
  return { texts, sessions, lengths, sessionLengths, authors }
}
