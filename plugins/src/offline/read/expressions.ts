export const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`
const SCALES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12 }
const SCALED = new RegExp(String.raw`(?<![\w.,])(\d+(?:\.\d+)?)\s(${Object.keys(SCALES).join('|')})\b`, 'g')
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bplus\b|に?足す|たす|プラス/g, '+'],
  [/\b(?:minus|moins)\b|−|引く|マイナス/g, '-'],
  [/\b(?:multiplied by|times|mal|fois|multipliée? par)\b|[×·]|かける|掛ける|(?<=\d)\s+x\s+(?=\d)/g, '*'],
  [/\b(?:divided by|geteilt durch|divisée? par|over)\b|÷|割る/g, '/'],
  [/\bto the power of\b|\bhoch\b|\b(?:à la )?puissance\b/g, '^'],
  [/の(\d+)乗/g, '^ $1'],
  [/\b(?:prozent|pour ?cent) (?:von|de)(?= ?\d)/g, '% of'],
  [/(?<=% ?)(?:von|de|の)(?= ?\d)/g, 'of'],
  [/パーセント|\bprozent\b|\bpour ?cent\b/g, '%'],
  // "-3 squared" means 9 to some and -9 to others
  [/(?<=(?:^|[^-.\d]\s?)\d+(?:\.\d+)?)\s+squared\b/g, '^ 2'],
  [/ ?\b(?:percent|per cent)\b/g, '%'],
]

/** What asks for a calculation and is none of it. */
const BEFORE =
  /^(?:(?:bitte|was (?:ist|sind|ergibt|ergeben|macht)|wie ?viel (?:ist|sind|ergibt)|rechne|berechne|combien (?:font|fait|donnent|valent)|calcule[zr]?|que (?:fait|vaut)|please|so|and|then|what(?:'s|’s| is| are)?|how much (?:is|are)|calculate|compute|evaluate|work out|give me|tell me|(?:can|could) you|(?:the )?(?:value|result) of|the|(?:use|run|call) (?:the )?(?:tool )?[`"']?calculat(?:e|or)[`"']?(?: tool)? (?:on|for|with|to))(?![\w'’])[\s,:]*)+/
