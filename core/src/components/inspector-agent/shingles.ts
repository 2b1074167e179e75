import { toWords } from '../../text/index.ts'

const MAX_WORDS = 200

/** The last text: several detectors look at one message. */
let latest: { text: string; shingles: ReadonlySet<string> } = { text: '', shingles: new Set() }

/** Sequences of three words of a text: what near-duplicates share (Broder, 1997). */
export function toShingles(text: string): ReadonlySet<string> {
  if (text !== latest.text) latest = { text, shingles: makeShingles(text) }
  return latest.shingles
}

function makeShingles(text: string): Set<string> {
  const words = toWords(text.slice(0, MAX_WORDS * 8)).slice(0, MAX_WORDS)
  const shingles = new Set<string>()
  for (let start = 0; start + 2 < words.length; start++) shingles.add(words.slice(start, start + 3).join(' '))
  return shingles
}
