import { toStem, toWords } from '@svc/core/text'
import { numberAt, type Row, type Table, toNumber } from './csv.ts'

export type Aggregate = 'count' | 'sum' | 'average' | 'max' | 'min' | 'median' | 'distinct' | 'list'

/** A condition on a column. */
export interface Filter {
  readonly column: number
  readonly operator: 'is' | '>' | '<' | '>=' | '<='
  readonly value: string
}

/** A question about a table. */
export interface TableQuery {
  readonly aggregate: Aggregate
  readonly column: number | undefined
  readonly groupBy: number | undefined
  readonly filters: readonly Filter[]
}

const AGGREGATES: readonly (readonly [Aggregate, RegExp])[] = [
  ['median', /\bmedian\b/],
  ['average', /\b(?:average|mean|avg)\b/],
  ['distinct', /\b(?:distinct|unique|different)\b/],
  ['max', /\b(?:max(?:imum)?|highest|largest|biggest|greatest|most expensive|top|longest|latest|most)\b/],
  ['min', /\b(?:min(?:imum)?|lowest|smallest|least|cheapest|shortest|earliest|fewest)\b/],
  ['sum', /\b(?:sum|total|altogether|add up|how much)\b/],
  ['count', /\b(?:how many|count|number of)\b/],
]

const stemsOf = (text: string): string[] => toWords(text.replace(/([a-z\d])([A-Z])/g, '$1 $2')).map(toStem)

/** Position of the column that a text names: the longest of the names that occur in it. */
export function findColumn(columns: readonly string[], text: string): number | undefined {
  const asked = new Set(stemsOf(text))
  let best: number | undefined
  let bestWords = 0
  columns.forEach((column, index) => {
    const stems = stemsOf(column)
    if (stems.length > bestWords && stems.every((stem) => asked.has(stem))) {
      best = index
      bestWords = stems.length
    }
  })
  return best
}

/** What the question asks of the table; undefined when it names neither a column nor an aggregate. */
export function readQuery(text: string, table: Table): TableQuery | undefined {
  const lower = text.toLowerCase()
  const filters = readFilters(text, table)
  const grouped = /\b(?:per|by|for each|for every|in each|of each|grouped by|group by)\s+([\w ]+)/.exec(lower)
  const groupBy = grouped ? findColumn(table.columns, firstWords(grouped[1] ?? '')) : undefined
  const aggregate = AGGREGATES.find(([, pattern]) => pattern.test(lower))?.[0]
  const used = new Set([...filters.map((filter) => filter.column), ...(groupBy === undefined ? [] : [groupBy])])
  const free = table.columns.map((column, index) => (used.has(index) ? '' : column))
  const rest = withoutFilters(text, filters)
  const holdsNumbers = (index: number): boolean => table.rows.some((row) => numberAt(table, row, index) !== undefined)
  // "which name has the highest size" names two columns: the numbers are meant
  const numeric = needsNumbers(aggregate)
    ? findColumn(
        free.map((column, index) => (holdsNumbers(index) && column) || '\u0000'),
        rest,
      )
    : undefined
  const named =
    numeric ??
    findColumn(
      free.map((column) => column || '\u0000'),
      rest,
    )
  const column =
    named ??
    (aggregate === 'distinct' ? groupBy : undefined) ??
    (needsNumbers(aggregate) ? onlyNumbers(table, used) : undefined)
  if (aggregate === undefined && filters.length === 0 && groupBy === undefined) return undefined
  return {
    aggregate: aggregate ?? (groupBy === undefined ? 'list' : 'count'),
    column,
    groupBy: groupBy === column ? undefined : groupBy,
    filters,
  }
}

const needsNumbers = (aggregate: Aggregate | undefined): boolean =>
  aggregate !== undefined && aggregate !== 'count' && aggregate !== 'distinct'

/** The one column of numbers that is not an id; undefined where there are several. */
function onlyNumbers(table: Table, used: ReadonlySet<number>): number | undefined {
  const numeric = table.columns
    .map((_, index) => index)
    .filter(
      (index) =>
        !used.has(index) &&
        !/(?:^|_)id$/i.test(table.columns[index] ?? '') &&
        table.rows.length > 0 &&
        table.rows.every((row) => numberAt(table, row, index) !== undefined),
    )
  return numeric.length === 1 ? numeric[0] : undefined
}

