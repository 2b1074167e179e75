import type { Tool, Touched } from '../../../contracts/tool/tool.ts'

const ARGUMENTS_CHARS = 2_000
const LONGEST_VALUE = 1_000
const LONGEST_COMMAND = 20_000
const LONGEST_TEXT = 200
const LONGEST_CALL = 20_000
const MOST_ITEMS = 40

/** Names of arguments that say where a call goes, for tools that do not say it themselves. */
const PLACE_NAME = /path|file|folder|dir|source|target|dest|url|uri|host|address|command|cmd|script|program/i

/** One line for each path and host, and for the command. */
export function describeTouched({ paths = [], hosts = [], command = [] }: Touched): string {
  const words = typeof command === 'string' ? command : command.map(quoted).join(' ')
  const places = [
    ...[...new Set(paths)].map((path) => `path: ${toLine(path, LONGEST_VALUE)}`),
    ...[...new Set(hosts)].map((host) => `host: ${toLine(host, LONGEST_VALUE)}`),
  ]
  const called = words === '' ? [] : [`command: ${toLine(words, LONGEST_COMMAND)}`]
  return [...(places.length === 0 ? [] : [mostOf(places, 'places')]), ...called].join('\n')
}

/**
 * The arguments of a call in an order of our own, at every depth: those that say where it goes first, then the short ones.
 * Where they are long, each text and list is cut, so that none hides another.
 */
export function describeCall({ id }: Tool, args: unknown): string {
  const isLong = toJson(args).length > ARGUMENTS_CHARS
  return cut(`${id} ${toJson(toShown(args, isLong), 2)}`, LONGEST_CALL)
}

function toShown(value: unknown, isLong: boolean): unknown {
  if (typeof value === 'string') return isLong ? cut(value, LONGEST_TEXT) : value
  if (Array.isArray(value)) {
    const items = (isLong ? value.slice(0, MOST_ITEMS) : value).map((item) => toShown(item, isLong))
    return items.length === value.length ? items : [...items, `... and ${value.length - items.length} more`]
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .map(([name, item]) => ({ name, item: toShown(item, isLong), chars: toJson(item).length }))
    .sort((a, b) => Number(PLACE_NAME.test(b.name)) - Number(PLACE_NAME.test(a.name)) || a.chars - b.chars)
  // names that are numbers would be moved to the front
  return Object.fromEntries(entries.map(({ name, item }) => [/^\d+$/.test(name) ? `"${name}"` : name, item]))
}

function mostOf(lines: readonly string[], noun: string): string {
  const shown = lines.slice(0, MOST_ITEMS).join('\n')
  return lines.length <= MOST_ITEMS ? shown : `${shown}\n... and ${lines.length - MOST_ITEMS} more ${noun}`
}

const toJson = (value: unknown, indent?: number): string => JSON.stringify(value, null, indent) ?? 'undefined'

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}... cut: ${most} of ${text.length} characters are shown`

/** A text on one line, with signs that could draw over others as codes. */
const toLine = (text: string, most: number): string =>
  cut(text, most).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)

/** An argument as a shell would need it, so that its end can be seen. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
