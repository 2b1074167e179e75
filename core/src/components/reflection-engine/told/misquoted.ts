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

/** The sentence of a source that a quotation must mean: it has most of its words. */
export function mostAlike(quote: string, calls: readonly Call[]): { call: Call; sentence: string } | undefined {
  const words = new Set(toTokens(quote))
  if (words.size < FEWEST_WORDS && !/^\d/.test(quote) && !JAPANESE.test(quote)) return undefined
  let best: { call: Call; sentence: string; share: number } | undefined
  for (const call of calls) {
    if (call.status !== 'completed' || (call.acts && !call.runs)) continue
    for (const sentence of call.text.slice(0, MAX_SOURCE).split(/\n|(?<=[.!?。])\s?/)) {
      const own = new Set(toTokens(sentence))
      let shared = 0
      for (const word of words) if (own.has(word)) shared++
      const share = shared / words.size
      if (share >= MEANT_FROM && share > (best?.share ?? 0)) best = { call, sentence: sentence.trim(), share }
    }
  }
  return best
}
