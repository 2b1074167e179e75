import { type Call, fieldOf } from '../../../text/calls/call.ts'
import type { Material } from '../material.ts'
import { toTokens } from './tokens.ts'

/** A value under its label. */
export interface Field {
  /** Empty where a line names its value by the words before it alone. */
  readonly label: readonly string[]
  readonly raw: string
  readonly value: readonly string[]
}

/** What belongs together in a structured source: a row, a section, an object, a file of settings. */
export interface Record {
  readonly call: Call
  /** What it is called: the value of its `name`, its first cell of words, or the last key or section above it. */
  readonly id: readonly string[]
  /** Tokens of all that tells it apart: section, keys above, cells of words. */
  readonly names: ReadonlySet<string>
  /** Tokens of the file or command. */
  readonly place: ReadonlySet<string>
  readonly fields: readonly Field[]
}

const MAX_FIELDS = 20_000
const MAX_LINE = 1_000
const LONGEST_VALUE = 200
const DEEPEST = 12
const SECTION = /^\s{0,20}(?:\[{1,2}([^\]\n]{1,80})\]{1,2}\s{0,20}(?:[#;].*)?$|#{1,6}\s(.{1,100})$)/
const ENTRY = /^(\s{0,80})(- )?\s{0,20}["'`]?([\p{L}_$][\p{L}\p{N}_ .$/-]{0,60}?)["'`]?\s{0,20}[:=]\s{0,20}(.*)$/u
const INLINE =
  /([\p{L}_$][\p{L}\p{N}_.$-]{0,40})["']?\s{0,4}[:=]\s{0,4}("[^"]{0,200}"|'[^']{0,200}'|\[[^\]]{0,200}\]|[^\s,;{}]{1,200})/gu
const COMMENT = /^\s*(?:#(?!#{0,5}\s)|\/\/|--(?!-)|;)/
/** Words, and a number at the end: the line of a bill. */
const COUNTED = /^\s{0,20}(?:[-*•]\s)?(\D{1,80}?)[\s:]{1,20}[$€£]?(-?\d[\d.,]{0,20})\s?(?:[$€£%]|EUR|USD|GBP)?$/
const IS_NUMBER = /^-?\d[\d.,]*$/
const IS_NAME = /^(?:name|id|key|title|slug)$/i
const RULER = /^[\s|:-]+$/

type Pair = readonly [label: string, raw: string]
/** The fields of one record, with all words that tell it apart and what it is called. */
type Add = (names: string, id: string, fields: readonly Pair[]) => void

/** The records of all calls, read once. */
export const recordsOf = (material: Pick<Material, 'calls' | 'once'>): readonly Record[] =>
  material.once('records', () => toRecords(material.calls))

/** What calls that read or ran something returned as records: JSON, `key: value`, `key = value`, sections, delimited rows. */
function toRecords(calls: readonly Call[]): Record[] {
  const records: Record[] = []
  let left = MAX_FIELDS
  for (const call of calls) {
    if (call.status !== 'completed' || (call.acts && !call.runs)) continue
    const place = new Set(toTokens(call.path ?? call.command))
    const output = fieldOf(call.value, ['stdout'])
    const shown = typeof output === 'string' ? output : typeof call.value === 'string' ? call.text : call.value
    readAny(shown, (names, id, pairs) => {
      const fields = pairs.flatMap(([label, raw]) => {
        const value = raw.length > LONGEST_VALUE ? [] : toTokens(raw)
        return value.length === 0
          ? []
          : [{ label: toTokens(label), raw: raw.trim().replace(/^["'`]|["'`]$/g, ''), value }]
      })
      left -= fields.length
      if (fields.length === 0 || left < 0) return
      const own = pairs.find(([label]) => IS_NAME.test(label))?.[1] ?? id
      records.push({ call, id: toTokens(own), names: new Set(toTokens(`${names} ${id}`)), place, fields })
    })
  }
  return records
}

function readAny(shown: unknown, add: Add): void {
  const value = typeof shown === 'string' && /^\s*[[{]/.test(shown) ? parseJson(shown) : shown
  if (typeof value === 'object' && value !== null) readObject(value, '', '', add)
  else readText(String(value), add)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function readObject(value: object, names: string, id: string, add: Add, depth = 0): void {
  const entries = Object.entries(value)
  const scalars = entries.filter(([, item]) => typeof item !== 'object' || item === null)
  const words = scalars.map(([, item]) => item).filter((item) => typeof item === 'string' && !IS_NUMBER.test(item))
  if (!Array.isArray(value))
    add(
      [names, ...words].join(' '),
      id,
      scalars.map(([key, item]) => [key, String(item)]),
    )
  else if (scalars.length > 0) add(names, '', [[id, scalars.map(([, item]) => item).join(', ')]])
  for (const [key, item] of depth > DEEPEST ? [] : entries) {
    const inner = Array.isArray(value) ? id : key
    if (typeof item === 'object' && item !== null) readObject(item, `${names} ${inner}`, inner, add, depth + 1)
  }
}

function readText(text: string, add: Add): void {
  const lines = text.split('\n', MAX_FIELDS).map((line) => (line.length > MAX_LINE ? '' : line))
  const groups = new Map<string, { id: string; pairs: Pair[] }>()
  let above: { indent: number; key: string }[] = []
  let section = ''
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.trim() === '' || COMMENT.test(line)) continue
    const rows = toTable(lines, at)
    if (rows.length > 0) {
      addTable(rows, add)
      at += rows.length - 1
      continue
    }
    const heading = SECTION.exec(line)
    const entry = ENTRY.exec(line)
    if (heading !== null) {
      section = heading[1] ?? heading[2] ?? ''
      above = []
    } else if (entry === null) addLine(line, section, add)
    else {
      const [, space = '', dash, key = '', rest = ''] = entry
      const value = rest.trimEnd().replace(/[,;]$/, '')
      const indent = space.length + (dash === undefined ? 0 : 2)
      above = above.filter((parent) => parent.indent < indent)
      if (dash !== undefined && (lines[at + 1] ?? '').search(/\S/) === indent)
        above.push({ indent: indent - 1, key: value })
      const names = [section, ...above.map((parent) => parent.key)].join(' ')
      const group = groups.get(names) ?? { id: above.at(-1)?.key ?? section, pairs: [] }
      if (value === '' || value === '{' || value === '[') above.push({ indent, key })
      else if (/^[{[]/.test(value) && value.includes(':')) add(`${names} ${key}`, key, toInline(value))
      else group.pairs.push([key, withoutBrackets(value)])
      groups.set(names, group)
    }
  }
  for (const [names, { id, pairs }] of groups) add(names, id, pairs)
}

/** A line with several `key=value`, or with words and a number. */
function addLine(line: string, section: string, add: Add): void {
  const inline = toInline(line)
  const [, words = '', number] = COUNTED.exec(line) ?? []
  if (inline.length > 1) add(`${section} ${line.slice(0, 80)}`, '', inline)
  else if (number !== undefined) add(`${section} ${words}`, words, [['', number]])
}

const withoutBrackets = (value: string): string => value.replace(/^\[|\]$/g, '')
const toInline = (text: string): Pair[] =>
  [...text.matchAll(INLINE)].map(([, key = '', value = '']) => [key, withoutBrackets(value)])

const SIGNS = [',', ';', '\t', '|'] as const

/** The cells of the head and rows of a table that begins here; none where there is no table. */
function toTable(lines: readonly string[], at: number): string[][] {
  const sign = SIGNS.find((mark) => (lines[at] ?? '').includes(mark))
  if (sign === undefined) return []
  const toCells = (line: string): string[] =>
    (sign === '|' ? line.trim().replace(/^\||\|$/g, '') : line).split(sign).map((cell) => cell.trim())
  const head = toCells(lines[at] ?? '')
  const isHead = head.every(
    (cell) => cell !== '' && cell.length <= 40 && !IS_NUMBER.test(cell) && !/[:={}()]/.test(cell),
  )
  const rows = [head]
  for (let next = at + 1; isHead && head.length > 1 && next < lines.length; next++) {
    const cells = toCells(lines[next] ?? '')
    if (cells.length !== head.length) break
    rows.push(cells)
  }
  return rows.length > 1 ? rows : []
}

function addTable([head = [], ...rows]: readonly string[][], add: Add): void {
  for (const cells of rows.filter((row) => !RULER.test(row.join('|')))) {
    const words = cells.filter((cell) => cell !== '' && !IS_NUMBER.test(cell))
    add(
      words.join(' '),
      words[0] ?? '',
      cells.map((cell, index) => [head[index] ?? '', cell]),
    )
  }
}
