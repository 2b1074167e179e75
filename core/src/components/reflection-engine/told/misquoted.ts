import type { Call } from '../../../text/calls/call.ts'
import { toWords } from '../../../text/index.ts'
import { normalise } from '../shape.ts'

const QUOTED =
  /“([^”\n]{12,600})”|„([^“”\n]{12,600})[“”]|«\s?([^»\n]{12,600}?)\s?»|「([^」\n]{6,300})」|"([^"\n]{12,600})"/g
const CODE = /[{}=<>\\]/
/** Where a quotation leaves words out. */
export const LEFT_OUT = /\[?(?:…|\.{3})\]?|\[[^\]]{0,40}\]/
/** Words, or six signs of Japanese. */
const FEWEST_WORDS = 4
const JAPANESE = /[぀-ヿ一-鿿]{6}/u
/** From this share of its words on a sentence is the one that was meant. */
const MEANT_FROM = 0.5

export interface Misquotation {
  readonly quote: string
  /** What the source says. */
  readonly source: string
  readonly call: Call
}

/** Further quotations, and what comes later of a source, are not looked at. */
const MAX_QUOTES = 50
const MAX_SOURCE = 200_000

/**
 * Quotations that stand nowhere, each with the sentence of a source that has most of its words. Knows no language.
 *
 * @param known everything that may be quoted, as `normalise` leaves it
 */
export function findMisquoted(text: string, calls: readonly Call[], known: () => readonly string[]): Misquotation[] {
  const parts = toQuotes(text)
    .filter((quote) => !CODE.test(quote))
    .flatMap((quote) => quote.split(LEFT_OUT))
    .map((part) => ({ part: part.trim(), words: new Set(toWords(part)) }))
    .filter(({ part, words }) => words.size >= FEWEST_WORDS || JAPANESE.test(part))
  if (parts.length === 0) return []
  const sayings = known()
  const foreign = parts.filter(({ part }) => !sayings.some((source) => source.includes(normalise(part).trim())))
  if (foreign.length === 0) return []
  const sources = calls.filter(({ status, acts }) => status === 'completed' && !acts).flatMap(toSources)
  return foreign.flatMap(({ part, words }): Misquotation[] => {
    const source = mostAlike(words, sources)
    return source === undefined ? [] : [{ quote: part, source: source.sentence, call: source.call }]
  })
}

function toQuotes(text: string): string[] {
  const quotes: string[] = []
  for (const match of text.matchAll(QUOTED)) {
    if (quotes.length >= MAX_QUOTES) break
    quotes.push(match.slice(1).find((part) => part !== undefined) ?? '')
  }
  return quotes
}

interface Source {
  call: Call
  sentence: string
  words: ReadonlySet<string>
}

const toSources = (call: Call): Source[] =>
  call.text
    .slice(0, MAX_SOURCE)
    .split(/\n|(?<=[.!?。])\s?/)
    .map((sentence) => ({ call, sentence: sentence.trim(), words: new Set(toWords(sentence)) }))

function mostAlike(words: ReadonlySet<string>, sources: readonly Source[]): Source | undefined {
  let best: { source: Source; share: number } | undefined
  for (const source of sources) {
    let shared = 0
    for (const word of words) if (source.words.has(word)) shared++
    const share = shared / words.size
    if (share >= MEANT_FROM && share > (best?.share ?? 0)) best = { source, share }
  }
  return best?.source
}
