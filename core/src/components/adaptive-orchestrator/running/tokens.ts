import { toStem } from '../../../text/words.ts'

/** What of a text can be found again in another one that says the same in other words, or in another language. */
export interface Tokens {
  /** Figures of two digits and more, as these alone; files, addresses and names. A single digit stands anywhere by chance. */
  names: ReadonlySet<string>
  /** Stems of words of four letters and more; pairs of characters where a script puts no spaces. */
  words: ReadonlySet<string>
}

/** Not the digits of a code such as 3f9a2. */
const FIGURE = /(?<![A-Za-z_\d][.,:]?)\d[\d.,:]*\d(?![A-Za-z_]*\d)/g
/** Files, folders and addresses; a capital inside a sentence; a capital, a figure or `_` inside a word. */
const NAME =
  /[\w-]{1,100}(?:[./:@][\w-]{1,100})+|(?<=[\p{Ll}\p{N},;:(]\s)\p{Lu}[\p{L}\p{N}]{1,60}|(?<![\p{L}\p{N}_])\p{Ll}{1,60}[\p{Lu}_\d][\p{L}\p{N}_]*/gu
const WORD = /[\p{L}\p{M}\p{N}]{2,60}/gu
/** Scripts without spaces between words. Hiragana is left out: in it stand the endings of Japanese. */
const UNSPACED = /[\u30a0-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/
const SHORTEST_WORD = 4
const LONGEST_TEXT = 64_000

export function tokensOf(text: string): Tokens {
  const plain = text.slice(0, LONGEST_TEXT).normalize('NFKC')
  const figures = (plain.match(FIGURE) ?? []).map((figure) => figure.replace(/\D/g, ''))
  const names = (plain.match(NAME) ?? []).map((name) => name.toLowerCase())
  const words = (plain.toLowerCase().match(WORD) ?? []).flatMap((word) =>
    UNSPACED.test(word) ? pairsOf(word) : word.length < SHORTEST_WORD ? [] : [toStem(word)],
  )
  return { names: new Set([...figures, ...names]), words: new Set(words) }
}

const pairsOf = (word: string): string[] =>
  Array.from({ length: word.length - 1 }, (_, index) => word.slice(index, index + 2)).filter((pair) =>
    UNSPACED.test(pair),
  )
