import { factorOf } from './units.ts'

const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`
const PERCENT = String.raw`\s*(?:%|percent|per cent)`
const SCALES: Readonly<Record<string, number>> = {
  hundred: 1e2,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
}
const SCALED = new RegExp(String.raw`(?<![\w.,])(\d+(?:\.\d+)?)\s(${Object.keys(SCALES).join('|')})\b`, 'g')
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bplus\b|\badded to\b/g, '+'],
  [/\bminus\b|\bless\b|−/g, '-'],
  [/\b(?:multiplied by|times)\b|[×·]|(?<=\d)\s+x\s+(?=\d)/g, '*'],
  [/\b(?:divided by|over)\b|÷/g, '/'],
  [/\b(?:to the power of|to the)\s+(?=\d)/g, '^'],
  // "-3 squared" means 9 to some and -9 to others
  [/(?<=(?:^|[^-.\d]\s?)\d+(?:\.\d+)?)\s+squared\b/g, '^ 2'],
  [/(?<=(?:^|[^-.\d]\s?)\d+(?:\.\d+)?)\s+cubed\b/g, '^ 3'],
  [/ ?\b(?:percent|per cent)\b/g, '%'],
  [/%\s+from\b/g, '% of'],
]

/** What asks for a calculation and is none of it. */
const BEFORE =
  /^(?:(?:please|so|and|then|also|now|what(?:'s|’s| is| are| does)?|how much (?:is|are)|calculate|compute|evaluate|work out|solve|find|give me|tell me|show me|(?:can|could|would) you|(?:the )?(?:value|result) of|the|an? (?:price|cost|amount|salary|bill|number) of|(?:use|run|call) (?:the )?(?:tool )?[`"']?calculat(?:e|or)[`"']?(?: tool)? (?:on|for|with|to))(?![\w'’])[\s,:]*)+/
