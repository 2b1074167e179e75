/** What filters decide by. Texts of equal groups are treated alike. */
export type TextGroup = Readonly<Record<string, string | boolean | undefined>>

interface Row {
  length: number
  writer: number
  asks: boolean
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
  /** Number of the group. */
  readonly groups: number[] = []
  readonly from: number[] = []
  readonly to: number[] = []
  /** Groups by their number. */
  readonly known: TextGroup[] = []
  readonly #numbers = new Map<string, number>()

  push({ length, writer, asks, group, from, to }: Row): void {
    const ordinal = this.lengths.push(length) - 1
    this.writers.push(writer)
    this.asking.push(asks)
    this.set(ordinal, { ...(group && { group }), ...(from !== undefined && { from }), ...(to !== undefined && { to }) })
  }

  set(ordinal: number, { group = {}, from, to }: Pick<Row, 'group' | 'from' | 'to'>): void {
    this.groups[ordinal] = this.#numberOf(group)
    this.from[ordinal] = from ?? Number.NEGATIVE_INFINITY
    this.to[ordinal] = to ?? Number.POSITIVE_INFINITY
  }

  blank(ordinal: number): void {
    this.lengths[ordinal] = -1
  }

  clear(): void {
    const all = [this.lengths, this.writers, this.asking, this.groups, this.from, this.to, this.known]
    for (const column of all) column.length = 0
    this.#numbers.clear()
  }

  #numberOf(group: TextGroup): number {
    const key = JSON.stringify(Object.entries(group).sort(([a], [b]) => (a < b ? -1 : 1)))
    const number = this.#numbers.get(key) ?? this.known.push(group) - 1
    this.#numbers.set(key, number)
    return number
  }
}
