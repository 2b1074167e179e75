import { toWords } from '../../text/words.ts'
import { dateStems, dateStemsOfQuery } from './date-stems.ts'
import { buildView, type IndexFilter, type View } from './index-view.ts'
import { toIndexStems } from './irregular-forms.ts'
import { largest } from './largest.ts'
import { RANKING, type RankingConstants } from './ranking.ts'
import { TextColumns, type TextGroup } from './text-columns.ts'

/** A text as the index sees it. */
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

export interface SearchOptions {
  /** Most texts. */
  limit: number
  /** Milliseconds since the epoch: for recency, and for what is true now. */
  now: number
  filter?: IndexFilter | undefined
}

/** A text that was found. */
export interface RankedText {
  id: string
  /** In [0, 1]: the sum of the parts over the most that it can be. */
  score: number
  /** `lexical`, `session`, `reply`, `author`, `recency`, `importance` add up to the score; `coverage` is the share of the query's information that the text itself holds. */
  parts: Record<string, number>
}

interface Entry extends IndexedText {
  /** Whether it ends in a question mark. */
  readonly endsAsking: boolean
  /** Number of its author, 0 for nobody. */
  readonly by: number
}

interface Posting {
  /** Ascending. */
  readonly ordinals: number[]
  readonly counts: number[]
}

const KEPT_VIEWS = 8
/** Among fewer texts than this, how rare a word is here says little: coverage reckons with this many. */
const FEW_TEXTS = 50

/**
 * Finds texts by their words and by the words around them, without a model.
 *
 * BM25 (Robertson and Zaragoza, 2009) over texts that borrow a share of their neighbours' words, plus the score of the
 * session, of the named author, of recency and of importance. Adding and removing is incremental. Counts such as "how
 * many texts hold this word" are taken among the texts that a search may see, so that nothing of the others shows
 * through, not even in a score.
 */
export class ContextIndex {
  readonly constants: RankingConstants
  readonly #entries: (Entry | undefined)[] = []
  readonly #columns = new TextColumns()
  readonly #ordinals = new Map<string, number>()
  readonly #postings = new Map<string, Posting>()
  readonly #sessions = new Map<string | number, number[]>()
  readonly #views = new Map<string, View>()
  /** Authors by name, and the words of their names by number. */
  readonly #authors = new Map<string, number>()
  readonly #names: string[][] = [[]]
  #gaps = 0

  constructor(constants: Partial<RankingConstants> = {}) {
    this.constants = { ...RANKING, ...constants }
  }

  /** Number of texts. */
  get size(): number {
    return this.#ordinals.size
  }

