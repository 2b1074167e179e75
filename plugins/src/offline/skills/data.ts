import { toStem, toWords } from '@svc/core/text'
import { at, atLines, type Cite } from '../cite.ts'
import type { Part } from '../claim.ts'
import { claim, heading, lead, note } from '../claim.ts'
import type { Look } from '../look.ts'
import type { Question } from '../question.ts'
import { type Row, readCsv, type Table, toNumber } from '../read/csv.ts'
import type { Excerpt } from '../read/formats.ts'
import { readJsonLines } from '../read/json-lines.ts'
import { readJsonTables } from '../read/json-table.ts'
import type { DataNode } from '../read/node.ts'
import { aggregate, applyFilters, findColumn, readQuery, type TableQuery } from '../read/query.ts'
import type { Finding, Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, tick } from '../wording.ts'
import { findNamed } from './find-file.ts'

const DATA_FILE = /\.(?:csv|tsv|json|jsonc)$/i
const MANIFEST = /(?:^|\/)(?:package(?:-lock)?|tsconfig[\w.]*|composer)\.json$/

/** Questions about tables and values: counts, sums, averages, extremes, groups, filters, columns, values of keys. */
export const data: Skill = {
  id: 'data',
  asks: (question) =>
    !/\bhow many lines\b|\bnumber of lines\b|\bcount (?:the )?lines\b/.test(question.lower) &&
    (namesData(question) || /\b(?:csv|tsv|spreadsheet|data ?set|columns?|rows|records)\b/.test(question.lower)),
  *work(session) {
    const named = yield* findNamed(session)
    let files = named.files.filter((path) => DATA_FILE.test(path))
    if (files.length === 0 && named.missing.some((path) => DATA_FILE.test(path)))
      return {
        parts: named.missing.map((path) => note(`I found no file \`${path}\` in the workspace.`)),
        answered: true,
      }
    if (files.length === 0)
      files = guessFiles(
        session.question,
        named.tree.files.map((file) => file.path),
      )
    const excerpts = yield* session.readAll(files.slice(0, 3), 3000)
    const findings = excerpts.map((excerpt) => answerFrom(session.question, excerpt))
    if (excerpts.length === 0)
      return { parts: [note('I found no CSV or JSON file that the question could be about.')], answered: false }
    const better = findings.filter((finding) => finding.answered)
    const chosen = better.length > 0 ? better : findings.slice(0, 1)
    return {
      parts: chosen.flatMap((finding) => finding.parts),
      facts: Object.assign({}, ...chosen.map((finding) => finding.facts ?? {})),
      answered: true,
    }
  },
}

/** Sums and counts over the tables of the workspace, for questions that name no file but a column or a value of one. */
export function* tryTables(session: ToolSession, paths: readonly string[]): Look<Finding | undefined> {
  const tables = paths.filter((path) => /\.(?:csv|tsv)$/i.test(path))
  if (tables.length === 0 || !AGGREGATED.test(session.question.lower)) return undefined
  const excerpts = yield* session.readAll(tables.slice(0, 3), 3000)
  const asked = excerpts.flatMap((excerpt) => {
    const table = readCsv(excerpt)
    const query = table && readQuery(session.question.text, table)
    if (!table || !query) return []
    const isNamed = findColumn(table.columns, session.question.text) !== undefined
    return [{ table, score: query.filters.length + (isNamed ? 1 : 0) + (query.groupBy === undefined ? 0 : 1) }]
  })
  const best = asked.sort((x, y) => y.score - x.score)[0]
  return best && best.score > 0 ? answerFromTable(session.question, best.table, '') : undefined
}

const AGGREGATED =
  /\b(?:sum|total|average|mean|median|highest|lowest|largest|smallest|max(?:imum)?|min(?:imum)?|most|least|how (?:many|much)|count)\b/

const namesData = (question: Question): boolean =>
  question.paths.some((path) => DATA_FILE.test(path) && !MANIFEST.test(path)) ||
  (question.paths.some((path) => MANIFEST.test(path)) &&
    /\b(?:value|key|field|property|setting|option)\b/.test(question.lower))

/** Data files by the words of their names; the only one, where there is one. */
function guessFiles(question: Question, paths: readonly string[]): string[] {
  const tables = paths.filter((path) => /\.(?:csv|tsv)$/i.test(path))
  const others = paths.filter((path) => DATA_FILE.test(path) && !MANIFEST.test(path) && !tables.includes(path))
  const isNamed = (path: string): boolean =>
    toWords(path.replace(/\.\w+$/, ''))
      .map(toStem)
      .some((stem) => question.stems.has(stem))
  const named = [...tables, ...others].filter(isNamed)
  return named.length > 0 ? named : tables.length > 0 ? tables : others
}

function answerFrom(question: Question, excerpt: Excerpt): Finding {
  if (!/\.jsonc?$/i.test(excerpt.path)) {
    const table = readCsv(excerpt)
    return table
      ? answerFromTable(question, table, '')
      : { parts: [note(`\`${excerpt.path}\` holds no table.`)], answered: false }
  }
  const nodes = readJsonLines(excerpt)
  const tables = readJsonTables(excerpt.path, nodes)
  const value = answerFromKeys(question, excerpt.path, nodes)
  const asked =
    tables.find(({ at: place }) =>
      toWords(place)
        .map(toStem)
        .some((stem) => question.stems.has(stem)),
    ) ?? tables[0]
  const query = asked && readQuery(withoutFile(question, excerpt.path), asked.table)
  if (asked && query && !(value.answered && query.aggregate === 'list' && query.filters.length === 0))
    return answerFromTable(question, asked.table, asked.at)
  if (value.answered) return value
  return asked ? answerFromTable(question, asked.table, asked.at) : describeKeys(excerpt.path, nodes)
}

