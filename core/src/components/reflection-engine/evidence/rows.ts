import { type Call, fieldOf } from '../../../text/calls/call.ts'
import { toValues } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { toTokens } from './tokens.ts'

/** A line of what was read, or an object of a result that is JSON: what belongs together. */
export interface Row {
  readonly call: Call
  readonly text: string
  /** Words of the row and of the head of its table. */
  readonly words: ReadonlySet<string>
  readonly values: ReadonlySet<number>
  /** Its values, each under its label. */
  readonly fields: readonly (readonly [label: string, value: string])[]
}

const MAX_ROWS = 5_000
const MAX_LINES = 20_000
const LONGEST_LINE = 1_000
const LONGEST_COMPARED = 200
const SIGNS = [',', ';', '\t', '|'] as const
const PAIR =
  /([\p{L}_$][\p{L}\p{N}_ .$/-]{0,60}?)["'`]?\s{0,4}[:=]\s{0,4}("[^"]{0,200}"|'[^']{0,200}'|[^\s,;{}]{1,200})/gu
const IS_HEAD = /^[^:={}()]{1,40}$/

/** The rows of all calls that read or ran something, read once. */
export const rowsOf = (material: Pick<Material, 'done' | 'once'>): readonly Row[] =>
  material.once('rows', () =>
    material.done
      .filter(({ acts, runs }) => !acts || runs)
      .flatMap((call) => toRows(call))
      .slice(0, MAX_ROWS),
  )

/** No clause of an answer is about a long line, or about one without a number. */
const isCompared = (text: string): boolean => text.length < LONGEST_COMPARED && /\d/.test(text)

function toRows(call: Call): Row[] {
  const toRow = (text: string, about: string, fields: Row['fields']): Row => ({
    call,
    text,
    words: new Set(isCompared(text) ? toTokens(`${about} ${text}`) : []),
    values: isCompared(text) ? toValues(text) : new Set(),
    fields,
  })
  const output = fieldOf(call.value, ['stdout'])
  const text = typeof output === 'string' ? output : call.text
  const objects = typeof output === 'string' ? [] : toObjects(call.value)
  let head: readonly string[] = []
  let sign: string | undefined
  const lines = text.split('\n', MAX_LINES).filter((line) => line.trim() !== '' && line.length <= LONGEST_LINE)
  return [
    ...objects.map((fields) => toRow(fields.map((field) => field.join(': ')).join(', '), '', fields)),
    ...lines.map((line, at) => {
      const cells = toCells(line, sign)
      if (cells.length === 0 || cells.length !== head.length) {
        sign = SIGNS.find(
          (mark) => line.includes(mark) && toCells(line, mark).length === toCells(lines[at + 1] ?? '', mark).length,
        )
        head = toCells(line, sign)
        if (sign === undefined || !head.every((cell) => IS_HEAD.test(cell) && !/^-?\d/.test(cell))) head = []
        return toRow(line, '', head.length > 0 ? [] : toPairs(line))
      }
      return toRow(
        line,
        head.join(' '),
        cells.map((cell, index) => [head[index] ?? '', cell] as const),
      )
    }),
  ]
}

const toCells = (line: string, sign: string | undefined): string[] =>
  sign === undefined
    ? []
    : line
        .replace(/^\s*\||\|\s*$/g, '')
        .split(sign)
        .map((cell) => cell.trim())

/** What a line says as `label: value` or `label = value`. */
const toPairs = (line: string): [string, string][] =>
  [...line.matchAll(PAIR)].map(([, label = '', value = '']) => [label, value.replace(/^["']|["']$/g, '')])

/** The simple fields of each object of a JSON value. */
function toObjects(value: unknown, depth = 0): [string, string][][] {
  if (typeof value !== 'object' || value === null || depth > 8) return []
  const entries = Object.entries(value)
  const own = entries.filter(([, item]) => typeof item !== 'object')
  const inner = entries.flatMap(([, item]) => toObjects(item, depth + 1))
  return Array.isArray(value) ? inner : [own.map(([key, item]): [string, string] => [key, String(item)]), ...inner]
}
