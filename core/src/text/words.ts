/** Words of a text, the same for everyone who compares texts: memory, planner, checks, detectors. */
import { stemmer } from 'stemmer'

const WORD = /[\p{L}\p{N}]+/gu

/** English words that carry no topic. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any are as at be because been before being below between both but by can could did do does doing ' +
    'down during each few for from further had has have having he her here hers him his how i if in into is it its itself just me more most my no nor not now ' +
    'of off on once only or other our ours out over own same she should so some such t s d ll m re ve than that the their theirs them then there these they ' +
    'this those through to too under until up very was we were what when where which while who whom why will with would you your yours please'
  ).split(' '),
)

const stemCache = new Map<string, string>()

/** The words of a text in order: NFKC, lower case, runs of letters and digits of any script. */
export function toWords(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().match(WORD) ?? []
}

/** A word's Porter stem (Porter, 1980). */
export function toStem(word: string): string {
  let stem = stemCache.get(word)
  if (stem === undefined) {
    stem = stemmer(word)
    if (stemCache.size >= 50_000) stemCache.clear()
    stemCache.set(word, stem)
  }
  return stem
}

/** The stems of a text's content words, in order, stop words left out. */
export function toStems(text: string): string[] {
  return toWords(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(toStem)
}

/** Whether a lower-case word carries no topic. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word)

/** |A ∩ B| / |A ∪ B|; 1 for two empty sets (Jaccard, 1912). */
export function jaccard<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number {
  if (a.size === 0 && b.size === 0) return 1
  const shared = countShared(a, b)
  return shared / (a.size + b.size - shared)
}

/** Share of `part` that occurs in `whole`; 1 for an empty part. */
export function containment<T>(part: ReadonlySet<T>, whole: ReadonlySet<T>): number {
  return part.size === 0 ? 1 : countShared(part, whole) / part.size
}

function countShared<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  let shared = 0
  for (const item of small) if (large.has(item)) shared++
  return shared
}

/**
 * A text as a search in any case looks for it and at it: in lower case, with U+FFFD for what no database keeps as it is, NUL and
 * halves of signs. A store that passes `q` and the texts of tasks through it finds the same runs as those of svc do.
 */
export const toSearchText = (text: string): string => text.toLowerCase().replace(/\0|\p{Cs}/gu, '\ufffd')

/** At most `limit` characters of a text on one line. */
export function excerpt(text: string, limit = 120): string {
  const line = text
    .slice(0, limit * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`
}
