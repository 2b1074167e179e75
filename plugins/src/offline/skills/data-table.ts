import { at, atLines, type Cite } from '../cite.ts'
import { claim, heading, lead, note, type Part } from '../claim.ts'
import { type Question, withoutFile } from '../question.ts'
import { numberAt, type Row, type Table } from '../read/csv.ts'
import { aggregate, applyFilters, readQuery, type TableQuery } from '../read/query.ts'
import { type Finding, notFound } from '../skill.ts'
import { plural, quote, tick } from '../wording.ts'

/** What a table says to a question: its columns, or rows that are counted, summed, compared or listed. */
export function answerFromTable(question: Question, table: Table, place: string): Finding {
  const query = readQuery(withoutFile(question, table.path), table)
  const asksColumns =
    /\b(?:which|what|list|name) (?:are )?(?:the )?(?:columns?|fields|headers?)\b|\bhow many columns\b|\bcolumn names\b/.test(
      question.lower,
    )
  const limit =
    table.unread > 0
      ? [note(`Only the first ${table.rows.length} rows of \`${table.path}\` were read; ${table.unread} lines follow.`)]
      : []
  if (asksColumns || !query) {
    const parts = [...(asksColumns ? [] : describeTable(table)), ...describeColumns(table), ...limit]
    return {
      parts,
      facts: { columns: table.columns, rows: table.rows.length, count: table.columns.length },
      answered: asksColumns,
    }
  }
  if (query.unknown.length > 0) {
    const said = query.unknown.map((words) => quote(words)).join(', ')
    return notFound(
      `I found no way to apply the condition ${said} to \`${table.path}\`, so I leave the rows uncounted.`,
    )
  }
  const rows = applyFilters(table, query.filters)
  const finding =
    query.groupBy === undefined
      ? answerWhole(table, query, rows, place)
      : answerGroups(table, query, query.groupBy, rows)
  return { ...finding, parts: [...finding.parts, ...limit] }
}

const where = (table: Table, query: TableQuery): string =>
  query.filters
    .map(({ column, operator, value }) => ` where ${tick(table.columns[column] ?? '')} ${operator} ${tick(value)}`)
    .join(' and')
    .replaceAll(' and where', ' and')

/** Lines of rows as citations, header first, at most twelve pieces; many pieces become one range. */
function citeRows(table: Table, rows: readonly Row[]): Cite[] {
  const lines = rows.flatMap((row) => Array.from({ length: row.to - row.from + 1 }, (_, index) => row.from + index))
  const cites = atLines(table.path, lines)
  if (lines.length === 0 || cites.length <= 12) return cites
  return [at(table.path, Math.min(...lines), Math.max(...lines))]
}

function answerWhole(table: Table, query: TableQuery, rows: readonly Row[], place: string): Finding {
  const header = at(table.path, table.header)
  const condition = where(table, query)
  const values = query.filters.map((filter) => filter.value)
  if (query.aggregate === 'list') {
    const shown = rows.slice(0, 20)
    if (rows.length === 0)
      return {
        parts: [
          note(`I found no row of \`${table.path}\`${condition}: I looked at ${plural(table.rows.length, 'row')}.`),
        ],
        facts: { count: 0 },
        answered: true,
      }
    const parts = [
      heading(`${plural(rows.length, 'row')} of ${tick(table.path)}${condition}`),
      ...shown.map((row) => describeRow(table, row, query.column)),
    ]
    return {
      parts,
      facts: { count: rows.length, value: query.column === undefined ? undefined : rows[0]?.cells[query.column] },
      answered: true,
    }
  }
  const column = query.column
  const name = column === undefined ? '' : (table.columns[column] ?? '')
  if (query.aggregate === 'distinct' && column !== undefined) {
    const distinct = [...new Set(rows.map((row) => row.cells[column] ?? '').filter((cell) => cell !== ''))]
    const first = distinct
      .map((value) => rows.find((row) => row.cells[column] === value))
      .filter((row) => row !== undefined)
    const text = `${tick(name)} has ${plural(distinct.length, 'different value')}${condition}: ${distinct
      .slice(0, 30)
      .map((value) => tick(value))
      .join(', ')}`
    return {
      parts: [
        lead(
          text,
          [
            header,
            ...atLines(
              table.path,
              first.slice(0, 30).map((row) => row.from),
            ),
          ],
          [distinct.length, ...values],
        ),
      ],
      facts: { count: distinct.length, values: distinct },
      answered: true,
    }
  }
  if (query.aggregate === 'count' || column === undefined) {
    const noun = place === '' ? 'row' : 'entry'
    const text = `${tick(table.path)} has ${plural(rows.length, noun)}${condition}`
    const cites = [...(query.filters.length > 0 || rows.length === 0 ? [header] : []), ...citeRows(table, rows)]
    return {
      parts: [
        lead(text, cites, [
          rows.length,
          table.path,
          ...values,
          ...query.filters.map((filter) => table.columns[filter.column] ?? ''),
        ]),
      ],
      facts: { count: rows.length, rows: rows.length },
      answered: true,
    }
  }
  const numbers = rows.map((row) => numberAt(table, row, column)).filter((number) => number !== undefined)
  const result = aggregate(query.aggregate, numbers)
  if (result === undefined)
    return {
      ...notFound(
        `I found no number in the column \`${name}\` of \`${table.path}\`${condition}: I looked at ${plural(rows.length, 'row')}.`,
      ),
    }
  const facts = { [query.aggregate]: result, value: result, result, answer: result, [name]: result }
  if (query.aggregate === 'max' || query.aggregate === 'min') {
    const extreme = rows.filter((row) => numberAt(table, row, column) === result)
    const word = query.aggregate === 'max' ? 'highest' : 'lowest'
    const parts = [
      lead(
        `The ${word} ${tick(name)}${condition} is ${tick(extreme[0]?.cells[column] ?? '')}`,
        [
          header,
          ...atLines(
            table.path,
            extreme.slice(0, 5).map((row) => row.from),
          ),
        ],
        values,
      ),
      ...extreme.slice(0, 5).map((row) => describeRow(table, row, undefined)),
    ]
    return { parts, facts, answered: true }
  }
  const word = { sum: 'sum', average: 'average', median: 'median' }[query.aggregate as 'sum' | 'average' | 'median']
  const shown =
    numbers.length <= 12 && query.aggregate !== 'median'
      ? ` = ${query.aggregate === 'sum' ? numbers.join(' + ') : `(${numbers.join(' + ')}) / ${numbers.length}`}`
      : ''
  const text = `The ${word} of ${tick(name)} over ${plural(numbers.length, 'row')}${condition} is ${result}${shown}`
  return {
    parts: [
      lead(
        text,
        [header, ...citeRows(table, rows)],
        [result, numbers.length, ...numbers.map((number) => (number < 0 ? -number : number)), ...values],
      ),
    ],
    facts,
    answered: true,
  }
}

