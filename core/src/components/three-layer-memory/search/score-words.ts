import type { RankingConstants } from './ranking.ts'
import { NONE, type TextColumns, type View } from './text-columns.ts'

/** Among fewer texts every stem is scored. */
const MANY_TEXTS = 200
/** A stem in more than half of the texts carries little information: it is scored only if it is among the rarest three. */
const COMMON = 0.5
const RAREST = 3
/** Of a long query the rarest stems are scored. */
const MOST_STEMS = 64

/** Among fewer texts than this, how rare a word is here says little: coverage is taken as if there were this many. */
const FEW_TEXTS = 50

/**
 * BM25 (Robertson and Zaragoza, 2009) over texts that borrow a share of their neighbours' words, and over whole sessions.
 * Leaves the scores in the columns `words` and `sessionWords`; the caller sets them back to 0.
 *
 * @param seen how much the search sees
 * @param postings the texts that hold each stem, ascending, once for each time that they hold it
 * @param weights how much each stem counts
 * @returns the texts and sessions with a score, and how much information each stem carries
 */
export function scoreWords(
  columns: TextColumns,
  seen: View,
  postings: ReadonlyMap<string, readonly number[]>,
  weights: ReadonlyMap<string, number>,
  { k1, b, neighbours }: RankingConstants,
): { texts: number[]; sessions: number[]; idfs: Map<string, number> } {
  const { words, frequencies, lengths, sessionWords, sessionFrequencies, sessionLengths } = columns
  const links = [columns.before, columns.after]
  const texts: number[] = []
  const sessions: number[] = []
  const idfs = new Map<string, number>()
  const averageLength = seen.length / seen.texts || 1
  const averageSessionLength = seen.sessionLength / seen.sessions || 1
  const stems = [...weights].map(([stem, weight]) => {
    const posting = postings.get(stem) ?? []
    return { stem, weight, posting, texts: countSeen(posting, columns.seen) }
  })
  stems.sort((a, b) => a.texts - b.texts)
  for (const [rank, { stem, weight, posting, texts: held }] of stems.entries()) {
    const isCommon = seen.texts >= MANY_TEXTS && held > COMMON * seen.texts
    if (rank >= MOST_STEMS || (isCommon && rank >= RAREST)) {
      idfs.set(stem, weight * idfOf(Math.max(seen.texts, FEW_TEXTS), held))
      continue
    }
    const holding: number[] = []
    const sessionsHolding: number[] = []
    for (let index = 0; index < posting.length; index++) {
      const text = posting[index] ?? 0
      if (columns.seen[text] !== 1) continue
      const session = columns.sessions[text] ?? 0
      const already = sessionFrequencies[session] ?? 0
      if (already === 0) sessionsHolding.push(session)
      sessionFrequencies[session] = already + 1
      const own = frequencies[text] ?? 0
      if (own === 0) holding.push(text)
      frequencies[text] = own + 1
      for (const link of links) {
        let other = link[text] ?? NONE
        for (let place = 0; place < neighbours.length && other !== NONE; place++) {
          const before = frequencies[other] ?? 0
          if (before === 0) holding.push(other)
          frequencies[other] = before + (neighbours[place] ?? 0)
          other = link[other] ?? NONE
        }
      }
    }
    idfs.set(stem, weight * idfOf(Math.max(seen.texts, FEW_TEXTS), holding.length))
    const idf = weight * idfOf(seen.texts, holding.length) * (k1 + 1)
    for (const text of holding) {
      const frequency = frequencies[text] ?? 0
      const score = words[text] ?? 0
      if (score === 0) texts.push(text)
      words[text] = score + (idf * frequency) / (frequency + k1 * (1 - b + (b * (lengths[text] ?? 0)) / averageLength))
      frequencies[text] = 0
    }
    const sessionIdf = weight * idfOf(seen.sessions, sessionsHolding.length) * (k1 + 1)
    for (const session of sessionsHolding) {
      const frequency = sessionFrequencies[session] ?? 0
      const score = sessionWords[session] ?? 0
      if (score === 0) sessions.push(session)
      const norm = k1 * (1 - b + (b * (sessionLengths[session] ?? 0)) / averageSessionLength)
      sessionWords[session] = score + (sessionIdf * frequency) / (frequency + norm)
      sessionFrequencies[session] = 0
    }
  }
  return { texts, sessions, idfs }
}

/** How many texts of a posting a search sees. */
function countSeen(posting: readonly number[], seen: Uint8Array): number {
  let count = 0
  let last = NONE
  for (let index = 0; index < posting.length; index++) {
    const text = posting[index] ?? 0
    if (text !== last && seen[text] === 1) count++
    last = text
  }
  return count
}

const idfOf = (total: number, holding: number): number => Math.log(1 + (total - holding + 0.5) / (holding + 0.5))
