import type { Call } from '../../../text/calls/call.ts'
import { toTokens } from '../evidence/tokens.ts'

const QUOTED =
  /“([^”\n]{4,600})”|„([^“”\n]{4,600})[“”]|«\s?([^»\n]{4,600}?)\s?»|「([^」\n]{4,300})」|"([^"\n]{4,600})"/g
/** Where a quotation leaves words out. */
export const LEFT_OUT = /\[?(?:…|\.{3})\]?|\[[^\]]{0,40}\]/
/** From this share of its words on a sentence is the one that was meant. */
const MEANT_FROM = 0.5
/** Fewer words resemble too much. */
const FEWEST_WORDS = 3
const JAPANESE = /[぀-ヿ一-鿿]{6}/u

/** Further quotations, and what comes later of a source, are not looked at. */
const MAX_QUOTES = 50
const MAX_SOURCE = 200_000

/** What stands between quotation marks, of any language. */
export const toQuotes = (text: string): string[] =>
  [...text.matchAll(QUOTED)]
    .slice(0, MAX_QUOTES)
    .map((match) => match.slice(1).find((part) => part !== undefined) ?? '')

/** A sentence that a call showed, with its words. */
export interface Sentence {
  readonly call: Call
  readonly sentence: string
  readonly words: ReadonlySet<string>
}

/** The sentences that calls showed. */
export const toShownSentences = (calls: readonly Call[]): Sentence[] =>
  calls
    .filter(({ status, acts, runs }) => status === 'completed' && (!acts || runs))
    .flatMap((call) =>
      call.text
        .slice(0, MAX_SOURCE)
        .split(/\n|(?<=[.!?。])\s?/)
        .map((sentence) => ({ call, sentence: sentence.trim(), words: new Set(toTokens(sentence)) })),
    )

/** The sentence that a quotation must mean: it has most of its words, and not its figures alone. */
export function mostAlike(quote: string, sentences: readonly Sentence[]): Sentence | undefined {
  const words = new Set(toTokens(quote))
  if (words.size < FEWEST_WORDS && !/^\d/.test(quote) && !JAPANESE.test(quote)) return undefined
  let best: { source: Sentence; share: number } | undefined
  for (const source of sentences) {
    const shared = [...words].filter((word) => source.words.has(word))
    const share = shared.every((word) => /^\d/.test(word)) ? 0 : shared.length / words.size
    if (share >= MEANT_FROM && share > (best?.share ?? 0)) best = { source, share }
  }
  return best?.source
}
