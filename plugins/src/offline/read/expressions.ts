import { factorOf } from './units.ts'

const NUMBER = String.raw`-?\d+(?:\.\d+)?`
const PERCENT = String.raw`\s*(?:%|percent\b|per cent\b)`
const SCALES: Readonly<Record<string, number>> = {
  hundred: 1e2,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
}
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bplus\b|\badded to\b/g, '+'],
  [/\bminus\b|\bless\b/g, '-'],
  [/\b(?:multiplied by|times)\b|[×·]/g, '*'],
  [/\b(?:divided by|over)\b|÷/g, '/'],
  [/\b(?:to the power of|to the)\s+(?=\d)/g, '^'],
  [/\bsquared\b/g, '^ 2'],
  [/\bcubed\b/g, '^ 3'],
  [/−/g, '-'],
]

/** Wordings of a calculation, and the expression that each means. */
const FORMS: readonly (readonly [RegExp, (numbers: readonly string[]) => string])[] = [
  [new RegExp(`percentage\\s+of\\s+(${NUMBER})\\s+(?:is|are)\\s+(${NUMBER})`), ([a, b]) => `${b} / ${a} * 100`],
  [
    new RegExp(`(${NUMBER})\\s+(?:is|as|in)\\s+(?:what\\s+|a\\s+)?(?:percent|percentage)\\s+of\\s+(${NUMBER})`),
    ([a, b]) => `${a} / ${b} * 100`,
  ],
  [new RegExp(`(${NUMBER})${PERCENT}\\s+off\\s+(?:of\\s+)?(${NUMBER})`), ([a, b]) => `${b} * (1 - ${a} / 100)`],
  [new RegExp(`(${NUMBER})${PERCENT}\\s+(?:of|from)\\s+(${NUMBER})`), ([a, b]) => `${a}% of ${b}`],
  [growth('increased|raised|grows?|grew|rises?|rose|plus|up|more'), ([a, b]) => `${a} * (1 + ${b} / 100)`],
  [
    growth('decreased|reduced|lowered|cut|discounted|falls?|fell|minus|down|less'),
    ([a, b]) => `${a} * (1 - ${b} / 100)`,
  ],
  [new RegExp(`\\b(?:square root of|sqrt of)\\s+(${NUMBER})`), ([a]) => `sqrt(${a})`],
]

function growth(verbs: string): RegExp {
  return new RegExp(
    `(${NUMBER})\\s+(?:is\\s+|was\\s+|are\\s+|has\\s+been\\s+)?(?:${verbs})\\s+(?:by\\s+)?(${NUMBER})${PERCENT}`,
  )
}

/** The calculations that a text asks for, as expressions. */
export function readExpressions(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
    .replace(/[$€£](?=\d)/g, '')
    .replace(new RegExp(`(${NUMBER})\\s(hundred|thousand|million|billion|trillion)\\b`, 'g'), (_, number, scale) =>
      String(Number((Number(number) * (SCALES[scale] ?? 1)).toPrecision(15))),
    )
  const formed = FORMS.flatMap(([pattern, write]) => {
    const match = pattern.exec(plain)
    return match ? [write(match.slice(1))] : []
  })
  const found = [...formed.slice(0, 1), ...readConversion(plain), ...readList(plain)]
  if (found.length > 0) return found
  let signs = plain
  for (const [word, sign] of WORDS) signs = signs.replace(word, ` ${sign} `)
  const candidates =
    signs.match(/(?:(?:sqrt|abs|round|floor|ceil|min|max|log|sin|cos|tan|exp|pow)\s*(?=\()|[\d.()+\-*/%^\s,])+/g) ?? []
  return candidates
    .map((item) =>
      item
        .replace(/\s+/g, ' ')
        .replace(/^[\s,.)*/%^+]+/, '')
        .replace(/(?<![\s,.(*/+^-])[\s,.(*/+^-]+$/, '')
        .trim(),
    )
    .filter(isCalculation)
}

/** `how many metres are 5 km`, `5 km in metres`, `convert 5 km to metres`. */
function readConversion(plain: string): string[] {
  const asked = new RegExp(
    `\\bhow many ([a-z]+) (?:are|is|in|does|do)\\s+(?:there in\\s+)?(${NUMBER})\\s*([a-z]+)`,
  ).exec(plain)
  const put = new RegExp(`(${NUMBER})\\s*([a-z]+)\\s+(?:in|to|into|as)\\s+([a-z]+)\\b`).exec(plain)
  const [number, from, to] = asked ? [asked[2], asked[3], asked[1]] : [put?.[1], put?.[2], put?.[3]]
  const factor = from === undefined || to === undefined ? undefined : factorOf(from, to)
  if (number === undefined || !factor) return []
  return [factor.bottom === 1 ? `${number} * ${factor.top}` : `${number} * ${factor.top} / ${factor.bottom}`]
}

/** `sum of 1, 2 and 3`. */
function readList(plain: string): string[] {
  const listed = new RegExp(
    `\\b(sum|total|average|mean|product)\\s+(?:of\\s+)?((?:${NUMBER})(?:\\s*(?:,|and|, and)\\s*(?:${NUMBER}))+)`,
  ).exec(plain)
  if (!listed) return []
  const items = (listed[2] ?? '').match(new RegExp(NUMBER, 'g')) ?? []
  const joined = items.join(listed[1] === 'product' ? ' * ' : ' + ')
  return [/average|mean/.test(listed[1] ?? '') ? `(${joined}) / ${items.length}` : joined]
}

/** A number, an operator and another number; not a date, a version or a range of lines. */
function isCalculation(text: string): boolean {
  if (/^\d{4}-\d{1,2}-\d{1,2}$/.test(text) || /^\d+(?:\.\d+){2,}$/.test(text)) return false
  const opened = text.split('(').length
  if (opened !== text.split(')').length) return false
  if (/^(?:sqrt|abs|round|floor|ceil|min|max|log|sin|cos|tan|exp|pow)\s*\(/.test(text)) return true
  if (/^\d+-\d+$/.test(text)) return false
  return /\d\s*(?:\)\s*)?[-+*/%^]\s*(?:\(\s*)?(?:-\s*)?(?:\d|[a-z])/.test(text)
}
