import { toWords } from '../../text/words.ts'
import { dateStems, dateStemsOfQuery } from './date-stems.ts'
import { toIndexStems } from './irregular-forms.ts'
import { largest } from './largest.ts'

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
}

/** The constants of the ranking. */
export interface RankingConstants {
  /** BM25: how fast more of the same word stops to count. */
  k1: number
  /** BM25: how far long texts are discounted. */
  b: number
  /** How much the words of the texts one, two, ... places away in the same session count. */
  neighbours: readonly number[]
  /** Weight of the whole session's score beside the text's own. */
  session: number
  /** Factor for texts of the one author that the query names. */
  author: number
  /** Factor for texts that end in a question mark: they ask for what the query asks for, and seldom hold it. */
  question: number
  /** What a text gets of the score of a question by another author that stands right before it. */
  reply: number
  /** Weight of recency, which halves every `recencyHalfLifeMs`. */
  recency: number
  recencyHalfLifeMs: number
  /** Weight of importance. */
  importance: number
}

/** Which texts a search may see. Everything else is as if it were not there, in the counts as in the hits. */
export interface IndexFilter {
  /** Names the filter: equal keys must accept equal texts, as long as the index is not touched. */
  key: string
  accepts(id: string): boolean
  /** Until when `accepts` gives the same answers, in milliseconds since the epoch; default for ever. */
  stableUntil?: number
}

/** A text that was found. */
export interface RankedText {
  id: string
  /** In [0, 1]: the sum of the parts over the most that it can be. */
  score: number
  /** `lexical`, `session`, `reply`, `author`, `recency`, `importance` add up to the score; `coverage` is the share of the query's information that the text itself holds. */
  parts: Record<string, number>
}

/** Texts next to each other as one filter sees them. */
interface View {
  readonly positions: Int32Array
  readonly ordinals: Int32Array
  /** Number of the session at each position. */
  readonly sessions: Int32Array
  /** 1 where the text before, of the same session, is another author's and asks something. */
  readonly replies: Uint8Array
  readonly lengths: Float64Array
  readonly averageLength: number
  readonly sessionLengths: Float64Array
  readonly averageSessionLength: number
  /** Numbers of the authors. */
  readonly authors: ReadonlySet<number>
  readonly stableUntil: number
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

const DAY_MS = 86_400_000
const KEPT_VIEWS = 8
/** Among fewer texts than this, how rare a word is here says little: coverage reckons with this many. */
const FEW_TEXTS = 50

/** Chosen on conversations of many months. */
export const RANKING: RankingConstants = {
  k1: 0.9,
  b: 0.4,
  neighbours: [0.5, 0.25],
  session: 0.3,
  author: 1.5,
  question: 0.85,
  reply: 0.3,
  recency: 0.05,
  recencyHalfLifeMs: 30 * DAY_MS,
  importance: 0.05,
}

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
  /** Of each entry its number of stems, -1 when it was removed, the number of its author, and whether it asks something: close together, to be read fast. */
  readonly #lengths: number[] = []
  readonly #writers: number[] = []
  readonly #asking: boolean[] = []
  readonly #ordinals = new Map<string, number>()
  readonly #postings = new Map<string, Posting>()
  readonly #sessions = new Map<string, number[]>()
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
    this.#lengths.push(length)
    this.#writers.push(by)
    this.#asking.push(text.text.includes('?'))
    this.#ordinals.set(text.id, ordinal)
    const session = sessionKey(text, ordinal)
    const members = this.#sessions.get(session)
    if (members === undefined) this.#sessions.set(session, [ordinal])
    else members.push(ordinal)
    this.touch()
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
    this.#lengths[ordinal] = -1
    this.#ordinals.delete(id)
    this.#gaps++
    this.touch()
    if (this.#gaps > 1024 && this.#gaps > this.size) this.#renumber()
    return true
  }

  /** Says that filters may answer differently from now on. */
  touch(): void {
    if (this.#views.size > 0) this.#views.clear()
  }

  /** The texts before and after a text in its session, as the filter sees it. */
  around(id: string, distance: number, filter?: IndexFilter): string[] {
    const ordinal = this.#ordinals.get(id)
    if (ordinal === undefined) return []
    const view = this.#view(filter, 0)
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
   * @param now milliseconds since the epoch, for recency
   * @returns at most `limit` texts, each of which shares a word with the query or stands beside one that does
   */
  search(query: string, options: { limit: number; now: number; filter?: IndexFilter | undefined }): RankedText[] {
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
    const view = this.#buildView(filter)
    this.#views.delete(key)
    this.#views.set(key, view)
    const oldest = this.#views.keys().next()
    if (this.#views.size > KEPT_VIEWS && oldest.done !== true) this.#views.delete(oldest.value)
    return view
  }

  #buildView(filter: IndexFilter | undefined): View {
    const positions = new Int32Array(this.#entries.length).fill(-1)
    const ordinals = new Int32Array(this.size)
    const sessions = new Int32Array(this.size)
    const own = new Float64Array(this.size)
    const replies = new Uint8Array(this.size)
    const sessionLengths: number[] = []
    const authors = new Set<number>()
    let count = 0
    for (const members of this.#sessions.values()) {
      let length = -1
      let before = -1
      for (const ordinal of members) {
        const size = this.#lengths[ordinal] ?? -1
        if (size < 0 || (filter !== undefined && !filter.accepts(this.#entries[ordinal]?.id ?? ''))) continue
        positions[ordinal] = count
        ordinals[count] = ordinal
        sessions[count] = sessionLengths.length
        own[count] = size
        const answers = this.#asking[before] === true && this.#writers[before] !== this.#writers[ordinal]
        replies[count] = answers ? 1 : 0
        before = ordinal
        length = Math.max(0, length) + size
        authors.add(this.#writers[ordinal] ?? 0)
        count++
      }
      if (length >= 0) sessionLengths.push(length)
    }
    const seen = sessions.subarray(0, count)
    const lengths = own.slice(0, count)
    this.constants.neighbours.forEach((share, index) => {
      for (let before = 0, after = index + 1; after < count; before++, after++) {
        if (seen[before] !== seen[after]) continue
        lengths[before] = (lengths[before] ?? 0) + share * (own[after] ?? 0)
        lengths[after] = (lengths[after] ?? 0) + share * (own[before] ?? 0)
      }
    })
    return {
      positions,
      ordinals: ordinals.subarray(0, count),
      sessions: seen,
      replies,
      lengths,
      averageLength: average(lengths),
      sessionLengths: Float64Array.from(sessionLengths),
      averageSessionLength: average(sessionLengths),
      authors,
      stableUntil: filter?.stableUntil ?? Number.POSITIVE_INFINITY,
    }
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
    this.#lengths.length = 0
    this.#writers.length = 0
    this.#asking.length = 0
    this.#ordinals.clear()
    this.#postings.clear()
    this.#sessions.clear()
    this.#gaps = 0
    for (const entry of entries) this.add(entry)
  }
}

const sessionKey = (text: IndexedText, ordinal: number): string =>
  text.session === undefined ? `alone ${ordinal}` : `session ${text.session}`

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

function average(values: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0
  return values.length === 0 ? 1 : sum / values.length || 1
}
