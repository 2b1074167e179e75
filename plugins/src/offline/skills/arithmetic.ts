import { note } from '../claim.ts'
import type { Finding, Skill } from '../skill.ts'

const NUMBER = String.raw`-?\d+(?:\.\d+)?`
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

/** Arithmetic, as signs or as words; the calculation is shown. */
export const arithmetic: Skill = {
  id: 'arithmetic',
  asks: ({ text }, tools) => tools.get('calculate') !== undefined && readExpressions(text).length > 0,
  *work(session): ReturnType<Skill['work']> {
    const tool = session.tools.get('calculate')
    const expressions = readExpressions(session.question.text)
    if (!tool) return { parts: [], answered: false }
    const parts = []
    const facts: Record<string, unknown> = {}
    for (const expression of expressions.slice(0, 5)) {
      const outcome = yield* session.call(tool.id, { [tool.main]: expression })
      const value = outcome.ok ? (outcome.text.split('=').at(-1)?.trim() ?? '') : ''
      if (!outcome.ok) continue
      parts.push(note(outcome.text.includes('=') ? outcome.text.trim() : `${expression} = ${value}`))
      const number = Number(value.replace(/,/g, ''))
      for (const name of ['result', 'value', 'answer', 'total'])
        facts[name] ??= Number.isFinite(number) ? number : value
    }
    const finding: Finding = { parts, facts, answered: parts.length > 0 }
    return finding
  },
}

/** The calculations that a text asks for, as expressions. */
export function readExpressions(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replace(/(\d),(?=\d{3}\b)/g, '$1')
    .replace(/[$€£](?=\d)/g, '')
  const found: string[] = []
  const percent = new RegExp(`(${NUMBER})\\s*(?:%|percent)\\s+of\\s+(${NUMBER})`).exec(plain)
  if (percent) found.push(`${percent[1]}% of ${percent[2]}`)
  const grown = new RegExp(
    `(${NUMBER})\\s+(increased|decreased|reduced|raised|plus|minus)\\s+(?:by\\s+)?(${NUMBER})\\s*(?:%|percent)`,
  ).exec(plain)
  if (grown) found.push(`${grown[1]} * (1 ${/^(?:dec|red|min)/.test(grown[2] ?? '') ? '-' : '+'} ${grown[3]} / 100)`)
  const root = new RegExp(`\\b(?:square root of|sqrt of)\\s+(${NUMBER})`).exec(plain)
  if (root) found.push(`sqrt(${root[1]})`)
  const listed = new RegExp(
    `\\b(sum|total|average|mean|product)\\s+(?:of\\s+)?((?:${NUMBER})(?:\\s*(?:,|and|, and)\\s*(?:${NUMBER}))+)`,
  ).exec(plain)
  if (listed) {
    const items = (listed[2] ?? '').match(new RegExp(NUMBER, 'g')) ?? []
    const joined = items.join(listed[1] === 'product' ? ' * ' : ' + ')
    found.push(/average|mean/.test(listed[1] ?? '') ? `(${joined}) / ${items.length}` : joined)
  }
  if (found.length > 0) return found
  let signs = plain
  for (const [word, sign] of WORDS) signs = signs.replace(word, ` ${sign} `)
  const candidates =
    signs.match(/(?:(?:sqrt|abs|round|floor|ceil|min|max|log|sin|cos|tan|exp|pow)\s*(?=\()|[\d.()+\-*/%^\s,])+/g) ?? []
  return candidates
    .map((item) =>
      item
        .replace(/\s+/g, ' ')
        .replace(/^[\s,.)*/%^+]+|[\s,.(*/+^-]+$/g, '')
        .trim(),
    )
    .filter(isCalculation)
}

/** A number, an operator and another number; not a date, a version or a range of lines. */
function isCalculation(text: string): boolean {
  if (/^\d{4}-\d{1,2}-\d{1,2}$/.test(text) || /^\d+(?:\.\d+){2,}$/.test(text)) return false
  const opened = text.split('(').length
  if (opened !== text.split(')').length) return false
  if (/^(?:sqrt|abs|round|floor|ceil|min|max|log|sin|cos|tan|exp|pow)\s*\(/.test(text)) return true
  if (/^\d+-\d+$/.test(text)) return false
  return /\d\s*\)?\s*[-+*/%^]\s*\(?\s*-?\s*(?:\d|[a-z])/.test(text)
}