const AFTER =
  /(?:(?<![\w'’])(?:please|bitte|aus|equal(?:s| to)?)|(?:は|を計算)?(?:いくつ|いくら|何)?(?:ですか|になりますか|でしょうか|して(?:ください)?)|は(?:いくつ|いくら|何)?|[=?？。.:, ])$/

function withoutAsking(text: string): string {
  let bare = text.replace(BEFORE, '')
  while (AFTER.test(bare)) bare = bare.replace(AFTER, '')
  return bare.trim()
}

/** Wordings of a calculation as a whole, and the expression that each means. */
const FORMS: readonly (readonly [RegExp, (found: readonly string[]) => string])[] = (
  [
    [`percentage of (${NUMBER}) (?:is|are) (${NUMBER})`, ([a, b]) => `${b} / ${a} * 100`],
    [`(${NUMBER}) ?(?:%|percent) off (?:of )?(${NUMBER})`, ([a, b]) => `${b} * (1 - ${a} / 100)`],
    [`square root of (${NUMBER})`, ([a]) => `sqrt(${a})`],
    [`(sum|average|product) of (${NUMBER}(?:(?:,? and|,) ${NUMBER})+)`, joinList],
  ] as [string, (found: readonly string[]) => string][]
).map(([pattern, write]) => [new RegExp(`^(?:${pattern})$`), write])

/** `sum of 1, 2 and 3`. */
function joinList([kind, listed = '']: readonly string[]): string {
  const items = listed.match(new RegExp(NUMBER, 'g')) ?? []
  const joined = items.join(kind === 'product' ? ' * ' : ' + ')
  return kind === 'average' ? `(${joined}) / ${items.length}` : joined
}

const FUNCTION = '(?:sqrt|abs|round|floor|ceil|trunc|min|max|sum|avg|log|ln|exp|sin|cos|tan|gcd|lcm)'
/** Numbers, operators, functions and what the calculator writes between them, from the beginning to the end. */
const EXPRESSION = new RegExp(
  `^(?:(?<![\\w.])\\d+(?:\\.\\d+)?(?:e[-+]?\\d+)?(?![\\w.])|${FUNCTION}\\s*(?=\\()|[-+*/^%(),\\s]|\\bof\\b|\\bmod\\b)+$`,
)
const DATE = /\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}([./])\d{1,2}\1\d{2,4}\b/
const OPERATION = /\d ?%? ?\)* ?(?:[-+*/^%]|\bof\b|\bmod\b) ?\(*[-\d]|[a-z] ?\(/

/**
 * The calculation that a text is, as an expression for the calculator; undefined where any word or sign of the text is
 * left that is none of it.
 */
export function readExpression(text: string): string | undefined {
  const plain = toPlain(text)
  if (plain === undefined) return undefined
  const bare = withoutAsking(plain)
  for (const [pattern, write] of FORMS) {
    const found = pattern.exec(bare)
    if (found) return write(found.slice(1))
  }
  const signs = WORDS.reduce((said, [word, sign]) => said.replace(word, ` ${sign} `), bare)
  const expression = signs.replace(/\s+/g, ' ').replace(/ %/g, '%').trim()
  if (!EXPRESSION.test(expression) || DATE.test(expression) || isSeries(expression)) return undefined
  // two numbers with a dash between them may be lines or pages
  if (/^\d+-\d+$/.test(expression) && bare === plain) return undefined
  return OPERATION.test(expression.replace(/^-/, '')) ? expression : undefined
}

/** Whether a comma stands outside of all brackets. */
function isSeries(expression: string): boolean {
  let depth = 0
  return [...expression].some((sign) => {
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0
    return sign === ',' && depth === 0
  })
}

const TOKEN = /(?<![\w.,])\d[\d.,]*\d|(?<![\w.,])\d/g
const ENGLISH = /^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/
/** A comma that parts no thousands. */
const DECIMAL_COMMA = /^(?:\d+,(?:\d{1,2}|\d{4,})|0,\d+|\d{1,3}(?:\.\d{3})+,\d+)$/

const inOneLine = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim()

/** In lower case, with numbers as the calculator writes them; undefined where a number may be meant in two ways. */
export function toPlain(text: string): string | undefined {
  const lower = inOneLine(text).replace(/[$€£]\s?(?=\d)/g, '')
  // inside of a function a comma parts arguments
  if (/[a-z]\(/.test(lower)) return lower
  const marked = (lower.match(TOKEN) ?? []).filter((token) => /[.,]/.test(token))
  // 1.000 is 1 to some and 1000 to others
  const isEnglish = marked.every((token) => ENGLISH.test(token) && !/^[1-9]\d{0,2}\.000$/.test(token))
  // "the sum of 1,2 and 3" may be of three numbers
  if (!isEnglish && (!marked.every((token) => DECIMAL_COMMA.test(token)) || /\b(?:sum|average|product)\b/.test(lower)))
    return undefined
  return lower
    .replace(TOKEN, (token) => (isEnglish ? token.replaceAll(',', '') : token.replaceAll('.', '').replace(',', '.')))
    .replace(SCALED, (_, number: string, scale: string) =>
      String(Number((Number(number) * (SCALES[scale] ?? 1)).toPrecision(15))),
    )
}

const CALCULATING = [
  /(?<![\w./-])\(?[\d][\d.,']{0,30}\)? ?%? ?(?:\*|\^|×|÷|\+) ?\(?-?\d/,
  /(?<![\w./-])\d[\d.,]{0,30}\)? [-−/] \(?-?\d/,
  /(?<![\w./-])\d+!(?![=\w])/,
  new RegExp(`\\b${FUNCTION}\\(\\s*[-\\d(]`),
  /\d ?%? ?(?:mod|choose|squared|cubed|plus|minus|times|divided by|multiplied by|to the power of)\b/,
  /\b(?:add|subtract|multiply|divide)\s+-?\d|\b(?:plus|minus|times|divided by|multiplied by)\s+\d/,
  /\b(?:half|third|double|twice|sum|product|average|mean|root|factorial)\s+of\s+-?\d|\d\s?(?:%|percent) (?:of|off) \d/,
  /\b(?:increased|raised|reduced|decreased|lowered) by \d|\b\d+(?:st|nd|rd|th) prime\b|^is \d+ (?:an? )?(?:prime|even|odd)\b/,
]

/** Whether a text reads like a calculation, whether or not it is one that can be made. */
export const isCalculating = (text: string): boolean =>
  readExpression(text) !== undefined || CALCULATING.some((pattern) => pattern.test(inOneLine(text)))