const AFTER =
  /(?:(?<![\w'’])(?:please|equal(?:s| to)?|exactly|(?:with|using) (?:the )?(?:tool )?[`"']?calculat(?:e|or)[`"']?(?: tool)?)|[=?.:, ])$/

/** A text without what asks for a calculation, before it and behind it. */
function withoutAsking(text: string): string {
  let bare = text.replace(BEFORE, '')
  while (AFTER.test(bare)) bare = bare.replace(AFTER, '')
  return bare.trim()
}

type Form = readonly [RegExp, (found: readonly string[]) => string | undefined]
const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`)
const growth = (verbs: string): RegExp =>
  whole(`(${NUMBER})\\s+(?:is\\s+|was\\s+|has\\s+been\\s+)?(?:${verbs})\\s+by\\s+(${NUMBER})${PERCENT}`)

/** Wordings of a calculation as a whole, and the expression that each means; nothing where it means none after all. */
const FORMS: readonly Form[] = [
  [whole(`percentage\\s+of\\s+(${NUMBER})\\s+(?:is|are)\\s+(${NUMBER})`), ([a, b]) => `${b} / ${a} * 100`],
  [
    whole(`(${NUMBER})\\s+(?:is|as|in)\\s+(?:what\\s+|a\\s+)?(?:percent|percentage)\\s+of\\s+(${NUMBER})`),
    ([a, b]) => `${a} / ${b} * 100`,
  ],
  [whole(`(${NUMBER})${PERCENT}\\s+off\\s+(?:of\\s+)?(${NUMBER})`), ([a, b]) => `${b} * (1 - ${a} / 100)`],
  [growth('increased|raised|grows?|grew|rises?|rose'), ([a, b]) => `${a} * (1 + ${b} / 100)`],
  [growth('decreased|reduced|lowered|cut|discounted|falls?|fell'), ([a, b]) => `${a} * (1 - ${b} / 100)`],
  [whole(`(?:square root of|sqrt of)\\s+(${NUMBER})`), ([a]) => `sqrt(${a})`],
  [
    whole(`how many ([a-z]+) (?:are|is|in)\\s+(?:there in\\s+)?(${NUMBER})\\s*([a-z]+)`),
    ([to, number, from]) => convert(number, from, to),
  ],
  [
    whole(`(?:convert\\s+)?(${NUMBER})\\s*([a-z]+)\\s+(?:in|to|into|as)\\s+([a-z]+)`),
    ([number, from, to]) => convert(number, from, to),
  ],
  [
    whole(`(sum|total|average|mean|product)\\s+of\\s+(${NUMBER}(?:(?:\\s*,\\s*and|\\s*,|\\s+and)\\s+${NUMBER})+)`),
    ([kind, listed]) => joinList(kind, listed),
  ],
]

const FUNCTION = '(?:sqrt|abs|round|floor|ceil|trunc|min|max|sum|avg|log|ln|sin|cos|tan|exp|gcd|lcm)'
/** Numbers, operators, functions and what the calculator writes between them, from the beginning to the end. */
const EXPRESSION = whole(
  `(?:(?<![\\w.])\\d+(?:\\.\\d+)?(?:e[-+]?\\d+)?(?![\\w.])|${FUNCTION}\\s*(?=\\()|[-+*/^%(),\\s]|\\bof\\b|\\bmod\\b)+`,
)
const DATE = /\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}([./])\d{1,2}\1\d{2,4}\b/

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
    const expression = found ? write(found.slice(1)) : undefined
    if (expression !== undefined) return expression
  }
  const signs = WORDS.reduce((said, [word, sign]) => said.replace(word, ` ${sign} `), bare)
  const expression = signs.replace(/\s+/g, ' ').replace(/ %/g, '%').trim()
  if (!EXPRESSION.test(expression) || DATE.test(expression) || isSeries(expression)) return undefined
  // two numbers with a dash between them may be lines or pages
  if (/^\d+-\d+$/.test(expression) && bare === plain) return undefined
  return /\d ?%? ?\)* ?(?:[-+*/^%]|\bof\b|\bmod\b) ?\(*[-\d]|[a-z] ?\(/.test(expression.replace(/^-/, ''))
    ? expression
    : undefined
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
function toPlain(text: string): string | undefined {
  const lower = inOneLine(text).replace(/[$€£]\s?(?=\d)/g, '')
  // inside of a function a comma parts arguments
  if (/[a-z]\(/.test(lower)) return lower
  const marked = (lower.match(TOKEN) ?? []).filter((token) => /[.,]/.test(token))
  // 1.000 is 1 to some and 1000 to others
  const isEnglish = marked.every((token) => ENGLISH.test(token) && !/^[1-9]\d{0,2}\.000$/.test(token))
  // "the sum of 1,2 and 3" may be of three numbers
  if (
    !isEnglish &&
    (!marked.every((token) => DECIMAL_COMMA.test(token)) || /\b(?:sum|total|average|mean|product)\b/.test(lower))
  )
    return undefined
  return lower
    .replace(TOKEN, (token) => (isEnglish ? token.replaceAll(',', '') : token.replaceAll('.', '').replace(',', '.')))
    .replace(SCALED, (_, number: string, scale: string) =>
      String(Number((Number(number) * (SCALES[scale] ?? 1)).toPrecision(15))),
    )
}

const CALCULATING = [
  /(?<![\w./-])\(?\d[\d.,]{0,30}\)? ?%? ?(?:\*|\^|×|÷|\+|\*\*) ?\(?-?\d/,
  /(?<![\w./-])\d[\d.,]{0,30}\)? [-−/] \(?-?\d/,
  /(?<![\w./-])\d+!(?![=\w])/,
  new RegExp(`\\b${FUNCTION}\\s*\\(\\s*[-\\d(]`),
  /\b0x[\da-f]+\s*[-+*/]/,
  /\d ?%? ?(?:mod|choose|squared|cubed|plus|minus|times|divided by|multiplied by|to the power of) ?(?:-?\d|$|[?.,])/,
  /\b(?:add|subtract|multiply|divide|raise)\s+(?:-?\d|(?:it|that|this|the (?:result|sum|product|difference))\b.{0,60}\d)/,
  /\b(?:half|third|quarter|double|twice|triple|sum|product|average|mean|median|root|factorial|logarithm|difference|remainder)\s+(?:of|between)\s+(?:the\s+)?(?:numbers?\s+)?-?\d/,
  /\d\s*(?:%|percent|per cent)\s+(?:of|off|from)\s+\d/,
  /\b\d+(?:st|nd|rd|th)\s+(?:prime|fibonacci)\b/,
  /^(?:and\s+)?is\s+\d+\s+(?:an?\s+)?(?:prime|even|odd|divisible|perfect|a\s+\w+\s+number)\b/,
  /^(?:convert|what(?:'s| is)|how much is)\s+\d[\d.,]*\s*[a-z°]+\s+(?:in|to|into)\s+[a-z°]+[?.]?$/,
  /\b(?:increased|raised|reduced|decreased|lowered) by \d/,
  /\b(?:plus|minus|times|divided by|multiplied by)\s+\d/,
  /\d{4}-\d\d-\d\d\s*(?:[-−]|to|and|until|till|minus)\s*\d{4}-\d\d-\d\d/,
]

/** Whether a text reads like a calculation, whether or not it is one that can be made. */
export const isCalculating = (text: string): boolean =>
  readExpression(text) !== undefined || CALCULATING.some((pattern) => pattern.test(inOneLine(text)))

/** `how many metres are 5 km`, `5 km in metres`, `convert 5 km to metres`. */
function convert(number = '', from = '', to = ''): string | undefined {
  const factor = factorOf(from, to)
  if (!factor) return undefined
  return factor.bottom === 1 ? `${number} * ${factor.top}` : `${number} * ${factor.top} / ${factor.bottom}`
}

/** `sum of 1, 2 and 3`. */
function joinList(kind = '', listed = ''): string {
  const items = listed.match(new RegExp(NUMBER, 'g')) ?? []
  const joined = items.join(kind === 'product' ? ' * ' : ' + ')
  return /average|mean/.test(kind) ? `(${joined}) / ${items.length}` : joined
}