  add(text: IndexedText): void {
    if (this.#ordinals.has(text.id)) this.remove(text.id)
    const ordinal = this.#entries.length
    const counts = countStems(text)
    let length = 0
    for (const [stem, count] of counts) {
      length += count
      const posting = this.#postings.get(stem) ?? { ordinals: [], counts: [] }
      if (posting.ordinals.length === 0) this.#postings.set(stem, posting)
      posting.ordinals.push(ordinal)
      posting.counts.push(count)
    }
    const by = this.#authorOf(text.author)
    this.#entries.push({ ...text, endsAsking: text.text.trimEnd().endsWith('?'), by })
    this.#columns.push({ length, writer: by, asks: text.text.includes('?'), ...text })
    this.#ordinals.set(text.id, ordinal)
    const session = sessionKey(text, ordinal)
    const members = this.#sessions.get(session)
    if (members === undefined) this.#sessions.set(session, [ordinal])
    else members.push(ordinal)
    this.#views.clear()
  }

  /** @returns whether there was such a text */
  remove(id: string): boolean {
    const ordinal = this.#ordinals.get(id)
    const entry = ordinal === undefined ? undefined : this.#entries[ordinal]
    if (ordinal === undefined || entry === undefined) return false
    for (const stem of countStems(entry).keys()) {
      const posting = this.#postings.get(stem)
      if (posting === undefined) continue
      const at = findSorted(posting.ordinals, ordinal)
      if (at < 0) continue
      posting.ordinals.splice(at, 1)
      posting.counts.splice(at, 1)
      if (posting.ordinals.length === 0) this.#postings.delete(stem)
    }
    const session = sessionKey(entry, ordinal)
    const members = this.#sessions.get(session)
    if (members !== undefined) {
      members.splice(findSorted(members, ordinal), 1)
      if (members.length === 0) this.#sessions.delete(session)
    }
    this.#entries[ordinal] = undefined
    this.#columns.blank(ordinal)
    this.#ordinals.delete(id)
    this.#gaps++
    this.#views.clear()
    if (this.#gaps > 1024 && this.#gaps > this.size) this.#renumber()
    return true
  }

  /** Changes what filters decide by and how important a text is. */
  update(id: string, change: Pick<IndexedText, 'group' | 'from' | 'to' | 'importance'>): void {
    const ordinal = this.#ordinals.get(id)
    const entry = ordinal === undefined ? undefined : this.#entries[ordinal]
    if (ordinal === undefined || entry === undefined) return
    this.#entries[ordinal] = { ...entry, ...change }
    this.#columns.set(ordinal, change)
    this.#views.clear()
  }

  /** The texts before and after a text in its session, as the filter sees it. */
  around(id: string, distance: number, { now, filter }: Pick<SearchOptions, 'now' | 'filter'>): string[] {
    const ordinal = this.#ordinals.get(id)
    if (ordinal === undefined) return []
    const view = this.#view(filter, now)
    const position = view.positions[ordinal] ?? -1
    if (position < 0) return []
    const found: string[] = []
    for (let other = position - distance; other <= position + distance; other++) {
      if (other === position || view.sessions[other] !== view.sessions[position]) continue
      const neighbour = this.#entries[view.ordinals[other] ?? -1]
      if (neighbour !== undefined) found.push(neighbour.id)
    }
    return found
  }

  /**
   * The texts that fit a query best, best first.
   *
   * @returns at most `limit` texts, each of which shares a word with the query or stands beside one that does
   */
  search(query: string, options: SearchOptions): RankedText[] {
    const view = this.#view(options.filter, options.now)
    const count = view.ordinals.length
    const weights = countWords([...toIndexStems(query), ...dateStemsOfQuery(query)])
    if (count === 0 || weights.size === 0) return []
    const { lexical, bySession, idfs } = this.#match(view, weights)
    const most = maximum(lexical)
    if (most === 0) return []
    const mostOfSession = maximum(bySession) || 1
    const named = this.#namedAuthor(view, query)
    const { session, author, question, reply, recency, recencyHalfLifeMs, importance } = this.constants
    const ceiling = (1 + session + reply) * Math.max(1, author) + recency + importance
    const wordsOf = (position: number) => (lexical[position] ?? 0) / most
    const sessionOf = (position: number) => (session * (bySession[view.sessions[position] ?? 0] ?? 0)) / mostOfSession
    const replyOf = (position: number) => (view.replies[position] === 1 ? reply * wordsOf(position - 1) : 0)
    const baseOf = (position: number) => wordsOf(position) + sessionOf(position) + replyOf(position)
    const factorOf = (entry: Entry) => (entry.by === named ? author : 1) * (entry.endsAsking ? question : 1)
    const recencyOf = (entry: Entry) => recency * 2 ** (-Math.max(0, options.now - entry.at) / recencyHalfLifeMs)
    // Most texts cannot reach the best `limit` whatever their author and age: only the others are looked at closely.
    const scores = new Float64Array(count)
    for (let position = 0; position < count; position++) {
      if (lexical[position] !== 0) scores[position] = baseOf(position)
    }
    const last = largest(scores, options.limit).at(-1)
    const bar = last === undefined ? 0 : (scores[last] ?? 0) * Math.min(1, author, question)
    const reach = Math.max(1, author) * Math.max(1, question)
    for (let position = 0; position < count; position++) {
      const base = scores[position] ?? 0
      if (base === 0) continue
      const entry = base * reach + recency + importance < bar ? undefined : this.#entries[view.ordinals[position] ?? 0]
      scores[position] =
        entry === undefined
          ? 0
          : (base * factorOf(entry) + recencyOf(entry) + importance * (entry.importance ?? 0)) / ceiling
    }
    const found: RankedText[] = []
    for (const position of largest(scores, options.limit)) {
      const ordinal = view.ordinals[position] ?? 0
      const entry = this.#entries[ordinal]
      if (entry === undefined) continue
      const parts = {
        lexical: wordsOf(position) / ceiling,
        session: sessionOf(position) / ceiling,
        reply: replyOf(position) / ceiling,
        author: (baseOf(position) * (factorOf(entry) - 1)) / ceiling,
        recency: recencyOf(entry) / ceiling,
        importance: (importance * (entry.importance ?? 0)) / ceiling,
        coverage: this.#coverage(ordinal, idfs),
      }
      found.push({ id: entry.id, score: Math.min(1, scores[position] ?? 0), parts })
    }
    return found
  }

  /** BM25 of every position and of every session. */
  #match(view: View, weights: ReadonlyMap<string, number>) {
    const { k1, b, neighbours } = this.constants
    const reach = neighbours.length
    const shares = Float64Array.from([...neighbours.toReversed(), 1, ...neighbours])
    const count = view.ordinals.length
    const sessionCount = view.sessionLengths.length
    const lexical = new Float64Array(count)
    const bySession = new Float64Array(sessionCount)
    const frequency = new Float64Array(count)
    const sessionFrequency = new Float64Array(sessionCount)
    const idfs = new Map<string, number>()
    const touched = new Int32Array(count)
    const touchedSessions = new Int32Array(sessionCount)
    for (const [stem, weight] of weights) {
      const posting = this.#postings.get(stem)
      let holding = 0
      let sessionsHolding = 0
      for (let index = 0; posting !== undefined && index < posting.ordinals.length; index++) {
        const position = view.positions[posting.ordinals[index] ?? 0] ?? -1
        if (position < 0) continue
        const times = posting.counts[index] ?? 0
        const session = view.sessions[position] ?? 0
        if (sessionFrequency[session] === 0) touchedSessions[sessionsHolding++] = session
        sessionFrequency[session] = (sessionFrequency[session] ?? 0) + times
        for (let other = position - reach; other <= position + reach; other++) {
          if (view.sessions[other] !== session) continue
          if (frequency[other] === 0) touched[holding++] = other
          frequency[other] = (frequency[other] ?? 0) + times * (shares[other - position + reach] ?? 0)
        }
      }
      const idf = idfOf(count, holding)
      idfs.set(stem, weight * idfOf(Math.max(count, FEW_TEXTS), holding))
      for (let index = 0; index < holding; index++) {
        const position = touched[index] ?? 0
        const times = frequency[position] ?? 0
        const norm = k1 * (1 - b + (b * (view.lengths[position] ?? 0)) / view.averageLength)
        lexical[position] = (lexical[position] ?? 0) + (weight * idf * times * (k1 + 1)) / (times + norm)
        frequency[position] = 0
      }
      const sessionIdf = idfOf(sessionCount, sessionsHolding)
      for (let index = 0; index < sessionsHolding; index++) {
        const session = touchedSessions[index] ?? 0
        const times = sessionFrequency[session] ?? 0
        const norm = k1 * (1 - b + (b * (view.sessionLengths[session] ?? 0)) / view.averageSessionLength)
        bySession[session] = (bySession[session] ?? 0) + (weight * sessionIdf * times * (k1 + 1)) / (times + norm)
        sessionFrequency[session] = 0
      }
    }
    return { lexical, bySession, idfs }
  }

  /** Share of the query's information, in idf, that a text itself holds. */
  #coverage(ordinal: number, idfs: ReadonlyMap<string, number>): number {
    let held = 0
    let asked = 0
    for (const [stem, idf] of idfs) {
      asked += idf
      if (findSorted(this.#postings.get(stem)?.ordinals ?? [], ordinal) >= 0) held += idf
    }
    return asked === 0 ? 0 : held / asked
  }

  #view(filter: IndexFilter | undefined, now: number): View {
    const key = filter?.key ?? ''
    const kept = this.#views.get(key)
    if (kept !== undefined && now < kept.stableUntil) return kept
    const view = buildView(this.#columns, this.#sessions, this.constants.neighbours, now, filter)
    this.#views.delete(key)
    this.#views.set(key, view)
    const oldest = this.#views.keys().next()
    if (this.#views.size > KEPT_VIEWS && oldest.done !== true) this.#views.delete(oldest.value)
    return view
  }

  #authorOf(name: string | undefined): number {
    if (name === undefined) return 0
    let number = this.#authors.get(name)
    if (number === undefined) {
      number = this.#names.push(toWords(name)) - 1
      this.#authors.set(name, number)
    }
    return number
  }

  /** The author whose whole name is in the query, when there is exactly one; -1 otherwise. */
  #namedAuthor(view: View, query: string): number {
    const words = new Set(toWords(query))
    let named = -1
    for (const author of view.authors) {
      const name = this.#names[author] ?? []
      if (name.length === 0 || !name.every((word) => words.has(word))) continue
      if (named >= 0) return -1
      named = author
    }
    return named
  }

  /** Closes the gaps that removed texts left. */
  #renumber(): void {
    const entries = this.#entries.filter((entry) => entry !== undefined)
    this.#entries.length = 0
    this.#columns.clear()
    this.#ordinals.clear()
    this.#postings.clear()
    this.#sessions.clear()
    this.#gaps = 0
    for (const entry of entries) this.add(entry)
  }
}

/** A text without a session is a session of its own. */
const sessionKey = (text: IndexedText, ordinal: number): string | number => text.session ?? ordinal

const idfOf = (total: number, holding: number): number => Math.log(1 + (total - holding + 0.5) / (holding + 0.5))

function countStems(text: IndexedText): Map<string, number> {
  const stems = toIndexStems(text.author === undefined ? text.text : `${text.author} ${text.text}`)
  return countWords([...stems, ...dateStems(text.at)])
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function findSorted(sorted: readonly number[], wanted: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const value = sorted[middle] ?? 0
    if (value === wanted) return middle
    if (value < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}

function maximum(values: Float64Array): number {
  let most = 0
  for (const value of values) if (value > most) most = value
  return most
}