function answerGroups(table: Table, query: TableQuery, groupBy: number, rows: readonly Row[]): Finding {
  const groups = [...new Set(rows.map((row) => row.cells[groupBy] ?? ''))].filter((value) => value !== '')
  const column = query.column
  const isCount =
    query.aggregate === 'count' || column === undefined || query.aggregate === 'list' || query.aggregate === 'distinct'
  const results = groups.map((value) => {
    const own = rows.filter((row) => row.cells[groupBy] === value)
    const numbers = own.map((row) => numberAt(table, row, column ?? -1)).filter((number) => number !== undefined)
    return { value, own, result: isCount ? own.length : aggregate(query.aggregate, numbers) }
  })
  const sorted = results
    .filter((item) => item.result !== undefined)
    .sort((a, b) => (b.result ?? 0) - (a.result ?? 0) || (a.value < b.value ? -1 : 1))
  const name = table.columns[groupBy] ?? ''
  const title = isCount
    ? `Rows for each ${tick(name)}`
    : `The ${query.aggregate} of ${tick(table.columns[column ?? 0] ?? '')} for each ${tick(name)}`
  const parts: Part[] = sorted
    .slice(0, 30)
    .map((item) =>
      claim(
        `${tick(item.value)}: ${isCount ? plural(item.result ?? 0, 'row') : String(item.result)}`,
        citeRows(table, item.own),
        [item.result ?? 0, Math.abs(item.result ?? 0)],
      ),
    )
  return {
    parts: [heading(`${title}${where(table, query)}, the highest first`), ...parts],
    facts: { groups: Object.fromEntries(sorted.map((item) => [item.value, item.result])) },
    answered: true,
  }
}

function describeRow(table: Table, row: Row, column: number | undefined): Part {
  const cells = table.columns
    .map((name, index) => ({ name, cell: row.cells[index] ?? '', index }))
    .filter(({ cell }) => cell !== '')
  const shown =
    column === undefined
      ? cells.slice(0, 8)
      : [...cells.filter(({ index }) => index === column), ...cells.filter(({ index }) => index !== column)].slice(0, 6)
  return claim(
    shown.map(({ name, cell }) => `${name} ${tick(cell, 80)}`).join(', '),
    [at(table.path, row.from, row.to)],
    table.columns.flatMap((name) => name.match(/\d+/g) ?? []),
  )
}

function describeTable(table: Table): Part[] {
  const last = table.rows.at(-1)
  return [
    lead(
      `${tick(table.path)} is a table of ${plural(table.columns.length, 'column')} and ${plural(table.rows.length, 'row')}`,
      [at(table.path, table.header, last?.to ?? table.header)],
      [table.columns.length, table.rows.length],
    ),
  ]
}

function describeColumns(table: Table): Part[] {
  const isCsv = !/\.jsonc?$/i.test(table.path)
  const cites = isCsv
    ? [at(table.path, table.header)]
    : [at(table.path, table.rows[0]?.from ?? 1, table.rows.at(-1)?.to ?? 1)]
  return [
    lead(
      `${isCsv ? 'Its' : 'The entries have'} ${plural(table.columns.length, 'column')}${isCsv ? ' are' : ':'} ${table.columns.map((column) => tick(column)).join(', ')}`,
      cites,
      [table.columns.length],
    ),
  ]
}
