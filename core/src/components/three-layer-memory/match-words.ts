import { type IndexView, NONE } from './index-view.ts'
import type { Postings } from './postings.ts'
import type { RankingConstants } from './ranking.ts'

/** What the words of a query say of the texts of a view. */
export interface WordMatch {
  /** BM25 of each position, neighbours' words included. */
  readonly lexical: Float64Array
  /** BM25 of each session. */
  readonly bySession: Float64Array
  /** How much each stem of the query tells. */
  readonly idfs: ReadonlyMap<string, number>
}

/** Among fewer texts than this, how rare a word is here says little: coverage reckons with this many. */
const FEW_TEXTS = 50

/**
 * BM25 (Robertson and Zaragoza, 2009) over texts that borrow a share of their neighbours' words, and over whole sessions.
 *
 * @param weights how much each stem counts
 */
export function matchWords(
  view: IndexView,
  postings: Postings,
  weights: ReadonlyMap<string, number>,
  { k1, b, neighbours }: RankingConstants,
): WordMatch {
  const count = view.size
  const sessionCount = view.sessionLengths.size
  const lexical = new Float64Array(count)
  const bySession = new Float64Array(sessionCount)
  const frequency = new Float64Array(count)
  const sessionFrequency = new Float64Array(sessionCount)
  const idfs = new Map<string, number>()
  const touched = new Int32Array(count)
  const touchedSessions = new Int32Array(sessionCount)
  const lengths = view.lengths.values
  const sessionLengths = view.sessionLengths.values
  const sessions = view.sessions.values
  const positions = view.positions.values
  const seen = view.positions.size
  const links = [view.before.values, view.after.values]
  const { averageLength, averageSessionLength } = view
  for (const [stem, weight] of weights) {
    const posting = postings.get(stem)
    let holding = 0
    let sessionsHolding = 0
    for (let index = 0; posting !== undefined && index < posting.ordinals.length; index++) {
      const ordinal = posting.ordinals[index] ?? 0
      const position = ordinal < seen ? (positions[ordinal] ?? NONE) : NONE
      if (position === NONE) continue
      const times = posting.counts[index] ?? 0
      const session = sessions[position] ?? 0
      if (sessionFrequency[session] === 0) touchedSessions[sessionsHolding++] = session
      sessionFrequency[session] = (sessionFrequency[session] ?? 0) + times
      if (frequency[position] === 0) touched[holding++] = position
      frequency[position] = (frequency[position] ?? 0) + times
      for (const link of links) {
        let other = link[position] ?? NONE
        for (let place = 0; place < neighbours.length && other !== NONE; place++) {
          if (frequency[other] === 0) touched[holding++] = other
          frequency[other] = (frequency[other] ?? 0) + times * (neighbours[place] ?? 0)
          other = link[other] ?? NONE
        }
      }
    }
    const idf = idfOf(count, holding)
    idfs.set(stem, weight * idfOf(Math.max(count, FEW_TEXTS), holding))
    for (let index = 0; index < holding; index++) {
      const position = touched[index] ?? 0
      const times = frequency[position] ?? 0
      const norm = k1 * (1 - b + (b * (lengths[position] ?? 0)) / averageLength)
      lexical[position] = (lexical[position] ?? 0) + (weight * idf * times * (k1 + 1)) / (times + norm)
      frequency[position] = 0
    }
    const sessionIdf = idfOf(sessionCount, sessionsHolding)
    for (let index = 0; index < sessionsHolding; index++) {
      const session = touchedSessions[index] ?? 0
      const times = sessionFrequency[session] ?? 0
      const norm = k1 * (1 - b + (b * (sessionLengths[session] ?? 0)) / averageSessionLength)
      bySession[session] = (bySession[session] ?? 0) + (weight * sessionIdf * times * (k1 + 1)) / (times + norm)
      sessionFrequency[session] = 0
    }
  }
  return { lexical, bySession, idfs }
}

const idfOf = (total: number, holding: number): number => Math.log(1 + (total - holding + 0.5) / (holding + 0.5))
