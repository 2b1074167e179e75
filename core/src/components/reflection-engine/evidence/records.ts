import type { Call } from '../../../text/calls/call.ts'
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
const SECTION = /^\s*\[+([^\]\n]{1,80})\]+\s*(?:[#;].*)?$/
const ENTRY = /^(\s*)(- )?\s*["'`]?([\p{L}_$][\p{L}\p{N}_ .$/-]{0,60}?)["'`]?\s*[:=]\s*(.*?)\s*[,;]?$/u
const INLINE =
  /([\p{L}_$][\p{L}\p{N}_.$-]{0,40})["']?\s*[:=]\s*("[^"]{0,200}"|'[^']{0,200}'|\[[^\]]{0,200}\]|[^\s,;{}]+)/gu
const COMMENT = /^\s*(?:#|\/\/|--(?!-)|;)/
const LAST_NUMBER = /^\s*(?:[-*•]\s+)?(\D{1,80}?)[\s:]+[$€£]?(-?\d[\d.,]*)\s*(?:[$€£%]|EUR|USD|GBP)?$/
const IS_NUMBER = /^-?\d[\d.,]*$/

type Add = (names: string, id: string, fields: readonly (readonly [label: string, raw: string])[]) => void

/** What calls that read or ran something returned as records: JSON, `key: value`, `key = value`, sections, delimited rows. */
export function toRecords(calls: readonly Call[]): Record[] {
  const records: Record[] = []
  let count = 0
  for (const call of calls) {
    if (call.status !== 'completed' || (call.acts && !call.runs)) continue
    const place = new Set(toTokens(call.path ?? call.command))
    const add: Add = (names, id, fields) => {
      const kept = fields.flatMap(([label, raw]) => {
        const value = raw.length > LONGEST_VALUE ? [] : toTokens(raw)
        return value.length === 0 ? [] : [{ label: toTokens(label), raw: bare(raw), value }]
      })
      count += kept.length
      if (kept.length === 0 || count > MAX_FIELDS) return
      const own = fields.find(([label]) => /^(?:name|id|key|title|slug)$/i.test(label))?.[1] ?? id
      records.push({ call, id: toTokens(own), names: new Set(toTokens(`${names} ${id}`)), place, fields: kept })
    }
    const output = (call.value as { stdout?: unknown } | null)?.stdout
    if (typeof output === 'string') readText(output, add)
    else if (typeof call.value === 'object' && call.value !== null) readObject(call.value, '', '', add)
    else readText(call.text, add)
  }
  return records
}

const bare = (raw: string): string => raw.trim().replace(/^["'`]|["'`]$/g, '')

function readObject(value: object, names: string, id: string, add: Add, depth = 0): void {
  if (depth > 12) return
  const entries = Object.entries(value)
  const scalars = entries.filter(([, item]) => typeof item !== 'object' || item === null)
  const words = scalars.filter(([, item]) => typeof item === 'string' && !IS_NUMBER.test(item)).map(([, item]) => item)
  if (Array.isArray(value)) {
    if (scalars.length > 0) add(names, '', [[id, scalars.map(([, item]) => item).join(', ')]])
  } else
    add(
      [names, ...words].join(' '),
      Array.isArray(value) ? '' : id,
      scalars.map(([key, item]) => [key, String(item)]),
    )
  for (const [key, item] of entries) {
    const inner = Array.isArray(value) ? id : key
    if (typeof item === 'object' && item !== null) readObject(item, `${names} ${inner}`, inner, add, depth + 1)
  }
}

function readText(text: string, add: Add): void {
  if (/^\s*[[{]/.test(text)) {
    try {
      return readObject(JSON.parse(text) as object, '', '', add)
    } catch {
      // Not JSON: read by lines.
    }
  }
  const lines = text.split('\n', MAX_FIELDS).map((line) => (line.length > MAX_LINE ? '' : line))
  const above: { indent: number; key: string }[] = []
  let section = ''
  let open: { names: string; id: string; fields: [string, string][] } | undefined
  const close = (): void => {
    if (open !== undefined) add(open.names, open.id, open.fields)
    open = undefined
  }
  const into = (names: string, id: string): [string, string][] => {
    if (open?.names !== names) {
      close()
      open = { names, id, fields: [] }
    }
    return open?.fields ?? []
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.trim() === '' || COMMENT.test(line)) continue
    const rows = readTable(lines, at)
    if (rows > 0) {
      close()
      addTable(lines.slice(at, at + rows), add)
      at += rows - 1
      continue
    }
    const heading = SECTION.exec(line)?.[1] ?? /^#{1,6}\s+(.{1,100})$/.exec(line)?.[1]
    if (heading !== undefined) {
      close()
      section = heading
      above.length = 0
      continue
    }
    const entry = ENTRY.exec(line)
    if (entry === null) {
      const counted = LAST_NUMBER.exec(line)
      const inline = toInline(line)
      if (inline.length > 1) add(`${section} ${line.slice(0, 80)}`, '', inline)
      else if (counted !== null) add(`${section} ${counted[1]}`, counted[1] ?? '', [['', counted[2] ?? '']])
      continue
    }
    const [, space = '', dash, key = '', value = ''] = entry
    const indent = space.length + (dash === undefined ? 0 : 2)
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop()
    const parents = [section, ...above.map((parent) => parent.key)].join(' ')
    if (dash !== undefined && (lines[at + 1] ?? '').search(/\S/) === indent)
      above.push({ indent: indent - 1, key: value })
    if (value === '' || value === '{' || value === '[') above.push({ indent, key })
    else if (/^[{[]/.test(value) && value.includes(':')) add(`${parents} ${key}`, key, toInline(value))
    else into(parents, above.at(-1)?.key ?? section).push([key, value.replace(/^\[|\]$/g, '')])
  }
  close()
}

const toInline = (text: string): [string, string][] =>
  [...text.matchAll(INLINE)].map(([, key = '', value = '']) => [key, value.replace(/^\[|\]$/g, '')])

const SIGNS = [',', ';', '\t', '|'] as const
const toCells = (line: string, sign: string): string[] =>
  line
    .replace(sign === '|' ? /^\s*\||\|\s*$/g : /$^/, '')
    .split(sign)
    .map((cell) => cell.trim())

/** How many lines from here on are the head and rows of one table; 0 for none. */
function readTable(lines: readonly string[], at: number): number {
  const sign = SIGNS.find((mark) => (lines[at] ?? '').includes(mark))
  if (sign === undefined) return 0
  const head = toCells(lines[at] ?? '', sign)
  if (
    head.length < 2 ||
    head.some((cell) => cell === '' || cell.length > 40 || IS_NUMBER.test(cell) || /[:={}()]/.test(cell))
  )
    return 0
  let end = at + 1
  while (end < lines.length && toCells(lines[end] ?? '', sign).length === head.length) end++
  return end - at > 1 ? end - at : 0
}

function addTable(lines: readonly string[], add: Add): void {
  const sign = SIGNS.find((mark) => (lines[0] ?? '').includes(mark)) ?? ','
  const head = toCells(lines[0] ?? '', sign)
  for (const line of lines.slice(1)) {
    if (/^[\s|:-]+$/.test(line)) continue
    const cells = toCells(line, sign)
    add(
      cells.filter((cell) => !IS_NUMBER.test(cell)).join(' '),
      cells.find((cell) => cell !== '' && !IS_NUMBER.test(cell)) ?? '',
      cells.flatMap((cell, index): [string, string][] => (cell === '' ? [] : [[head[index] ?? '', cell]])),
    )
  }
}
