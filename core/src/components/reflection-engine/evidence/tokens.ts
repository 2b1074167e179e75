import { isStopWord, toStem } from '../../../text/index.ts'
import { readNumber } from '../figures/figures.ts'

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

/** Words by which a text says that something is so, or was done, and nothing about it. */
const TELLING: ReadonlySet<string> = new Set(
  toTokens(
    'answer result total sum average mean number value figure count equals equal file files line lines says states reads shows show lists contains defines defined set sets field called named gives now currently config configuration uses has comes makes done changed change edited updated sent mail email message went gone gave accepted written wrote added removed created fixed renamed moved deleted closed replaced raised lowered bumped ergebnis wert datei steht beträgt lautet ist sind habe wurde alle jetzt nun geändert gesendet résultat valeur fichier vaut indique est été ai tous désormais maintenant la le modifié remplacé envoyé 結果 値',
  ),
)

/** Whether a token says that something is so, or was done, and nothing about it. */
export const isTelling = (token: string): boolean => TELLING.has(token)
