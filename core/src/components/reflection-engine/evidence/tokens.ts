import { isStopWord, toStem } from '../../../text/index.ts'

/** Words, of Japanese its Kanji and runs of Katakana, and numbers with their separators. */
const TOKEN =
  /\d+(?:[.,:'’\u00a0\u202f ]?\d+)*|\p{Script=Han}|[\p{Script=Katakana}ー]+|(?![\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}])\p{L}(?:(?![\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}])[\p{L}\p{M}\d])*/gu
const GROUPED = /^\d{1,3}(?:([.,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$/
const VERSION = /^\d+(?:\.\d+){2,3}$/

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
export function toTokens(text: string): string[] {
  const found: string[] = []
  for (const [raw] of text.normalize('NFKC').matchAll(TOKEN)) {
    if (/^\d/.test(raw)) found.push(...toNumbers(raw))
    else {
      const word = raw.toLowerCase()
      if (!isStopWord(word)) found.push(NUMBERS.get(word) ?? toStem(word))
    }
  }
  return found
}

/** A number, or a version, as one; of what is no one number, its parts. */
function toNumbers(raw: string): string[] {
  if (VERSION.test(raw) && !GROUPED.test(raw)) return [raw]
  if (GROUPED.test(raw)) {
    const decimal = /[.,'’\u00a0\u202f ]/.exec(raw)?.[0] === '.' ? ',' : '.'
    const [whole = '', rest] = raw.split(decimal)
    return [plain(whole.replace(/\D/g, ''), rest)]
  }
  const simple = /^(\d+)(?:[.,](\d+))?$/.exec(raw)
  if (simple !== null) return [plain(simple[1] ?? '', simple[2])]
  return raw.split(/\D+/).map((part) => plain(part, undefined))
}

function plain(whole: string, decimals: string | undefined): string {
  const rest = decimals?.replace(/0+$/, '') ?? ''
  const digits = whole.replace(/^0+(?=\d)/, '')
  return rest === '' ? digits : `${digits}.${rest}`
}

/** Words by which a text says that something is so, or was done, and nothing about it. */
const TELLING: ReadonlySet<string> = new Set(
  toTokens(
    'answer result total sum average mean number value figure count equals equal file files line lines says states reads shows show lists contains defines defined set sets field called named gives now currently config configuration uses has comes makes done changed change edited updated sent mail email message went gone gave accepted written wrote added removed created fixed renamed moved deleted closed replaced raised lowered bumped ergebnis wert datei steht beträgt lautet ist sind habe wurde alle jetzt nun geändert gesendet résultat valeur fichier vaut indique est été ai tous désormais maintenant la le modifié remplacé envoyé 結果 値',
  ),
)

/** Whether a token says that something is so, or was done, and nothing about it. */
export const isTelling = (token: string): boolean => TELLING.has(token)
