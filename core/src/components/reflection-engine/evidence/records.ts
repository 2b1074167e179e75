import { type Call, fieldOf, parseJson } from '../../../text/calls/call.ts'
import type { Material } from '../material.ts'

/** A value under its label. */
export interface Field {
  /** Empty where a line names its value by the words before it alone. */
  readonly label: string
  readonly value: string
}

/** What belongs together in what was read: an object, a row of a table, a section of settings, a line. */
export interface Record {
  readonly call: Call
  /** The keys, the heading or the words above or before its values. */
  readonly names: string
  readonly fields: readonly Field[]
}

const MAX_RECORDS = 5_000
const MAX_LINES = 20_000
const LONGEST_LINE = 1_000
const LONGEST_VALUE = 200
const DEEPEST = 12
const SIGNS = [',', ';', '\t', '|'] as const
const HEADING =
  /^\s{0,20}(?:\[{1,2}([^\]\n]{1,80})\]{1,2}|#{1,6}\s(.{1,100})|["'`]?([\p{L}\p{N}_ .$/-]{1,60})["'`]?\s?:\s?[[{]?)\s{0,20}$/u
const PAIR =
  /([\p{L}_$][\p{L}\p{N}_ .$/-]{0,60}?)["'`]?\s{0,4}[:=]\s{0,4}("[^"]{0,200}"|'[^']{0,200}'|\[[^\]]{0,200}\]|[^\s,;{}]{1,200})/gu
/** Words, and a number at the end: the line of a bill. */
const COUNTED = /^\s{0,20}(?:[-*•]\s)?(\D{1,80}?)[\s:]{1,20}[$€£]?(-?\d[\d.,]{0,20})\s?(?:[$€£%]|EUR|USD|GBP)?$/
const IS_NUMBER = /^-?\d[\d.,]*$/

/** The records of all calls that read or ran something, read once. */
export const recordsOf = (material: Pick<Material, 'done' | 'once'>): readonly Record[] =>
  material.once('records', () =>
    material.done
      .filter(({ acts, runs }) => !acts || runs)
      .flatMap(toRecords)
      .filter(({ fields }) => fields.length > 0)
      .slice(0, MAX_RECORDS),
  )

function toRecords(call: Call): Record[] {
  const output = fieldOf(call.value, ['stdout'])
  const shown = typeof output === 'string' ? output : typeof call.value === 'string' ? call.text : call.value
  const value = typeof shown === 'string' && /^\s*[[{]/.test(shown) ? parseJson(shown) : shown
  const found = typeof value === 'object' && value !== null ? fromObject(value) : fromText(String(value))
  return found.map(({ names, fields }) => ({
    call,
    names,
    fields: fields.filter((field) => field.value.length <= LONGEST_VALUE),
  }))
}

type Found = Omit<Record, 'call'>

function fromObject(value: object, names: readonly string[] = []): Found[] {
  const entries = Object.entries(value)
  const isList = Array.isArray(value)
  const fields = entries.flatMap(([key, item]) =>
    typeof item === 'object' && item !== null
      ? []
      : [{ label: isList ? (names.at(-1) ?? '') : key, value: String(item) }],
  )
  const inner = names.length > DEEPEST ? [] : entries
  return [
    { names: names.join(' '), fields },
    ...inner.flatMap(([key, item]) =>
      typeof item === 'object' && item !== null ? fromObject(item, isList ? names : [...names, key]) : [],
    ),
  ]
}

function fromText(text: string): Found[] {
  const lines = text.split('\n', MAX_LINES).map((line) => (line.length > LONGEST_LINE ? '' : line))
  const found: Found[] = []
  let section: { names: string; fields: Field[] } = { names: '', fields: [] }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const rows = toTable(lines, at)
    if (rows.length > 0) {
      found.push(...rows)
      at += rows.length
      continue
    }
    const heading = HEADING.exec(line)
    if (heading !== null) {
      section = { names: heading.slice(1).find(Boolean) ?? '', fields: [] }
      found.push(section)
      continue
    }
    const pairs = [...line.matchAll(PAIR)].map(([, label = '', value = '']) => ({
      label,
      value: value.replace(/^["'[]|["'\]]$/g, ''),
    }))
    const [, words = '', number] = COUNTED.exec(line) ?? []
    const [pair, ...more] = pairs
    if (pair !== undefined && more.length === 0) section.fields.push(pair)
    else if (pair !== undefined) found.push({ names: `${section.names} ${line.slice(0, 80)}`, fields: pairs })
    else if (number !== undefined)
      found.push({ names: `${section.names} ${words}`, fields: [{ label: '', value: number }] })
  }
  return found
}

/** The rows of a table whose head is here; none where there is none. */
function toTable(lines: readonly string[], at: number): Found[] {
  const sign = SIGNS.find((mark) => lines[at]?.includes(mark))
  if (sign === undefined) return []
  const toCells = (line = ''): string[] =>
    line
      .replace(/^\s*\||\|\s*$/g, '')
      .split(sign)
      .map((cell) => cell.trim())
  const head = toCells(lines[at])
  const isHead = head.every((cell) => /^[^:={}()]{1,40}$/.test(cell) && !IS_NUMBER.test(cell))
  const rows: Found[] = []
  for (let next = at + 1; isHead && next < lines.length; next++) {
    const cells = toCells(lines[next])
    if (cells.length !== head.length || cells.length < 2) break
    rows.push({ names: '', fields: cells.map((value, index) => ({ label: head[index] ?? '', value })) })
  }
  return rows
}
