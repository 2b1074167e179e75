import { toWords } from '../../text/index.ts'

const MOST_WORDS = 200
/** No more of a text is looked at. */
export const SHINGLE_CHARS = 8 * MOST_WORDS
/** A text with fewer is too short to tell a habit of speech from a repetition. */
export const LEAST_SHINGLES = 8

/** Sequences of three words of a text: what near-duplicates share (Broder, 1997). */
export function toShingles(text: string): ReadonlySet<string> {
  const words = toWords(text.slice(0, SHINGLE_CHARS)).slice(0, MOST_WORDS)
  const shingles = new Set<string>()
  for (let start = 0; start + 2 < words.length; start++) shingles.add(words.slice(start, start + 3).join(' '))
  return shingles
}
