import { toWords } from '../../../text/words.ts'
import { coverageOf, isCovered, toAskedStems } from './coverage.ts'
import { dateStems, dateStemsOfQuery } from './date-stems.ts'
import type { IndexedText, IndexFilter, TextGroup } from './indexed-text.ts'
import { toIndexStems } from './irregular-forms.ts'
import { Posting } from './posting.ts'
import { rankTexts } from './rank-texts.ts'
import { RANKING, type RankingConstants } from './ranking.ts'
import { scoreWords } from './score-words.ts'
import { isSeen, type TextEntry, View } from './view.ts'

export interface SearchOptions {
  /** Most texts. */
  limit: number
  /** Milliseconds since the epoch: for what is true now. */
  now: number
  filter?: IndexFilter | undefined
  /** Sorts texts into kinds, each of which has the limit for itself, so that none crowds out another. Default one kind. */
  kindOf?: ((group: TextGroup) => string) | undefined
  /** Texts that hold less than this share of the query's information by themselves are left out. Default 0. */
  minCoverage?: number | undefined
}

/** A text that was found. */
export interface RankedText {
  id: string
  /** In [0, 1]: the sum of the parts over the most that it can be. */
  score: number
  /** `lexical`, `session`, `reply`, `author` add up to the score; `stems` is how many of the query's stems the text itself holds, `weight` their information in nats, `coverage` its share of all. */
  parts: Record<string, number>
}

/**
 * Where none of the ten best texts holds more than a third of a query's stems, or three of them, all are noise. On LoCoMo that
 * costs .004 of recall@10, and leaves a quarter of the questions about other conversations with anything found.
 */
const RELEVANT_SHARE = 1 / 3
const RELEVANT_STEMS = 3
const JUDGED_BY = 10
/** Views that are kept from search to search: a run looks at what belongs to its thread, and at what belongs to none. */
const MOST_VIEWS = 8

/**
 * Finds texts by their words and by the words around them, without a model.
 *
 * BM25 over texts that borrow a share of their neighbours' words, plus the score of the session, of the question that a
 * text replies to, and of the named author. Counts such as "how many texts hold this word" are taken among the texts that
 * a search may see, so that nothing of the others shows through, not even in a score.
 */
export class ContextIndex {
  readonly constants: RankingConstants
  /** By id, in the order in which they were added. */
  readonly #texts = new Map<string, TextEntry>()
  readonly #sessions = new Map<string, TextEntry[]>()
  /** The texts that hold each stem, with how often. */
  readonly #postings = new Map<string, Posting>()
  /** By key of their filter, the last used at the end. */
  readonly #views = new Map<string, View>()
  /** The one that texts have their places in. */
  #placed: View | undefined
  #added = 0

  constructor(constants: Partial<RankingConstants> = {}) {
    this.constants = { ...RANKING, ...constants }
  }

  /** Number of texts. */
  get size(): number {
    return this.#texts.size
  }

