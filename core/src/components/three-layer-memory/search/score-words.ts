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

/** How well words fit, by the place of a text in the view and the number of a session; and each stem's information by kind of text. */
export interface WordScores {
  readonly texts: Float64Array
  readonly sessions: Float64Array
  /** Among texts of one kind: what many runs were about makes no word of what a person said say less. */
  readonly idfs: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** The texts that hold a stem, with how often. */
export type Posting = ReadonlyMap<TextEntry, number>

/**
 * BM25 (Robertson and Zaragoza, 2009) over texts that borrow a share of their neighbours' words, and over whole sessions.
 *
 * @param weights how much each stem counts
 * @param kindOf sorts texts into kinds
 */
export function scoreWords(
  view: View,
  postings: ReadonlyMap<string, Posting>,
  weights: ReadonlyMap<string, number>,
  constants: RankingConstants,
  kindOf: (text: TextEntry) => string,
): WordScores {
  const texts = new Bm25(view.lengths, constants)
  const sessions = new Bm25(view.sessionLengths, constants)
  const total = view.texts.length
  const kinds = view.texts.map(kindOf)
  const totals = countEach(kinds)
  const idfs = new Map([...totals.keys()].map((kind) => [kind, new Map<string, number>()]))
  const stems = [...weights].map(([stem, weight]) => {
    const posting = postings.get(stem) ?? new Map()
    return { stem, weight, posting, seen: placesIn(posting, view) }
  })
  stems.sort((a, b) => a.seen.length - b.seen.length)
  for (const [rank, { stem, weight, posting, seen }] of stems.entries()) {
    const isCommon = total >= MANY_TEXTS && seen.length > COMMON * total
    let holding = seen
    if (rank < MOST_STEMS && (rank < RAREST || !isCommon)) {
      countWords(view, posting, constants.neighbours, texts, sessions)
      holding = texts.add(weight)
      sessions.add(weight)
    }
    const counts = countEach(holding.map((place) => kinds[place] ?? ''))
    for (const [kind, among] of totals)
      idfs.get(kind)?.set(stem, weight * idfOf(Math.max(among, FEW_TEXTS), counts.get(kind) ?? 0))
  }
  return { texts: texts.scores, sessions: sessions.scores, idfs }
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

  /** Adds what the stem that was counted contributes. @returns the places of those that hold it */
  add(weight: number): readonly number[] {
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
    return holding
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

/** The places of the texts of a posting that a search sees. */
const placesIn = (posting: Posting, { texts }: View): readonly number[] =>
  [...posting.keys()].filter((text) => texts[text.place] === text).map(({ place }) => place)

const idfOf = (total: number, holding: number): number => Math.log(1 + (total - holding + 0.5) / (holding + 0.5))

/** How often each word is there. */
export function countEach(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
