import { toStem, toWords } from '@svc/core/text'
import { note } from '../claim.ts'
import type { Look } from '../look.ts'
import { asksWhole, type Question, withoutFile } from '../question.ts'
import { readCsv } from '../read/csv.ts'
import type { Excerpt } from '../read/formats.ts'
import { readJsonLines } from '../read/json-lines.ts'
import { readJsonTables } from '../read/json-table.ts'
import { findColumn, readQuery } from '../read/query.ts'
import type { Finding, Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { answerFromTable } from './data-table.ts'
import { answerFromKeys, describeKeys } from './data-values.ts'
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
        missing: true,
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
      missing: chosen.every((finding) => finding.missing ?? !(finding.answered || asksWhole(session.question))),
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
