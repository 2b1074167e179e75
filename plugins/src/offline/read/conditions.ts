import { type Table, toNumber } from './csv.ts'

/** A condition on a column. */
export interface Filter {
  readonly column: number
  readonly operator: 'is' | 'is not' | '>' | '<' | '>=' | '<='
  readonly value: string
}

/** The conditions of a question, and the words of it that seem to be one and were not understood. */
export interface Conditions {
  readonly filters: readonly Filter[]
  /** The question without its conditions. */
  readonly rest: string
  readonly unknown: readonly string[]
}

const NUMBER = '[$€£]?(-?\\d+(?:[.,]\\d+)*)(?:\\s*%)?'
const COMPARED =
  '(>=|<=|!=|>|<|greater than|bigger than|larger than|higher than|more than|above|over|at least|or more than|less than|lower than|smaller than|fewer than|below|under|at most|exactly|not)'
const NEGATION =
  /\b(?:not|except(?: for)?|excluding|other than|without|outside(?: of)?|apart from|besides|but not|isn't|aren't)\b[^.?!]{0,24}$/
/** Words of a condition: one that is left over was not applied. */
const LEFT_OVER =
  /\b(?:positive|negative|non-?zero|(?:not|except|excluding|without|outside|other than|apart from)\s+\S+(?:\s+\S+)?|(?:between|before|after|since|until|above|below|over|under|more than|less than|fewer than|at least|at most|greater than|older than|newer than|starting with|ending with|beginning with|containing|during)\s+\S+|empty|missing|duplicated?s?|today|yesterday|(?:last|first|top|bottom|next)\s+\d+)\b/gi

/** Reads `price > 10`, `at least 10 in quantity`, `between 5 and 10`, `positive amounts`, and values of text columns. */
export function readConditions(text: string, table: Table): Conditions {
  const filters: Filter[] = []
  let rest = text
  const take = (pattern: RegExp, read: (match: RegExpExecArray) => Filter[]): void => {
    const match = pattern.exec(rest)
    if (!match) return
    filters.push(...read(match))
    rest = rest.replace(match[0], ' ')
  }
  table.columns.forEach((name, column) => {
    if (name === '') return
    const spelled = spellings(name)
    const both = (low = '', high = ''): Filter[] => [
      { column, operator: '>=', value: low },
      { column, operator: '<=', value: high },
    ]
    const one = (words = '', value = ''): Filter[] => [{ column, operator: toOperator(words), value }]
    const linked = '(?:\\s+(?:is|are|was|of|being|that is|which is))?\\s*'
    take(new RegExp(`\\b${spelled}${linked}between\\s+${NUMBER}\\s*(?:and|to|-)\\s*${NUMBER}`, 'i'), (m) =>
      both(m[1], m[2]),
    )
    take(new RegExp(`\\b${spelled}${linked}${COMPARED}\\s*${NUMBER}`, 'i'), (m) => one(m[1], m[2]))
    take(new RegExp(`\\b${COMPARED}\\s*${NUMBER}\\s+(?:(?:in|of|for|as)\\s+)?(?:the\\s+)?${spelled}\\b`, 'i'), (m) =>
      one(m[1], m[2]),
    )
    take(
      new RegExp(`\\b${spelled}\\b\\s*(?:=+|is|equals|equal to|of|:)\\s*["'\`]?${NUMBER}["'\`]?(?![\\w.]*\\d)`, 'i'),
      (m) => one('is', m[1]),
    )
    const sign = (word: string): Filter[] => [{ column, operator: /^pos/i.test(word) ? '>' : '<', value: '0' }]
    take(new RegExp(`\\b(positive|negative)\\s+${spelled}\\b`, 'i'), (m) => sign(m[1] ?? ''))
    take(new RegExp(`\\b${spelled}${linked}(positive|negative)\\b`, 'i'), (m) => sign(m[1] ?? ''))
  })
  const valued = readValues(rest, table, new Set(filters.map((filter) => filter.column)))
  for (const { value } of valued) rest = withoutValue(rest, value)
  filters.push(...valued)
  const unknown = [...rest.matchAll(LEFT_OVER)].map(([words]) => words.replace(/(?<![?.,!])[?.,!]+$/, '').trim())
  return { filters, rest, unknown }
}

/** `unit_price`, `unit price`, `unit prices`. */
const spellings = (name: string): string =>
  `${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[_\s]+/g, '[_ ]')}(?:s|es)?`

function toOperator(words: string): Filter['operator'] {
  if (/^(?:>=|at least)$/i.test(words)) return '>='
  if (/^(?:<=|at most)$/i.test(words)) return '<='
  if (/^(?:!=|not)$/i.test(words)) return 'is not'
  if (/^(?:is|exactly)$/i.test(words)) return 'is'
  return /^(?:>|greater|bigger|larger|higher|more|above|over|or more)/i.test(words) ? '>' : '<'
}

/** Values of text columns that the text names, with what denies them. */
function readValues(text: string, table: Table, taken: ReadonlySet<number>): Filter[] {
  const filters: Filter[] = []
  const words = toPlain(text)
  const names = new Set(table.columns.flatMap((column) => [column.toLowerCase(), `${column.toLowerCase()}s`]))
  table.columns.forEach((_, column) => {
    if (taken.has(column)) return
    for (const value of new Set(table.rows.map((row) => row.cells[column] ?? ''))) {
      const plain = toPlain(value).trim()
      const at = plain.length > 1 ? words.search(new RegExp(` ${escapePlain(plain)}(?:s|es)? `)) : -1
      if (at < 0 || names.has(plain) || toNumber(value, table.decimalCommas.has(column)) !== undefined) continue
      if (filters.some((filter) => filter.column === column)) continue
      filters.push({ column, operator: NEGATION.test(words.slice(0, at + 1)) ? 'is not' : 'is', value })
    }
  })
  return filters
}

const escapePlain = (text: string): string => text.replace(/[.]/g, '\\.')

const toPlain = (text: string): string =>
  ` ${text.toLowerCase().replace(/[^\p{L}\p{N}.@_'-]+/gu, ' ')} `.replace(/\.(?= )/g, '')

/** The text without a value, and without the words that deny it. */
function withoutValue(text: string, value: string): string {
  const at = text.toLowerCase().indexOf(value.toLowerCase())
  if (at < 0) return text
  const before = text.slice(0, at)
  const denial = NEGATION.exec(before.toLowerCase())
  return `${denial ? before.slice(0, denial.index) : before} ${text.slice(at + value.length)}`
}
