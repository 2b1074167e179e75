import { type Call, toPlainText } from '../../../text/calls/call.ts'
import { toWords } from '../../../text/index.ts'

const QUOTED =
  /“([^”\n]{12,600})”|„([^“”\n]{12,600})[“”]|«\s?([^»\n]{12,600}?)\s?»|「([^」\n]{6,300})」|"([^"\n]{12,600})"/g
const CODE = /[{}=<>\\]/
const LEFT_OUT = /\[?(?:…|\.{3})\]?|\[[^\]]{0,40}\]/
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

/** Quotations that stand nowhere, each with the sentence of a source that has most of its words. Knows no language. */
export function findMisquoted(text: string, calls: readonly Call[], given: string): Misquotation[] {
  const found: Misquotation[] = []
  const quotes = [...text.matchAll(QUOTED)].map((match) => match.slice(1).find((part) => part !== undefined) ?? '')
  if (quotes.length === 0) return found
  const known = [given, ...calls.flatMap((call) => [call.text, toPlainText(call.args)])].map(squash)
  const read = calls.filter(({ status, acts }) => status === 'completed' && !acts)
  for (const part of quotes.filter((quote) => !CODE.test(quote)).flatMap((quote) => quote.split(LEFT_OUT))) {
    const words = new Set(toWords(part))
    if (words.size < FEWEST_WORDS && !JAPANESE.test(part)) continue
    const plain = squash(part)
    if (known.some((source) => source.includes(plain))) continue
    for (const call of read) {
      const source = mostAlike(words, call.text)
      if (source === undefined) continue
      found.push({ quote: part.trim(), source, call })
      break
    }
  }
  return found
}

function mostAlike(words: ReadonlySet<string>, text: string): string | undefined {
  let best: { sentence: string; share: number } | undefined
  for (const sentence of text.split(/\n|(?<=[.!?。])\s?/)) {
    const own = new Set(toWords(sentence))
    let shared = 0
    for (const word of words) if (own.has(word)) shared++
    const share = shared / words.size
    if (share >= MEANT_FROM && share > (best?.share ?? 0)) best = { sentence: sentence.trim(), share }
  }
  return best?.sentence
}

const squash = (text: string): string => toWords(text).join(' ')