  add({ id, text, author, session, at, importance = 0, group = {}, from, to }: IndexedText): void {
    this.remove(id)
    const words = toWords(author === undefined ? text : `${author} ${text}`)
    const stems = [...toIndexStems(words), ...dateStems(at)]
    const counts = countEach(stems)
    const entry: TextEntry = {
      id,
      order: this.#added++,
      session: session === undefined ? `text ${id}` : sessionKey(session),
      author,
      at,
      stems: [...counts.keys()],
      length: stems.length,
      asks: text.includes('?'),
      endsAsking: text.trimEnd().endsWith('?'),
      group,
      importance,
      from: from ?? Number.NEGATIVE_INFINITY,
      to: to ?? Number.POSITIVE_INFINITY,
      place: -1,
      isGone: false,
    }
    this.#texts.set(id, entry)
    const members = getOrAdd(this.#sessions, entry.session, () => [])
    for (const [key, view] of this.#views) if (!view.extend(entry, members.length === 0)) this.#views.delete(key)
    members.push(entry)
    for (const [stem, count] of counts) getOrAdd(this.#postings, stem, () => new Posting()).add(entry, count)
  }

  /** @returns whether there was such a text */
  remove(...ids: readonly string[]): boolean {
    const gone = ids.flatMap((id) => this.#texts.get(id) ?? [])
    if (gone.length === 0) return false
    for (const text of gone) {
      text.isGone = true
      this.#texts.delete(text.id)
    }
    const stayTrue = gone.every((text) => text.author === undefined && this.#sessions.get(text.session)?.length === 1)
    if (stayTrue) for (const view of this.#views.values()) view.removeGone()
    else this.#views.clear()
    for (const session of new Set(gone.map((text) => text.session))) {
      const left = this.#sessions.get(session)?.filter((text) => !text.isGone) ?? []
      if (left.length === 0) this.#sessions.delete(session)
      else this.#sessions.set(session, left)
    }
    for (const stem of new Set(gone.flatMap(({ stems }) => stems))) {
      const posting = this.#postings.get(stem)
      posting?.removeGone()
      if (posting?.texts.length === 0) this.#postings.delete(stem)
    }
    return true
  }

  /** Changes what filters decide by and how important a text is. */
  update(id: string, change: Pick<TextEntry, 'group' | 'from' | 'to' | 'importance'>): void {
    const { group, from, to, importance } = change
    const entry = this.#texts.get(id)
    if (entry === undefined) return
    this.#views.clear()
    Object.assign(entry, { group, from, to, importance })
  }

  /** The texts that a filter sees, in the order in which they were added. */
  visible({ now, filter }: Pick<SearchOptions, 'now' | 'filter'>): string[] {
    return [...this.#texts.values()].filter((text) => isSeen(text, now, filter)).map(({ id }) => id)
  }

  /** The texts before and after a text in its session, as the filter sees it. */
  around(id: string, distance: number, { now, filter }: Pick<SearchOptions, 'now' | 'filter'>): string[] {
    const session = this.#sessions.get(this.#texts.get(id)?.session ?? '') ?? []
    const ids = session.filter((text) => isSeen(text, now, filter)).map((text) => text.id)
    const place = ids.indexOf(id)
    if (place < 0) return []
    return [...ids.slice(Math.max(0, place - distance), place), ...ids.slice(place + 1, place + 1 + distance)]
  }

  /**
   * The texts that fit a query best, best first; of equal ones the most important, then the newest.
   *
   * @returns at most `limit` texts of each kind, each of which shares a word with the query or stands beside one that does; none
   *   where the best share so little that they are noise
   */
  search(query: string, options: SearchOptions): RankedText[] {
    const { limit, minCoverage = 0 } = options
    const words = toWords(query)
    const weights = countEach([...toIndexStems(words), ...dateStemsOfQuery(words, query)])
    const view = this.#viewOf(options)
    const asked = toAskedStems(view, this.#postings, weights)
    if (minCoverage > 0 && !isCovered(view, asked, minCoverage)) return []
    const scores = scoreWords(view, asked, this.constants)
    const ranked = rankTexts(query, view, scores, Math.max(limit, JUDGED_BY), this.constants)
    const found = ranked.map((one) => ({ ...one, covered: coverageOf(one.text, view, asked) }))
    const enough = Math.min(RELEVANT_STEMS, Math.floor(RELEVANT_SHARE * weights.size) + 1)
    if (!found.slice(0, JUDGED_BY).some(({ covered }) => covered.stems >= enough)) return []
    return found
      .filter(({ place, covered }) => place < limit && covered.coverage >= minCoverage)
      .map(({ text, score, parts, covered }) => ({
        id: text.id,
        score: Math.min(1, score),
        parts: { ...parts, ...covered },
      }))
  }

  /** What a search may see: the view of the last such search, where nothing but new texts has come since. */
  #viewOf({ now, filter, kindOf }: SearchOptions): View {
    const at = filter?.at ?? now
    const key = filter === undefined ? '' : filter.key
    const known = key === undefined ? undefined : this.#views.get(key)
    const isTrue = known?.isTrueAt(at) === true && known.kindOf === kindOf
    const view = isTrue ? known : new View(filter, kindOf, this.constants.neighbours)
    if (!isTrue) for (const session of this.#sessionsOf(filter)) view.addSession(session, at)
    if (key !== undefined) this.#keepView(key, view)
    view.takePlaces(this.#placed === view)
    this.#placed = view
    return view
  }

  #sessionsOf(filter: IndexFilter | undefined): Iterable<readonly TextEntry[]> {
    return filter?.session === undefined
      ? this.#sessions.values()
      : [this.#sessions.get(sessionKey(filter.session)) ?? []]
  }

  #keepView(key: string, view: View): void {
    this.#views.delete(key)
    this.#views.set(key, view)
    const [oldest] = this.#views.keys()
    if (this.#views.size > MOST_VIEWS && oldest !== undefined) this.#views.delete(oldest)
  }
}

/** Apart from the keys of texts without a session. */
const sessionKey = (session: string): string => `session ${session}`

function getOrAdd<V>(map: Map<string, V>, key: string, create: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = create()
  map.set(key, made)
  return made
}

/** How often each word is there. */
function countEach(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