const firstWords = (text: string): string => text.split(/\s+/).slice(0, 3).join(' ')

function withoutFilters(text: string, filters: readonly Filter[]): string {
  return filters.reduce((rest, filter) => rest.replace(filter.value, ' '), text)
}

/** `where status is open`, `price > 10`, `above 10`, and values of text columns that occur in the question. */
function readFilters(text: string, table: Table): Filter[] {
  const filters: Filter[] = []
  table.columns.forEach((name, column) => {
    const spelled = escapeRegex(name).replace(/[_\s]+/g, '[_ ]')
    const compared = new RegExp(
      `\\b${spelled}\\b\\s*(?:is |are |of )?\\s*(>=|<=|>|<|greater than|more than|above|over|at least|less than|below|under|at most)\\s*\\$?(-?\\d+(?:[.,]\\d+)*)`,
      'i',
    ).exec(text)
    if (compared) filters.push({ column, operator: toOperator(compared[1] ?? ''), value: compared[2] ?? '' })
    const equal = new RegExp(
      `\\b${spelled}\\b\\s*(?:=+|is|equals|equal to|of|:)\\s*["'\`]?(-?\\d+(?:[.,]\\d+)*)["'\`]?(?![\\w.]*\\d)`,
      'i',
    ).exec(text)
    if (equal && !compared) filters.push({ column, operator: 'is', value: equal[1] ?? '' })
  })
  const words = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}.@_-]+/gu, ' ')} `.replace(/\.(?= )/g, '')
  const names = new Set(table.columns.map((column) => column.toLowerCase()))
  table.columns.forEach((_, column) => {
    const values = new Set(table.rows.map((row) => row.cells[column] ?? ''))
    for (const value of values) {
      const plain = value
        .toLowerCase()
        .replace(/[^\p{L}\p{N}.@_-]+/gu, ' ')
        .trim()
      const isAsked =
        plain !== '' &&
        toNumber(value, table.decimalCommas.has(column)) === undefined &&
        plain.length > 1 &&
        !names.has(plain) &&
        words.includes(` ${plain} `)
      if (isAsked && !filters.some((filter) => filter.column === column))
        filters.push({ column, operator: 'is', value })
    }
  })
  return filters
}

const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function toOperator(words: string): Filter['operator'] {
  if (/^(?:>=|at least)$/i.test(words)) return '>='
  if (/^(?:<=|at most)$/i.test(words)) return '<='
  return /^(?:>|greater|more|above|over)/i.test(words) ? '>' : '<'
}

/** The rows that meet every condition. */
export function applyFilters(table: Table, filters: readonly Filter[]): Row[] {
  return table.rows.filter((row) =>
    filters.every(({ column, operator, value }) => {
      const number = numberAt(table, row, column)
      const bound = toNumber(value, table.decimalCommas.has(column))
      if (operator === 'is')
        return (
          (row.cells[column] ?? '').toLowerCase() === value.toLowerCase() || (number !== undefined && number === bound)
        )
      if (number === undefined || bound === undefined) return false
      return operator === '>'
        ? number > bound
        : operator === '<'
          ? number < bound
          : operator === '>='
            ? number >= bound
            : number <= bound
    }),
  )
}

/** A number of the numbers of a column, without the noise of binary fractions; undefined for an empty list. */
export function aggregate(kind: Aggregate, numbers: readonly number[]): number | undefined {
  if (numbers.length === 0) return undefined
  const sum = numbers.reduce((total, number) => total + number, 0)
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const value =
    kind === 'sum'
      ? sum
      : kind === 'average'
        ? sum / numbers.length
        : kind === 'max'
          ? (sorted.at(-1) ?? 0)
          : kind === 'min'
            ? (sorted[0] ?? 0)
            : kind === 'median'
              ? sorted.length % 2 === 1
                ? (sorted[middle] ?? 0)
                : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
              : numbers.length
  return Number(value.toPrecision(12))
}
