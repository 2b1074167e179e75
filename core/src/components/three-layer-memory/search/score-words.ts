import type { RankingConstants } from './ranking.ts'
import type { TextEntry, View } from './view.ts'

/** Among fewer texts every stem is scored. */
const MANY_TEXTS = 200
/** A stem in more than half of the texts carries little information: it is scored only if it is among the rarest three. */
const COMMON = 0.35
const RAREST = 3
/** Of a long query the rarest stems are scored. */
const MOST_STEMS = 64
/** Among fewer texts than this, how rare a word is here says little: coverage is taken as if there were this many. */
const FEW_TEXTS = 50

/** How well words fit, by the place of a text in the view and the number of a session. */
export interface WordScores {
  readonly texts: Float64Array
  readonly sessions: Float64Array
}

/** The texts that hold a stem, with how often. */
export type Posting = ReadonlyMap<TextEntry, number>

/**
 * BM25 (Robertson and Zaragoza, 2009) over texts that borrow a share of their neighbours' words, and over whole sessions.
 *
 * @param weights how much each stem counts
 */
export function scoreWords(
  view: View,
  postings: ReadonlyMap<string, Posting>,
  weights: ReadonlyMap<string, number>,
  constants: RankingConstants,
): WordScores {
  const texts = new Bm25(view.lengths, constants)
  const sessions = new Bm25(view.sessionLengths, constants)
  const total = view.texts.length
  const stems = [...weights].map(([stem, weight]) => {
    const posting = postings.get(stem) ?? new Map()
    return { weight, posting, seen: countSeen(posting, view) }
  })
  stems.sort((a, b) => a.seen - b.seen)
  for (const [rank, { weight, posting, seen }] of stems.slice(0, MOST_STEMS).entries()) {
    if (rank >= RAREST && total >= MANY_TEXTS && seen > COMMON * total) continue
    countWords(view, posting, constants.neighbours, texts, sessions)
    texts.add(weight)
    sessions.add(weight)
  }
  return { texts: texts.scores, sessions: sessions.scores }
}

/** How much each stem tells among some of the texts, in nats. @param weights how much each counts */
export function informationOf(
  view: View,
  isMeant: (text: TextEntry) => boolean,
  postings: ReadonlyMap<string, Posting>,
  weights: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  let total = 0
  for (const text of view.texts) if (isMeant(text)) total++
  return new Map(
    [...weights].map(([stem, weight]) => {
      const holding = countSeen(postings.get(stem) ?? new Map(), view, isMeant)
      return [stem, weight * idfOf(Math.max(total, FEW_TEXTS), holding)]
    }),
  )
}

/** Scores of texts of some lengths, one stem after the other. */
class Bm25 {
  readonly scores: Float64Array
  readonly #lengths: readonly number[]
  readonly #average: number
  readonly #constants: RankingConstants
  /** How often each text holds the stem, and which hold it. */
  readonly #frequencies: Float64Array
  #holding: number[] = []

  constructor(lengths: readonly number[], constants: RankingConstants) {
    this.scores = new Float64Array(lengths.length)
    this.#frequencies = new Float64Array(lengths.length)
    this.#lengths = lengths
    this.#average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
    this.#constants = constants
  }

  count(place: number, times: number): void {
    const before = this.#frequencies[place] ?? 0
    if (before === 0) this.#holding.push(place)
    this.#frequencies[place] = before + times
  }

  /** Adds what the stem that was counted contributes. */
  add(weight: number): void {
    const { k1, b } = this.#constants
    const holding = this.#holding
    const idf = weight * idfOf(this.#lengths.length, holding.length) * (k1 + 1)
    for (const place of holding) {
      const frequency = this.#frequencies[place] ?? 0
      const norm = k1 * (1 - b + (b * (this.#lengths[place] ?? 0)) / this.#average)
      this.scores[place] = (this.scores[place] ?? 0) + (idf * frequency) / (frequency + norm)
      this.#frequencies[place] = 0
    }
    this.#holding = []
  }
}

/** Counts how often each text, with what it borrows, and each session holds a stem. */
function countWords(
  { texts, sessions }: View,
  posting: Posting,
  neighbours: readonly number[],
  ofTexts: Bm25,
  ofSessions: Bm25,
): void {
  posting.forEach((count, text) => {
    const { place } = text
    if (texts[place] !== text) return
    const session = sessions[place] ?? 0
    ofSessions.count(session, count)
    ofTexts.count(place, count)
    for (let away = 1; away <= neighbours.length; away++) {
      const borrowed = (neighbours[away - 1] ?? 0) * count
      if (sessions[place - away] === session) ofTexts.count(place - away, borrowed)
      if (sessions[place + away] === session) ofTexts.count(place + away, borrowed)
    }
  })
}

/** How many texts of a posting a search sees. */
function countSeen(posting: Posting, { texts }: View, isMeant: (text: TextEntry) => boolean = () => true): number {
  let count = 0
  for (const text of posting.keys()) if (texts[text.place] === text && isMeant(text)) count++
  return count
}

const idfOf = (total: number, holding: number): number => Math.log(1 + (total - holding + 0.5) / (holding + 0.5))
