import { type Call, fieldOf } from '../../../text/calls/call.ts'
import type { Material } from '../material.ts'

/** A value under its label. */
export interface Field {
  readonly label: string
  readonly value: string
}

/** What belongs together in what was read: a row of a table, the pairs of a section or object. */
export interface Record {
  readonly call: Call
  /** The heading above it, or the words before its values. */
  readonly names: string
  readonly fields: readonly Field[]
}

const MAX_RECORDS = 5_000
const MAX_LINES = 20_000
const LONGEST_LINE = 1_000
const SIGNS = [',', ';', '\t', '|'] as const
const HEADING =
  /^\s{0,20}(?:\[{1,2}([^\]\n]{1,80})\]{1,2}|#{1,6}\s(.{1,100})|["'`]?([\p{L}\p{N}_ .$/-]{1,60})["'`]?\s?:\s?[[{]?)\s{0,20}$/u
const PAIR =
  /([\p{L}_$][\p{L}\p{N}_ .$/-]{0,60}?)["'`]?\s{0,4}[:=]\s{0,4}("[^"]{0,200}"|'[^']{0,200}'|\[[^\]]{0,200}\]|[^\s,;{}]{1,200})/gu
const IS_NUMBER = /^-?\d[\d.,]*$/

/** The records of all calls that read or ran something, read once. */
export const recordsOf = (material: Pick<Material, 'done' | 'once'>): readonly Record[] =>
  material.once('records', () =>
    material.done
      .filter(({ acts, runs }) => !acts || runs)
      .flatMap((call) => toRecords(call))
      .filter(({ fields }) => fields.length > 0)
      .slice(0, MAX_RECORDS),
  )

function toRecords(call: Call): Record[] {
  const output = fieldOf(call.value, ['stdout'])
  const text = typeof output === 'string' ? output : call.text
  const lines = text.split('\n', MAX_LINES).map((line) => (line.length > LONGEST_LINE ? '' : line))
  const records: Record[] = []
  let current: Record & { fields: Field[] } = { call, names: '', fields: [] }
  for (let at = 0; at < lines.length; at++) {
    const rows = toTable(lines, at)
    records.push(...rows.map((fields) => ({ call, names: '', fields })))
    const heading = HEADING.exec(lines[at] ?? '')
      ?.slice(1)
      .find(Boolean)
    const pairs = rows.length > 0 ? [] : toPairs(lines[at] ?? '')
    at += rows.length
    // A label that comes again begins the next entry.
    if (
      heading !== undefined ||
      current.fields.some(({ label }) => label === pairs[0]?.label) ||
      records.length === 0
    ) {
      current = { call, names: heading ?? current.names, fields: [] }
      records.push(current)
    }
    current.fields.push(...pairs)
  }
  return records
}

/** What a line says as `label: value` or `label = value`. */
const toPairs = (line: string): Field[] =>
  [...line.matchAll(PAIR)].map(([, label = '', value = '']) => ({ label, value: value.replace(/^["'[]|["'\]]$/g, '') }))

/** The rows of a table whose head is here; none where there is none. */
function toTable(lines: readonly string[], at: number): Field[][] {
  const sign = SIGNS.find((mark) => lines[at]?.includes(mark))
  if (sign === undefined) return []
  const toCells = (line = ''): string[] =>
    line
      .replace(/^\s*\||\|\s*$/g, '')
      .split(sign)
      .map((cell) => cell.trim())
  const head = toCells(lines[at])
  const isHead = head.every((cell) => /^[^:={}()]{1,40}$/.test(cell) && !IS_NUMBER.test(cell))
  const rows: Field[][] = []
  for (let next = at + 1; isHead && next < lines.length; next++) {
    const cells = toCells(lines[next])
    if (cells.length !== head.length || cells.length < 2) break
    rows.push(cells.map((value, index) => ({ label: head[index] ?? '', value })))
  }
  return rows
}
