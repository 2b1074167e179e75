import { toWords } from '../../text/index.ts'

/** The sequences of so many words of a text's beginning: what near-duplicates share (Broder, 1997). */
export function toShingles(text: string, size: number, mostWords: number): Set<string> {
  const words = toWords(text.slice(0, 8 * mostWords)).slice(0, mostWords)
  const shingles = new Set<string>()
  for (let start = 0; start + size <= words.length; start++) shingles.add(words.slice(start, start + size).join(' '))
  return shingles
}
