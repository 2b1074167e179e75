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

type Form = readonly [RegExp, (found: readonly string[]) => string | undefined]

/** Wordings of a calculation, and the expression that each means; nothing where it means none after all. */
const FORMS: readonly Form[] = [
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
  [
    new RegExp(`\\bhow many ([a-z]+) (?:are|is|in|does|do)\\s+(?:there in\\s+)?(${NUMBER})\\s*([a-z]+)`),
    ([to, number, from]) => convert(number, from, to),
  ],
  [
    new RegExp(`(${NUMBER})\\s*([a-z]+)\\s+(?:in|to|into|as)\\s+([a-z]+)\\b`),
    ([number, from, to]) => convert(number, from, to),
  ],
  [
    new RegExp(
      `\\b(sum|total|average|mean|product)\\s+(?:of\\s+)?((?:${NUMBER})(?:\\s*(?:,|and|, and)\\s*(?:${NUMBER}))+)`,
    ),
    ([kind, listed]) => joinList(kind, listed),
  ],
]

function growth(verbs: string): RegExp {
  return new RegExp(
    `(${NUMBER})\\s+(?:is\\s+|was\\s+|are\\s+|has\\s+been\\s+)?(?:${verbs})\\s+(?:by\\s+)?(${NUMBER})${PERCENT}`,
  )
}

/** The calculations that a text asks for, as expressions, in their order. */
export function readExpressions(text: string): string[] {
  let plain = text
    .toLowerCase()
    .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
    .replace(/[$€£](?=\d)|#/g, '')
    .replace(new RegExp(`(${NUMBER})\\s(hundred|thousand|million|billion|trillion)\\b`, 'g'), (_, number, scale) =>
      String(Number((Number(number) * (SCALES[scale] ?? 1)).toPrecision(15))),
    )
  const formed: string[] = []
  for (const [pattern, write] of FORMS)
    plain = plain.replace(new RegExp(pattern, 'g'), (whole: string, ...groups: unknown[]) => {
      const expression = write(groups.slice(0, -2).map(String))
      // its mark stands for it, so that "15% of 80 plus 20" is one calculation
      return expression === undefined ? whole : ` #${formed.push(expression) - 1} `
    })
  for (const [word, sign] of WORDS) plain = plain.replace(word, ` ${sign} `)
  const runs =
    plain.match(/(?:(?:sqrt|abs|round|floor|ceil|min|max|log|sin|cos|tan|exp|pow)\s*(?=\()|[\d.()+\-*/%^\s,#])+/g) ?? []
  const found = runs
    .flatMap((run) => (run.includes('(') ? [run] : run.split(',')))
    .flatMap((run) => {
      const expression = run
        .replace(/\s+/g, ' ')
        .replace(/^[\s,.)*/%^+]+/, '')
        .replace(/(?<![\s,.(*/+^-])[\s,.(*/+^-]+$/, '')
        .trim()
      if (!isCalculation(expression))
        return (expression.match(MARK) ?? []).map((mark) => formed[Number(mark.slice(1))] ?? '')
      return [expression.replace(MARK, (mark) => `(${formed[Number(mark.slice(1))]})`)]
    })
  return [...new Set(found)]
}

const MARK = /#\d+/g

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

/** A number, an operator and another number; not a date, a version or a range of lines. */
function isCalculation(text: string): boolean {
  if (/^\d{4}-\d{1,2}-\d{1,2}$/.test(text) || /^\d+(?:\.\d+){2,}$/.test(text)) return false
  const opened = text.split('(').length
  if (opened !== text.split(')').length) return false
  if (/^(?:sqrt|abs|round|floor|ceil|min|max|log|sin|cos|tan|exp|pow)\s*\(/.test(text)) return true
  if (/^\d+-\d+$/.test(text)) return false
  return /\d\s*(?:\)\s*)?[-+*/%^]\s*(?:\(\s*)?(?:-\s*)?[\da-z#]/.test(text)
}
