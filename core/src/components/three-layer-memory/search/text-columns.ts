import type { IndexFilter, TextGroup } from './indexed-text.ts'

/** A text without its words. */
export interface TextRow {
  readonly id: string
  readonly session: string | undefined
  readonly group: TextGroup
  /** Number of its author, 0 for nobody. */
  readonly author: number
  /** Number of its stems. */
  readonly length: number
  readonly at: number
  readonly importance: number
  readonly from: number
  readonly to: number
  /** Whether there is a question mark, and whether the text ends in one. */
  readonly asks: boolean
  readonly endsAsking: boolean
}

const FIRST_CAPACITY = 64
/** No text. */
export const NONE = -1
/** In `questions`. */
export const ASKS = 1
export const ENDS_ASKING = 2

/** How much a search sees. */
export interface View {
  readonly key: string
  /** Whether the filter accepts each group, as far as it was asked. */
  readonly accepted: boolean[]
  /** Numbers of the authors. */
  readonly authors: Set<number>
  texts: number
  sessions: number
  /** Stems of all texts, with those that they borrow and without. */
  length: number
  sessionLength: number
  /** The same texts are true from the one moment on, and before the other. */
  since: number
  until: number
  /** The first text that was not looked at yet. */
  next: number
}

/**
 * What a search reads of every text, each field in an array of its own, by the number of the text. Numbers ascend in the
 * order in which texts were added. A loop over fields of objects takes four times as long among 50,000 texts.
 */
export class TextColumns {
  rows: (TextRow | undefined)[] = []
  groups: Int32Array = new Int32Array(FIRST_CAPACITY)
  /** Numbers of the sessions; a text without one has its own. */
  sessions: Int32Array = new Int32Array(FIRST_CAPACITY)
  authors: Int32Array = new Int32Array(FIRST_CAPACITY)
  /** Numbers of stems. */
  sizes: Int32Array = new Int32Array(FIRST_CAPACITY)
  importances: Float64Array = new Float64Array(FIRST_CAPACITY)
  times: Float64Array = new Float64Array(FIRST_CAPACITY)
  /** 1 for a text with a question mark, 2 more for one that ends in it. */
  questions: Uint8Array = new Uint8Array(FIRST_CAPACITY)
  from: Float64Array = new Float64Array(FIRST_CAPACITY)
  to: Float64Array = new Float64Array(FIRST_CAPACITY)
  /** What the search under way may see: 1 for each text that it may, its neighbours among those, and its length with what it borrows. */
  seen: Uint8Array = new Uint8Array(FIRST_CAPACITY)
  before: Int32Array = new Int32Array(FIRST_CAPACITY)
  after: Int32Array = new Int32Array(FIRST_CAPACITY)
  lengths: Float64Array = new Float64Array(FIRST_CAPACITY)
  /** The same of sessions: their last text and their length. */
  lastOf: Int32Array = new Int32Array(FIRST_CAPACITY)
  sessionLengths: Float64Array = new Float64Array(FIRST_CAPACITY)
  /** Scores of the search under way, of texts and of sessions; 0 between searches. */
  words: Float64Array = new Float64Array(FIRST_CAPACITY)
  frequencies: Float64Array = new Float64Array(FIRST_CAPACITY)
  sessionWords: Float64Array = new Float64Array(FIRST_CAPACITY)
  sessionFrequencies: Float64Array = new Float64Array(FIRST_CAPACITY)
  readonly #members = new Map<string, number[]>()
  readonly #knownGroups: TextGroup[] = []
  readonly #groupNumbers = new Map<string, number>()
  #sessionCount = 0
  #view = newView(undefined)

  get size(): number {
    return this.rows.length
  }

  push(row: TextRow): void {
    const text = this.rows.push(row) - 1
    if (text >= this.groups.length) this.#grow()
    const members = row.session === undefined ? undefined : this.#members.get(row.session)
    const [first] = members ?? []
    const session = first === undefined ? this.#sessionCount++ : (this.sessions[first] ?? 0)
    this.sessions[text] = session
    if (first === undefined) this.lastOf[session] = NONE
    this.seen[text] = 0
    if (members !== undefined) members.push(text)
    else if (row.session !== undefined) this.#members.set(row.session, [text])
    this.authors[text] = row.author
    this.sizes[text] = row.length
    this.questions[text] = (row.asks ? ASKS : 0) + (row.endsAsking ? ENDS_ASKING : 0)
    this.#put(text, row)
  }

  /** Changes what decides whether a search may see a text. */
  update(text: number, change: Partial<Pick<TextRow, 'group' | 'from' | 'to' | 'importance'>>): void {
    const row = this.rows[text]
    if (row === undefined) return
    const changed = { ...row, ...change }
    this.rows[text] = changed
    this.#put(text, changed)
    this.#view = newView(undefined)
  }

