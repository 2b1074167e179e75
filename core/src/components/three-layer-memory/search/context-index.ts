import { AuthorNames } from './author-names.ts'
import { bestOf } from './best-of.ts'
import { dateStems, dateStemsOfQuery } from './date-stems.ts'
import type { IndexedText, IndexFilter } from './indexed-text.ts'
import { toIndexStems } from './irregular-forms.ts'
import { RANKING, type RankingConstants } from './ranking.ts'
import { scoreWords } from './score-words.ts'
import { ASKS, ENDS_ASKING, NONE, TextColumns, type TextRow } from './text-columns.ts'

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
  /** `lexical`, `session`, `reply`, `author`, `recency`, `importance` add up to the score; `stems` is how many of the query's stems the text itself holds, `weight` their information in nats, `coverage` its share of all. */
  parts: Record<string, number>
}

/** Recency is worked out for so many texts at most: this, or eight times the limit. */
const CANDIDATES = 128
const CANDIDATES_PER_HIT = 8
/** Removed texts are taken out of the postings together: when there are this many, and an eighth of all. */
const MOST_GAPS = 128

/**
 * Finds texts by their words and by the words around them, without a model.
 *
 * BM25 over texts that borrow a share of their neighbours' words, plus the score of the session, of the question that a
 * text replies to, of the named author, of recency and of importance. Counts such as "how many texts hold this word" are
 * taken among the texts that a search may see, so that nothing of the others shows through, not even in a score.
 */
export class ContextIndex {
  readonly constants: RankingConstants
  readonly #columns = new TextColumns()
  /** Numbers of the texts by their id. */
  readonly #numbers = new Map<string, number>()
  /** The texts that hold each stem, ascending, once for each time that they hold it. */
  readonly #postings = new Map<string, number[]>()
  readonly #authors = new AuthorNames()

  constructor(constants: Partial<RankingConstants> = {}) {
    this.constants = { ...RANKING, ...constants }
  }

  /** Number of texts. */
  get size(): number {
    return this.#numbers.size
  }

