import { toStem, toWords } from '@svc/core/text'
import { type Filter, readConditions } from './conditions.ts'
import { numberAt, type Row, type Table, toNumber } from './csv.ts'

export type Aggregate = 'count' | 'sum' | 'average' | 'max' | 'min' | 'median' | 'distinct' | 'list'

/** A question about a table. */
export interface TableQuery {
  readonly aggregate: Aggregate
  readonly column: number | undefined
  readonly groupBy: number | undefined
  readonly filters: readonly Filter[]
  /** Conditions of the question that were not understood, in its words. */
  readonly unknown: readonly string[]
}

const AGGREGATES: readonly (readonly [Aggregate, RegExp])[] = [
  ['median', /\bmedian\b/],
  ['average', /\b(?:average|mean|avg)\b/],
  ['distinct', /\b(?:distinct|unique|different)\b/],
  ['max', /\b(?:max(?:imum)?|highest|largest|biggest|greatest|most expensive|top|longest|latest|most)\b/],
  ['min', /\b(?:min(?:imum)?|lowest|smallest|least|cheapest|shortest|earliest|fewest)\b/],
  ['sum', /\b(?:sum|total|altogether|adds? up|added up|how much)\b/],
  ['count', /\b(?:how many|count|number of)\b/],
]

const stemsOf = (text: string): string[] => toWords(text.replace(/([a-z\d])([A-Z])/g, '$1 $2')).map(toStem)

/** Position of the column that a text names: the longest of the names that occur in it, of equal ones that nearest to `by`. */
export function findColumn(columns: readonly string[], text: string, by?: RegExp): number | undefined {
  const words = stemsOf(text)
  const near = by === undefined ? 0 : stemsOf(text.slice(0, Math.max(0, text.search(by)))).length
  const named = columns.flatMap((column, index) => {
    const stems = stemsOf(column)
    if (stems.length === 0 || !stems.every((stem) => words.includes(stem))) return []
    const places = words.flatMap((word, place) => (word === stems[0] ? [Math.abs(place - near)] : []))
    return [{ index, length: stems.length, distance: Math.min(...places) }]
  })
  return named.sort((a, b) => b.length - a.length || a.distance - b.distance)[0]?.index
}

/** What the question asks of the table; undefined when it names neither a column nor an aggregate. */
export function readQuery(text: string, table: Table): TableQuery | undefined {
  const { filters, rest, unknown } = readConditions(text, table)
  const lower = rest.toLowerCase()
  const grouped = /\b(?:per|by|for each|for every|in each|of each|grouped by|group by)\s+([\w ]+)/.exec(lower)
  const groupBy = grouped ? findColumn(table.columns, firstWords(grouped[1] ?? '')) : undefined
  const [aggregate, wording] = AGGREGATES.find(([, pattern]) => pattern.test(lower)) ?? []
  const used = new Set([...filters.map((filter) => filter.column), ...(groupBy === undefined ? [] : [groupBy])])
  const free = table.columns.map((column, index) => (used.has(index) ? '' : column))
  const holdsNumbers = (index: number): boolean => table.rows.some((row) => numberAt(table, row, index) !== undefined)
  // "which name has the highest size" names two columns: the numbers are meant
  const numeric = needsNumbers(aggregate)
    ? findColumn(
        free.map((column, index) => (holdsNumbers(index) && column) || '\u0000'),
        lower,
        wording,
      )
    : undefined
  const named =
    numeric ??
    findColumn(
      free.map((column) => column || '\u0000'),
      rest,
    ) ??
    (needsNumbers(aggregate)
      ? filters.find((filter) => /[<>]/.test(filter.operator) && holdsNumbers(filter.column))?.column
      : undefined)
  const column =
    named ??
    (aggregate === 'distinct' ? groupBy : undefined) ??
    (needsNumbers(aggregate) ? onlyNumbers(table, used) : undefined)
  if (aggregate === undefined && filters.length + unknown.length === 0 && groupBy === undefined) return undefined
  return {
    aggregate: aggregate ?? (groupBy === undefined ? 'list' : 'count'),
    column,
    groupBy: groupBy === column ? undefined : groupBy,
    filters,
    unknown,
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

/** The rows that meet every condition. */
export function applyFilters(table: Table, filters: readonly Filter[]): Row[] {
  return table.rows.filter((row) =>
    filters.every(({ column, operator, value }) => {
      const number = numberAt(table, row, column)
      const bound = toNumber(value, table.decimalCommas.has(column))
      const isSame =
        (row.cells[column] ?? '').toLowerCase() === value.toLowerCase() || (number !== undefined && number === bound)
      if (operator === 'is' || operator === 'is not') return isSame === (operator === 'is')
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