  /** The texts of a session, removed ones among them; of a text without a session nobody knows others. */
  membersOf(session: string | undefined): readonly number[] {
    return session === undefined ? [] : (this.#members.get(session) ?? [])
  }

  remove(text: number): void {
    this.rows[text] = undefined
    this.#view = newView(undefined)
  }

  /** Closes the gaps. @returns the new number of each text, -1 where it was removed */
  compact(): Int32Array {
    this.#view = newView(undefined)
    const rows = this.rows
    const moved = new Int32Array(rows.length).fill(NONE)
    this.rows = []
    this.#members.clear()
    this.#knownGroups.length = 0
    this.#groupNumbers.clear()
    this.#sessionCount = 0
    rows.forEach((row, text) => {
      if (row === undefined) return
      moved[text] = this.rows.length
      this.push(row)
    })
    return moved
  }

  /**
   * Marks what a search may see, links it within its sessions, and adds up the lengths. Where the last search had the same
   * filter, only the texts that were added since are looked at.
   *
   * @param at the moment at which texts must be true
   * @param neighbours how much texts borrow from those one, two, ... places away
   */
  look(filter: IndexFilter | undefined, at: number, neighbours: readonly number[]): View {
    const view = this.#isStill(filter, at) ? this.#view : newView(filter)
    this.#view = view
    const { from, to, groups, sessions, authors, sizes, seen, before, after, lengths, lastOf, sessionLengths } = this
    const { accepted } = view
    const members = filter?.session === undefined ? undefined : this.membersOf(filter.session)
    const count = members?.length ?? this.size
    if (view.next === 0) {
      seen.fill(0, 0, this.size)
      lastOf.fill(NONE)
    }
    for (; view.next < count; view.next++) {
      const text = members === undefined ? view.next : (members[view.next] ?? 0)
      const group = groups[text] ?? 0
      accepted[group] ??= filter === undefined || filter.accepts(this.#knownGroups[group] ?? {})
      seen[text] = 0
      if (accepted[group] === false || this.rows[text] === undefined) continue
      for (const turn of [from[text] ?? 0, to[text] ?? 0]) {
        if (turn > at) view.until = Math.min(view.until, turn)
        else view.since = Math.max(view.since, turn)
      }
      if ((from[text] ?? 0) > at || (to[text] ?? 0) <= at) continue
      const session = sessions[text] ?? 0
      const size = sizes[text] ?? 0
      const previous = lastOf[session] ?? NONE
      if (previous === NONE) {
        view.sessions++
        sessionLengths[session] = 0
      } else after[previous] = text
      seen[text] = 1
      view.texts++
      before[text] = previous
      after[text] = NONE
      lastOf[session] = text
      sessionLengths[session] = (sessionLengths[session] ?? 0) + size
      view.sessionLength += size
      view.length += size
      lengths[text] = size
      let other = previous
      for (let place = 0; place < neighbours.length && other !== NONE; place++) {
        const share = neighbours[place] ?? 0
        const lent = share * (sizes[other] ?? 0)
        lengths[text] = (lengths[text] ?? 0) + lent
        lengths[other] = (lengths[other] ?? 0) + share * size
        view.length += lent + share * size
        other = before[other] ?? NONE
      }
      view.authors.add(authors[text] ?? 0)
    }
    return view
  }

  #isStill(filter: IndexFilter | undefined, at: number): boolean {
    const { key, since, until } = this.#view
    return key === (filter?.key ?? '') && at >= since && at < until
  }

  #put(text: number, { group, from, to, importance, at }: TextRow): void {
    const key = JSON.stringify(Object.entries(group).sort(([a], [b]) => (a < b ? -1 : 1)))
    const number = this.#groupNumbers.get(key) ?? this.#knownGroups.push(group) - 1
    this.#groupNumbers.set(key, number)
    this.groups[text] = number
    this.from[text] = from
    this.to[text] = to
    this.importances[text] = importance
    this.times[text] = at
  }

  #grow(): void {
    const ints = (old: Int32Array): Int32Array => copyInto(new Int32Array(2 * old.length), old)
    const floats = (old: Float64Array): Float64Array => copyInto(new Float64Array(2 * old.length), old)
    this.groups = ints(this.groups)
    this.sessions = ints(this.sessions)
    this.authors = ints(this.authors)
    this.sizes = ints(this.sizes)
    this.importances = floats(this.importances)
    this.times = floats(this.times)
    this.questions = copyInto(new Uint8Array(2 * this.questions.length), this.questions)
    this.from = floats(this.from)
    this.to = floats(this.to)
    this.seen = copyInto(new Uint8Array(2 * this.seen.length), this.seen)
    this.before = ints(this.before)
    this.after = ints(this.after)
    this.lengths = floats(this.lengths)
    this.lastOf = ints(this.lastOf)
    this.sessionLengths = floats(this.sessionLengths)
    this.words = floats(this.words)
    this.frequencies = floats(this.frequencies)
    this.sessionWords = floats(this.sessionWords)
    this.sessionFrequencies = floats(this.sessionFrequencies)
  }
}

function copyInto<T extends Int32Array | Float64Array | Uint8Array>(larger: T, old: T): T {
  larger.set(old)
  return larger
}

const newView = (filter: IndexFilter | undefined): View => ({
  key: filter?.key ?? '',
  accepted: [],
  authors: new Set(),
  texts: 0,
  sessions: 0,
  length: 0,
  sessionLength: 0,
  since: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  next: 0,
})
