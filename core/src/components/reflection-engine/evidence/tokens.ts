import { isStopWord, toStem } from '../../../text/index.ts'
import { readNumber } from '../figures/figures.ts'
import { TELLING } from '../told/language.ts'

/** Words, of Japanese its Kanji and runs of Katakana, and numbers with their separators. */
const TOKEN =
  /\d+(?:[.,:'’\u00a0\u202f ]?\d+)*|\p{Script=Han}|[\p{Script=Katakana}ー]+|(?![\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}])\p{L}(?:(?![\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}])[\p{L}\p{M}\d])*/gu

/** Numbers in words, from two on: "one" says too much else. */
const NUMBERS: ReadonlyMap<string, string> = new Map(
  [
    'two three four five six seven eight nine ten eleven twelve',
    'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
    'deux trois quatre cinq six sept huit neuf dix onze douze',
    '二 三 四 五 六 七 八 九 十',
  ].flatMap((words) => words.split(' ').map((word, index): [string, string] => [word, String(index + 2)])),
)

/** The words of a text that carry a topic, as stems, and its numbers without the signs between thousands; in order. */
export const toTokens = (text: string): string[] =>
  [...text.normalize('NFKC').matchAll(TOKEN)].flatMap(([raw]) => {
    const word = raw.toLowerCase()
    if (/^\d/.test(raw)) return toNumbers(raw)
    return isStopWord(word) ? [] : [NUMBERS.get(word) ?? toStem(word)]
  })

/** A number, or a version, as one; of what is no one number, its parts. */
function toNumbers(raw: string): string[] {
  const [reading] = readNumber(raw)
  if (reading === undefined && /^\d+(?:\.\d+){2,3}$/.test(raw)) return [raw]
  return (reading === undefined ? raw.split(/\D+/).map(Number) : [reading.value]).map(String)
}

/** Words by which a text says that something is so, or how it was worked out, and nothing about what. */
const TELLING_TOKENS: ReadonlySet<string> = new Set(
  toTokens(
    `${[...TELLING].join(' ')} total sum average mean figure count equal line lines contains field called now currently`,
  ),
)
export const isTelling = (token: string): boolean => TELLING_TOKENS.has(token)
