import { AuthorNames } from './author-names.ts'
import { dateStems, dateStemsOfQuery } from './date-stems.ts'
import { type IndexFilter, IndexView, NONE } from './index-view.ts'
import { toIndexStems } from './irregular-forms.ts'
import { largest } from './largest.ts'
import { matchWords } from './match-words.ts'
import { findSorted, Postings } from './postings.ts'
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

/** A text with what is read of it for every search. */
interface Entry extends IndexedText {
  readonly endsAsking: boolean
  /** Number of its author, 0 for nobody. */
  readonly by: number
}

const KEPT_VIEWS = 8

/**
 * Finds texts by their words and by the words around them, without a model.
 *
 * BM25 over texts that borrow a share of their neighbours' words, plus the score of the session, of the question that a
 * text replies to, of the named author, of recency and of importance. Adding is incremental. Counts such as "how many
 * texts hold this word" are taken among the texts that a search may see, so that nothing of the others shows through, not
 * even in a score.
 */
export class ContextIndex {
  readonly constants: RankingConstants
  readonly #entries: (Entry | undefined)[] = []
  readonly #columns = new TextColumns()
  readonly #ordinals = new Map<string, number>()
  readonly #postings = new Postings()
  /** Ordinals of the texts of each named session, ascending. */
  readonly #sessions = new Map<string, number[]>()
  readonly #views = new Map<string, IndexView>()
  readonly #authors = new AuthorNames()
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
    for (const count of counts.values()) length += count
    this.#postings.add(ordinal, counts)
    const by = this.#authors.numberOf(text.author)
    this.#entries.push({ ...text, endsAsking: text.text.trimEnd().endsWith('?'), by })
    this.#columns.push({ length, writer: by, asks: text.text.includes('?'), ...text })
    this.#ordinals.set(text.id, ordinal)
    if (text.session !== undefined) {
      const members = this.#sessions.get(text.session)
      if (members === undefined) this.#sessions.set(text.session, [ordinal])
      else members.push(ordinal)
    }
    for (const [key, view] of this.#views) if (!view.note(ordinal)) this.#views.delete(key)
  }

  /** @returns whether there was such a text */
  remove(id: string): boolean {
    const ordinal = this.#ordinals.get(id)
    const entry = ordinal === undefined ? undefined : this.#entries[ordinal]
    if (ordinal === undefined || entry === undefined) return false
    this.#postings.remove(ordinal, countStems(entry).keys())
    const members = entry.session === undefined ? undefined : this.#sessions.get(entry.session)
    if (members !== undefined) members.splice(findSorted(members, ordinal), 1)
    if (entry.session !== undefined && members?.length === 0) this.#sessions.delete(entry.session)
    this.#entries[ordinal] = undefined
    this.#columns.blank(ordinal)
    this.#ordinals.delete(id)
    this.#gaps++
    this.#views.clear()
    if (this.#gaps > 1024 && this.#gaps > this.size) this.#renumber()
    return true
  }

  /** Changes what filters decide by and how important a text is. */
  update(id: string, change: Pick<IndexedText, 'group' | 'from ' | 'to' | 'importance'>): void {
    const ordinal = this.#ordinals.get(id)
    const entry = ordinal === undefined ? undefined : this.#entries[ordinal]
    if (ordinal === undefined || entry === undefined) return
    this.#entries[ordinal] = { ...entry, ...change }
    if (this.#columns.set(ordinal, change)) this.#views.clear()
  }

  /** The texts that a filter sees, in the order in which they were added. */
  visible({ now, filter }: Pick<SearchOptions, 'now' | 'filter'>): string[] {
    const { ordinals, size } = this.#view(filter, now)
    return Array.from({ length: size }, (_, position) => this.#entries[ordinals.at(position)]?.id ?? '')
  }

  /** The texts before and after a text in its session, as the filter sees it. */
  around(id: string, distance: number, { now, filter }: Pick<SearchOptions, 'now' | 'filter'>): string[] {
    const ordinal = this.#ordinals.get(id)
    if (ordinal === undefined) return []
    const view = this.#view(filter, now)
    const position = view.positionOf(ordinal)
    if (position === NONE) return []
    const found: string[] = []
    const walk = (link: IndexView['before']): string[] => {
      const ids: string[] = []
      for (let other = link.at(position), far = 1; other !== NONE && far <= distance; other = link.at(other), far++) {
        const neighbour = this.#entries[view.ordinals.at(other)]
        if (neighbour !== undefined) ids.push(neighbour.id)
      }
      return ids
    }
    found.push(...walk(view.before).reverse(), ...walk(view.after))
    return found
  }

  /**
   * The texts that fit a query best, best first.
   *
   * @returns at most `limit` texts, each of which shares a word with the query or stands beside one that does
   */
  search(query: string, options: SearchOptions): RankedText[] {
    const view = this.#view(options.filter, options.now)
    const count = view.size
    const weights = countWords([...toIndexStems(query), ...dateStemsOfQuery(query)])
    if (count === 0 || weights.size === 0) return []
    const { lexical, bySession, idfs } = matchWords(view, this.#postings, weights, this.constants)
    const most = maximum(lexical)
    if (most === 0) return []
    const mostOfSession = maximum(bySession) || 1
    const named = this.#authors.namedIn(query, view.authors)
    const { session, author, question, reply, recency, recencyHalfLifeMs, importance } = this.constants
    const ceiling = (1 + session + reply) * Math.max(1, author) + recency + importance
    const sessions = view.sessions.values
    const before = view.before.values
    const replies = view.replies.values
    const ordinals = view.ordinals.values
    const wordsOf = (position: number) => (lexical[position] ?? 0) / most
    const sessionOf = (position: number) => (session * (bySession[sessions[position] ?? 0] ?? 0)) / mostOfSession
    const replyOf = (position: number) => (replies[position] === 1 ? reply * wordsOf(before[position] ?? 0) : 0)
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
      const entry = base * reach + recency + importance < bar ? undefined : this.#entries[ordinals[position] ?? 0]
      scores[position] =
        entry === undefined
          ? 0
          : (base * factorOf(entry) + recencyOf(entry) + importance * (entry.importance ?? 0)) / ceiling
    }
    const found: RankedText[] = []
    for (const position of largest(scores, options.limit)) {
      const ordinal = ordinals[position] ?? 0
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

  /** Share of the query's information, in idf, that a text itself holds. */
  #coverage(ordinal: number, idfs: ReadonlyMap<string, number>): number {
    let held = 0
    let asked = 0
    for (const [stem, idf] of idfs) {
      asked += idf
      if (this.#postings.holds(stem, ordinal)) held += idf
    }
    return asked === 0 ? 0 : held / asked
  }

  #view(filter: IndexFilter | undefined, now: number): IndexView {
    const key = filter?.key ?? ''
    const at = filter?.at ?? now
    const kept = this.#views.get(key)
    if (kept?.refresh(at) === true) return kept
    const members = filter?.session === undefined ? undefined : (this.#sessions.get(filter.session) ?? [])
    const view = new IndexView(this.#columns, this.constants.neighbours, filter, at, members)
    this.#views.delete(key)
    this.#views.set(key, view)
    const oldest = this.#views.keys().next()
    if (this.#views.size > KEPT_VIEWS && oldest.done !== true) this.#views.delete(oldest.value)
    return view
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

function countStems(text: IndexedText): Map<string, number> {
  const stems = toIndexStems(text.author === undefined ? text.text : `${text.author} ${text.text}`)
  return countWords([...stems, ...dateStems(text.at)])
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function maximum(values: Float64Array): number {
  let most = 0
  for (const value of values) if (value > most) most = value
  return most
}
