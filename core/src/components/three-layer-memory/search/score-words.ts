import { type AskedStem, idfOf } from './coverage.ts'
import type { Posting } from './posting.ts'
import type { RankingConstants } from './ranking.ts'
import type { View } from './view.ts'

/** How well words fit, by the place of a text in the view and by the number of a session. */
export interface WordScores {
  readonly texts: Float64Array
  readonly sessions: Float64Array
}

/**
 * BM25 (Robertson and Zaragoza, 2009) over texts that borrow a share of their neighbours' words, and over whole sessions.
 *
 * @param asked the query's stems, the rarest first
 */
export function scoreWords(view: View, asked: readonly AskedStem[], constants: RankingConstants): WordScores {
  const texts = new Bm25(view.lengths, constants)
  const sessions = new Bm25(view.sessionLengths, constants)
  for (const { weight, posting, isScored } of asked) {
    if (posting === undefined || !isScored) continue
    countWords(view, posting, constants.neighbours, texts, sessions)
    texts.add(weight)
    sessions.add(weight)
  }
  return { texts: texts.scores, sessions: sessions.scores }
}

/** Scores of texts of some lengths, one stem after the other. */
class Bm25 {
  readonly scores: Float64Array
  readonly #lengths: readonly number[]
  readonly #average: number
  readonly #constants: RankingConstants
  /** How often each text holds the stem, and which hold it. */
  readonly #frequencies: Float64Array
  readonly #holding: number[] = []

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
    const idf = weight * idfOf(this.#lengths.length, this.#holding.length) * (k1 + 1)
    for (const place of this.#holding) {
      const frequency = this.#frequencies[place] ?? 0
      const norm = k1 * (1 - b + (b * (this.#lengths[place] ?? 0)) / this.#average)
      this.scores[place] = (this.scores[place] ?? 0) + (idf * frequency) / (frequency + norm)
      this.#frequencies[place] = 0
    }
    this.#holding.length = 0
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
  for (let nth = 0; nth < posting.texts.length; nth++) {
    const text = posting.texts[nth]
    const count = posting.counts[nth] ?? 0
    if (text === undefined || texts[text.place] !== text) continue
    const { place } = text
    const session = sessions[place] ?? 0
    ofSessions.count(session, count)
    ofTexts.count(place, count)
    for (let away = 1; away <= neighbours.length; away++) {
      const borrowed = (neighbours[away - 1] ?? 0) * count
      if (sessions[place - away] === session) ofTexts.count(place - away, borrowed)
      if (sessions[place + away] === session) ofTexts.count(place + away, borrowed)
    }
  }
}
