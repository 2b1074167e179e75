import { GrowingFloats, GrowingInts } from './growing-array.ts'
import type { TextColumns, TextGroup } from './text-columns.ts'

/** Which texts a search may see. Everything else is as if it were not there, in the counts as in the hits. */
export interface IndexFilter {
  /** Names the filter, whatever its moment: equal keys must accept equal groups. */
  key: string
  accepts(group: TextGroup): boolean
  /** The moment at which a text must be true, in milliseconds since the epoch; default now. */
  at?: number
  /** The only session that it may accept texts of, where that is known. */
  session?: string | undefined
}

/** More texts than this are not added one by one. */
const MOST_WAITING = 4096
/** No text, no session. */
export const NONE = -1

/**
 * The texts that one filter sees, each at a position in the order in which they were added, linked with those before and
 * after it in its session. Texts that are added later are taken up when the view is next used.
 */
export class IndexView {
  /** Position of each ordinal, -1 or nothing where the filter does not see the text. */
  readonly positions = new GrowingInts()
  /** Ordinal of the text at each position. */
  readonly ordinals = new GrowingInts()
  /** Number of the session at each position, counted among those that the filter sees. */
  readonly sessions = new GrowingInts()
  /** Position of the text before and after in the same session. */
  readonly before = new GrowingInts()
  readonly after = new GrowingInts()
  /** 1 where the text before, of the same session, is another author's and asks something. */
  readonly replies = new GrowingInts()
  /** Stems of each text with those that it borrows from its neighbours. */
  readonly lengths = new GrowingFloats()
  readonly sessionLengths = new GrowingFloats()
  /** Numbers of the authors. */
  readonly authors = new Set<number>()
  readonly #columns: TextColumns
  readonly #neighbours: readonly number[]
  readonly #filter: IndexFilter | undefined
  /** Number in this view, and last position, of each session by its number in the columns. */
  readonly #localSessions = new GrowingInts()
  readonly #lastOfSession = new GrowingInts()
  /** Whether the filter accepts each group. */
  readonly #accepted: boolean[] = []
  readonly #waiting: number[] = []
  /** The same texts are true from the one moment on, and before the other. */
  #stableFrom = Number.NEGATIVE_INFINITY
  #stableUntil = Number.POSITIVE_INFINITY
  #length = 0
  #sessionLength = 0

  /**
   * @param ordinals of the texts to look at, ascending; default all
   * @param neighbours how much texts borrow from those one, two, ... places away
   * @param at the moment at which the texts must be true, in milliseconds since the epoch
   */
  constructor(
    columns: TextColumns,
    neighbours: readonly number[],
    filter: IndexFilter | undefined,
    at: number,
    ordinals?: readonly number[],
  ) {
    this.#columns = columns
    this.#neighbours = neighbours
    this.#filter = filter
    const count = ordinals?.length ?? columns.lengths.length
    for (let index = 0; index < count; index++) this.#take(ordinals === undefined ? index : (ordinals[index] ?? 0), at)
  }

  get size(): number {
    return this.ordinals.size
  }

  get averageLength(): number {
    return this.size === 0 ? 1 : this.#length / this.size || 1
  }

  get averageSessionLength(): number {
    return this.sessionLengths.size === 0 ? 1 : this.#sessionLength / this.sessionLengths.size || 1
  }

  /** Position of a text, -1 where the filter does not see it. */
  positionOf(ordinal: number): number {
    return this.positions.at(ordinal, NONE)
  }

  /** Notes a new text. @returns false when there are so many that the view is better built again */
  note(ordinal: number): boolean {
    return this.#waiting.push(ordinal) <= MOST_WAITING
  }

  /** Takes up what was noted. @returns false when other texts are true at that moment */
  refresh(at: number): boolean {
    if (at < this.#stableFrom || at >= this.#stableUntil) return false
    for (const ordinal of this.#waiting) this.#take(ordinal, at)
    this.#waiting.length = 0
    return true
  }

  #take(ordinal: number, at: number): void {
    const { lengths, groups, known, from, to } = this.#columns
    const size = lengths[ordinal] ?? NONE
    if (size < 0 || !this.#accepts(groups[ordinal] ?? 0, known)) return
    const since = from[ordinal] ?? 0
    const until = to[ordinal] ?? 0
    this.#turnsAt(since, at)
    this.#turnsAt(until, at)
    if (since <= at && until > at) this.#append(ordinal, size)
  }

  #turnsAt(turn: number, at: number): void {
    if (turn > at) this.#stableUntil = Math.min(this.#stableUntil, turn)
    else this.#stableFrom = Math.max(this.#stableFrom, turn)
  }

  #accepts(group: number, known: readonly TextGroup[]): boolean {
    const decided = this.#accepted[group]
    if (decided !== undefined) return decided
    const accepted = this.#filter === undefined || this.#filter.accepts(known[group] ?? {})
    this.#accepted[group] = accepted
    return accepted
  }

  #append(ordinal: number, size: number): void {
    const { sessions, writers, asking } = this.#columns
    const position = this.size
    const session = sessions[ordinal] ?? 0
    let local = this.#localSessions.at(session, NONE)
    if (local === NONE) {
      local = this.sessionLengths.size
      this.#localSessions.set(session, local, NONE)
      this.sessionLengths.set(local, 0)
    }
    const previous = this.#lastOfSession.at(session, NONE)
    this.#lastOfSession.set(session, position, NONE)
    this.positions.set(ordinal, position, NONE)
    this.ordinals.set(position, ordinal)
    this.sessions.set(position, local)
    this.before.set(position, previous)
    this.after.set(position, NONE)
    if (previous !== NONE) this.after.set(previous, position)
    const asked = previous === NONE ? NONE : this.ordinals.at(previous)
    this.replies.set(position, asking[asked] === true && writers[asked] !== writers[ordinal] ? 1 : 0)
    this.authors.add(writers[ordinal] ?? 0)
    this.sessionLengths.set(local, this.sessionLengths.at(local) + size)
    this.#sessionLength += size
    this.lengths.set(position, size)
    this.#length += size
    let other = previous
    for (const share of this.#neighbours) {
      if (other === NONE) break
      const lent = share * (this.#columns.lengths[this.ordinals.at(other)] ?? 0)
      this.lengths.set(position, this.lengths.at(position) + lent)
      this.lengths.set(other, this.lengths.at(other) + share * size)
      this.#length += lent + share * size
      other = this.before.at(other)
    }
  }
}
