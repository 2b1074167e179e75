/** What filters decide by. Texts of equal groups are treated alike. */
export type TextGroup = Readonly<Record<string, string | boolean | undefined>>

interface Row {
  length: number
  writer: number
  asks: boolean
  session?: string | undefined
  group?: TextGroup
  from?: number
  to?: number
}

/**
 * What is read of every text whenever a view is built, column by column: numbers that lie close together are read many
 * times faster than fields of objects all over the memory.
 */
export class TextColumns {
  /** Number of stems; -1 where the text was removed. */
  readonly lengths: number[] = []
  /** Number of the author. */
  readonly writers: number[] = []
  /** Whether there is a question mark. */
  readonly asking: boolean[] = []
  /** Number of the session; a text without one has its own. */
  readonly sessions: number[] = []
  /** Number of the group. */
  readonly groups: number[] = []
  readonly from: number[] = []
  readonly to: number[] = []
  /** Groups by their number. */
  readonly known: TextGroup[] = []
  readonly #numbers = new Map<string, number>()
  readonly #sessionNumbers = new Map<string, number>()
  #sessionCount = 0

  push({ length, writer, asks, session, group, from, to }: Row): void {
    const ordinal = this.lengths.push(length) - 1
    this.writers.push(writer)
    this.asking.push(asks)
    this.sessions.push(this.#sessionNumberOf(session))
    this.set(ordinal, { ...(group && { group }), ...(from !== undefined && { from }), ...(to !== undefined && { to }) })
  }

  /** @returns whether that changed anything */
  set(ordinal: number, { group = {}, from, to }: Pick<Row, 'group' | 'from ' | 'to'>): boolean {
    const before = [this.groups[ordinal], this.from[ordinal], this.to[ordinal]]
    const now = [this.#numberOf(group), from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY]
    const [number = 0, since = 0, until = 0] = now
    this.groups[ordinal] = number
    this.from[ordinal] = since
    this.to[ordinal] = until
    return now.some((value, index) => value !== before[index])
  }

  blank(ordinal: number): void {
    this.lengths[ordinal] = -1
  }

  clear(): void {
    const { lengths, writers, asking, sessions, groups, from, to, known } = this
    for (const column of [lengths, writers, asking, sessions, groups, from, to, known]) column.length = 0
    this.#numbers.clear()
    this.#sessionNumbers.clear()
    this.#sessionCount = 0
  }

  #sessionNumberOf(session: string | undefined): number {
    const known = session === undefined ? undefined : this.#sessionNumbers.get(session)
    if (known !== undefined) return known
    if (session !== undefined) this.#sessionNumbers.set(session, this.#sessionCount)
    return this.#sessionCount++
  }

  #numberOf(group: TextGroup): number {
    const key = JSON.stringify(Object.entries(group).sort(([a], [b]) => (a < b ? -1 : 1)))
    const number = this.#numbers.get(key) ?? this.known.push(group) - 1
    this.#numbers.set(key, number)
    return number
  }
}