const withoutFile = (question: Question, path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return question.text.split(path).join(' ').split(name).join(' ')
}

function answerFromTable(question: Question, table: Table, place: string): Finding {
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
  const rows = applyFilters(table.rows, query.filters)
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
  const numbers = rows.map((row) => toNumber(row.cells[column] ?? '')).filter((number) => number !== undefined)
  const result = aggregate(query.aggregate, numbers)
  if (result === undefined)
    return {
      parts: [
        note(
          `The column \`${name}\` of \`${table.path}\`${condition} holds no number: I looked at ${plural(rows.length, 'row')}.`,
        ),
      ],
      answered: true,
    }
  const facts = { [query.aggregate]: result, value: result, result, answer: result, [name]: result }
  if (query.aggregate === 'max' || query.aggregate === 'min') {
    const extreme = rows.filter((row) => toNumber(row.cells[column] ?? '') === result)
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
    const numbers = own.map((row) => toNumber(row.cells[column ?? -1] ?? '')).filter((number) => number !== undefined)
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

/** The values whose keys the question names, deepest match first. */
function answerFromKeys(question: Question, path: string, nodes: readonly DataNode[]): Finding {
  const asked = new Set([
    ...toWords(withoutFile(question, path)).map(toStem),
    ...question.identifiers.flatMap((name) => name.split('.')).map((name) => toStem(name.toLowerCase())),
  ])
  const dotted = [...question.text.matchAll(/[\w$-]+(?:\.[\w$-]+)+/g)].map((match) => match[0])
  const exact = nodes.filter((node) => node.path.length > 0 && dotted.includes(node.path.join('.')))
  const scored = nodes
    .filter((node) => node.path.length > 0 && typeof node.path.at(-1) === 'string')
    .map((node) => {
      const stems = node.path
        .filter((key) => typeof key === 'string')
        .map((key) => toWords(String(key).replace(/([a-z\d])([A-Z])/g, '$1 $2')).map(toStem))
      const last = stems.at(-1) ?? []
      const isNamed = last.length > 0 && last.every((stem) => asked.has(stem))
      return {
        node,
        score: isNamed ? stems.flat().filter((stem) => asked.has(stem)).length / (1 + 0.1 * stems.length) : 0,
      }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.node.path.length - b.node.path.length || a.node.line - b.node.line)
  const best = scored[0]?.score ?? 0
  const chosen = exact.length > 0 ? exact : scored.filter(({ score }) => score === best).map(({ node }) => node)
  const parts = chosen.slice(0, 10).map((node) => describeValue(path, node, nodes))
  const first = chosen[0]
  return {
    parts,
    facts:
      first?.type === 'leaf'
        ? { value: first.value, answer: first.value, [String(first.path.at(-1))]: first.value }
        : {},
    answered: parts.length > 0,
  }
}

function describeValue(path: string, node: DataNode, nodes: readonly DataNode[]): Part {
  const name = tick(String(node.path.at(-1)))
  const parents = node.path.slice(0, -1).filter((key) => typeof key === 'string')
  const above = nodes.filter(
    (other) =>
      other.path.length < node.path.length &&
      other.path.length > 0 &&
      typeof other.path.at(-1) === 'string' &&
      other.path.every((key, index) => key === node.path[index]),
  )
  const within = parents.length > 0 ? ` in ${parents.map((key) => tick(String(key))).join(' → ')}` : ''
  const cites = [
    ...above.map((other) => at(path, other.line)),
    at(path, node.line, node.type === 'leaf' ? node.line : node.end),
  ]
  if (node.type === 'leaf') return lead(`${name}${within} is ${tick(String(node.value))}`, cites)
  const inside = nodes.filter(
    (other) => other.path.length === node.path.length + 1 && node.path.every((key, index) => other.path[index] === key),
  )
  const items = inside
    .slice(0, 30)
    .map((other) =>
      node.type === 'array'
        ? other.type === 'leaf'
          ? tick(String(other.value))
          : '{…}'
        : `${tick(String(other.path.at(-1)))}${other.type === 'leaf' ? ` ${tick(String(other.value), 60)}` : ''}`,
    )
  return lead(
    `${name}${within} has ${plural(inside.length, node.type === 'array' ? 'item' : 'key')}: ${items.join(', ')}`,
    cites,
    [inside.length],
  )
}

function describeKeys(path: string, nodes: readonly DataNode[]): Finding {
  const keys = nodes.filter((node) => node.path.length === 1)
  if (keys.length === 0) return { parts: [note(`I found nothing about the question in \`${path}\`.`)], answered: false }
  return {
    parts: [
      lead(
        `${tick(path)} has ${plural(keys.length, 'key')} at its top: ${keys
          .slice(0, 30)
          .map((node) => tick(String(node.path[0])))
          .join(', ')}`,
        atLines(
          path,
          keys.slice(0, 30).map((node) => node.line),
        ),
        [keys.length],
      ),
    ],
    answered: false,
  }
}
