import type { Call } from '../../../text/calls/call.ts'
import { toTokens } from '../told/tokens.ts'

/** A value under a label in a structured source, with the tokens of where it stands: file, section, keys above, first cell. */
export interface Pair {
  readonly call: Call
  readonly label: readonly string[]
  readonly value: readonly string[]
  readonly context: ReadonlySet<string>
}

const MAX_PAIRS = 20_000
const LONGEST_VALUE = 200
const SECTION = /^\s*\[([^\]\n]{1,80})\]\s*$/
const ENTRY = /^(\s*)(?:-\s+)?["'`]?([\p{L}_$][\p{L}\p{N}_ .$-]{0,60}?)["'`]?\s*[:=]\s*(.*?)\s*[,;]?$/u
const COMMENT = /^\s*(?:#|\/\/|--|;)/

/** What the calls that read or ran something returned as label and value: JSON, `key: value`, `key = value`, delimited rows. */
export function toPairs(calls: readonly Call[]): Pair[] {
  const pairs: Pair[] = []
  for (const call of calls) {
    if (call.status !== 'completed' || (call.acts && !call.runs)) continue
    const add: Add = (label, value, context) => {
      const tokens = value.length > LONGEST_VALUE ? [] : toTokens(value)
      if (pairs.length < MAX_PAIRS && tokens.length > 0 && label !== '')
        pairs.push({ call, label: toTokens(label), value: tokens, context: new Set(toTokens(context)) })
    }
    const place = call.path ?? call.command
    const output = (call.value as { stdout?: unknown } | null)?.stdout
    if (typeof output === 'string') readText(output, place, add)
    else if (typeof call.value === 'object' && call.value !== null) readObject(call.value, place, add)
    else readText(call.text, place, add)
  }
  return pairs
}

type Add = (label: string, value: string, context: string) => void

function readObject(value: object, context: string, add: Add, depth = 0): void {
  if (depth > 12) return
  const scalars = Object.values(value).filter((item) => typeof item === 'string')
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'object' && item !== null) readObject(item, `${context} ${key}`, add, depth + 1)
    else if (!Array.isArray(value)) add(key, String(item), `${context} ${scalars.filter((other) => other !== item).join(' ')}`)
  }
}

function readText(text: string, place: string, add: Add): void {
  if (/^\s*[[{]/.test(text)) {
    try {
      return readObject(JSON.parse(text) as object, place, add)
    } catch {
      // Not JSON: read by lines.
    }
  }
  let section = ''
  let head: { cells: string[]; sign: string } | undefined
  const above: { indent: number; key: string }[] = []
  for (const line of text.split('\n', MAX_PAIRS)) {
    if (line.length > 400 || COMMENT.test(line)) continue
    section = SECTION.exec(line)?.[1] ?? section
    const sign = [',', ';', '\t', '|'].find((mark) => line.split(mark).length > 1)
    const cells = sign === undefined ? [] : line.split(sign).map((cell) => cell.trim())
    if (head !== undefined && sign === head.sign && cells.length === head.cells.length) {
      for (const [index, cell] of cells.entries()) add(head.cells[index] ?? '', cell, `${place} ${cells.filter((_, at) => at !== index).join(' ')}`)
      continue
    }
    const entry = ENTRY.exec(line)
    if (entry === null) {
      if (sign !== undefined && cells.every((cell) => cell !== '' && !/^[\d.]+$/.test(cell))) head = { cells, sign }
      continue
    }
    const [, { length: indent } = '', key = '', value = ''] = entry
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop()
    add(key, value, [place, section, ...above.map((parent) => parent.key)].join(' '))
    above.push({ indent, key })
  }
}