  add({ id, text, author, session, at, importance = 0, group = {}, ...valid }: IndexedText): void {
    this.remove(id)
    const number = this.#columns.size
    const stems = toIndexStems(author === undefined ? text : `${author} ${text}`)
    for (const stem of dateStems(at)) stems.push(stem)
    for (const stem of stems) {
      const posting = this.#postings.get(stem)
      if (posting === undefined) this.#postings.set(stem, [number])
      else posting.push(number)
    }
    this.#numbers.set(id, number)
    this.#columns.push({
      id,
      session,
      group,
      author: this.#authors.numberOf(author),
      length: stems.length,
      at,
      importance,
      from: valid.from ?? Number.NEGATIVE_INFINITY,
      to: valid.to ?? Number.POSITIVE_INFINITY,
      asks: text.includes('?'),
      endsAsking: text.trimEnd().endsWith('?'),
    })
  }

  /** @returns whether there was such a text */
  remove(id: string): boolean {
    const number = this.#numbers.get(id)
    if (number === undefined) return false
    this.#columns.remove(number)
    this.#numbers.delete(id)
    const gaps = this.#columns.size - this.size
    if (gaps >= MOST_GAPS && 8 * gaps >= this.size) this.#closeGaps()
    return true
  }

  /** Changes what filters decide by and how important a text is. */
  update(id: string, change: Pick<TextRow, 'group' | 'from' | 'to' | 'importance'>): void {
    const number = this.#numbers.get(id)
    if (number !== undefined) this.#columns.update(number, change)
  }

  /** The texts that a filter sees, in the order in which they were added. */
  visible({ now, filter }: Pick<SearchOptions, 'now' | 'filter'>): string[] {
    return this.#columns.rows.flatMap((row) => (isSeen(row, now, filter) ? [row.id] : []))
  }

  /** The texts before and after a text in its session, as the filter sees it. */
  around(id: string, distance: number, { now, filter }: Pick<SearchOptions, 'now' | 'filter'>): string[] {
    const number = this.#numbers.get(id)
    const { rows } = this.#columns
    if (number === undefined || !isSeen(rows[number], now, filter)) return []
    const members = this.#columns.membersOf(rows[number]?.session)
    const place = members.indexOf(number)
    const walk = (step: number): string[] => {
      const ids: string[] = []
      for (let at = place + step; at >= 0 && at < members.length && ids.length < distance; at += step) {
        const row = rows[members[at] ?? NONE]
        if (isSeen(row, now, filter)) ids.push(row.id)
      }
      return ids
    }
    return [...walk(-1).reverse(), ...walk(1)]
  }

  /**
   * The texts that fit a query best, best first.
   *
   * Everything but recency is worked out for each text that shares a word. Recency then decides among the best
   * max(128, 8 × limit) of them; of equal ones the newest are among these.
   *
   * @returns at most `limit` texts, each of which shares a word with the query or stands beside one that does
   */
  search(query: string, { limit, now, filter }: SearchOptions): RankedText[] {
    const weights = countWords([...toIndexStems(query), ...dateStemsOfQuery(query)])
    if (weights.size === 0) return []
    const columns = this.#columns
    const seen = columns.look(filter, filter?.at ?? now, this.constants.neighbours)
    const { texts, sessions, idfs } = scoreWords(columns, seen, this.#postings, weights, this.constants)
    const named = this.#authors.namedIn(query, seen.authors)
    const found = this.#rank(texts, sessions, { named, limit, now }).map(({ id, score, parts, number }) => ({
      id,
      score,
      parts: { ...parts, ...this.#coverage(number, idfs) },
    }))
    for (const text of texts) columns.words[text] = 0
    for (const session of sessions) columns.sessionWords[session] = 0
    return found
  }

  #rank(
    texts: readonly number[],
    scoredSessions: readonly number[],
    { named, limit, now }: { named: number; limit: number; now: number },
  ): (RankedText & { number: number })[] {
    const { session, author, question, reply, recency, recencyHalfLifeMs, importance } = this.constants
    const {
      words,
      sessions,
      sessionWords,
      before,
      authors,
      questions,
      importances,
      times,
      frequencies: scores,
      rows,
    } = this.#columns
    const most = maximum(words, texts)
    const mostOfSession = maximum(sessionWords, scoredSessions) || 1
    const ceiling = (1 + session + reply) * Math.max(1, author) + recency + importance
    const wordsOf = (text: number) => (words[text] ?? 0) / most
    const sessionOf = (text: number) => (session * (sessionWords[sessions[text] ?? 0] ?? 0)) / mostOfSession
    const replyOf = (text: number) => {
      const asked = before[text] ?? NONE
      const isReply = asked !== NONE && (questions[asked] ?? 0) >= ASKS && authors[asked] !== authors[text]
      return isReply ? reply * wordsOf(asked) : 0
    }
    const factorOf = (text: number) =>
      (authors[text] === named ? author : 1) * ((questions[text] ?? 0) >= ENDS_ASKING ? question : 1)
    const baseOf = (text: number) => wordsOf(text) + sessionOf(text) + replyOf(text)
    const importanceOf = (text: number) => importance * (importances[text] ?? 0)
    const recencyOf = (text: number) => recency * 2 ** (-Math.max(0, now - (times[text] ?? 0)) / recencyHalfLifeMs)
    const compare = (a: number, b: number) => (scores[b] ?? 0) - (scores[a] ?? 0)
    // Without the functions above: this loop sees every text that shares a word.
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index] ?? 0
      let base = (words[text] ?? 0) / most + (session * (sessionWords[sessions[text] ?? 0] ?? 0)) / mostOfSession
      if ((before[text] ?? NONE) !== NONE) base += replyOf(text)
      if (authors[text] === named) base *= author
      if ((questions[text] ?? 0) >= ENDS_ASKING) base *= question
      scores[text] = base + importance * (importances[text] ?? 0)
    }
    // Recency adds at most its weight: what is further than that below the last place cannot reach it.
    const last = bestOf(texts, limit, compare).at(-1)
    const bar = texts.length <= limit || last === undefined ? 0 : (scores[last] ?? 0) - recency
    const close = bestOf(
      texts.filter((text) => (scores[text] ?? 0) >= bar),
      Math.max(CANDIDATES, CANDIDATES_PER_HIT * limit),
      (a, b) => compare(a, b) || (times[b] ?? 0) - (times[a] ?? 0) || a - b,
    )
    for (const text of close) scores[text] = ((scores[text] ?? 0) + recencyOf(text)) / ceiling
    const found = bestOf(close, limit, (a, b) => compare(a, b) || a - b).map((text) => ({
      number: text,
      id: rows[text]?.id ?? '',
      score: Math.min(1, scores[text] ?? 0),
      parts: {
        lexical: wordsOf(text) / ceiling,
        session: sessionOf(text) / ceiling,
        reply: replyOf(text) / ceiling,
        author: (baseOf(text) * (factorOf(text) - 1)) / ceiling,
        recency: recencyOf(text) / ceiling,
        importance: importanceOf(text) / ceiling,
      },
    }))
    for (const text of texts) scores[text] = 0
    return found
  }

  /** How many of the query's stems a text itself holds, their information in idf, and its share of all. */
  #coverage(text: number, idfs: ReadonlyMap<string, number>): { stems: number; weight: number; coverage: number } {
    let stems = 0
    let weight = 0
    let asked = 0
    for (const [stem, idf] of idfs) {
      asked += idf
      if (!holds(this.#postings.get(stem) ?? [], text)) continue
      stems++
      weight += idf
    }
    return { stems, weight, coverage: asked === 0 ? 0 : weight / asked }
  }

  #closeGaps(): void {
    const moved = this.#columns.compact()
    for (const [stem, posting] of this.#postings) {
      const left = posting.map((text) => moved[text] ?? NONE).filter((text) => text !== NONE)
      if (left.length === 0) this.#postings.delete(stem)
      else this.#postings.set(stem, left)
    }
    for (const [id, number] of this.#numbers) this.#numbers.set(id, moved[number] ?? NONE)
  }
}

function isSeen(row: TextRow | undefined, now: number, filter: IndexFilter | undefined): row is TextRow {
  const at = filter?.at ?? now
  return row !== undefined && row.from <= at && row.to > at && (filter === undefined || filter.accepts(row.group))
}

/** Whether ascending numbers hold one. */
function holds(sorted: readonly number[], wanted: number): boolean {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const value = sorted[middle] ?? 0
    if (value === wanted) return true
    if (value < wanted) low = middle + 1
    else high = middle - 1
  }
  return false
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function maximum(scores: Float64Array, of: readonly number[]): number {
  let most = 0
  for (const number of of) most = Math.max(most, scores[number] ?? 0)
  return most
}
