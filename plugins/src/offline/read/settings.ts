import { type Node, parseTree } from 'jsonc-parser'
import { parse } from 'smol-toml'
import { type Excerpt, numbered } from './formats.ts'

/** A plain value, the keys that lead to it, and its line. */
export interface Leaf {
  readonly path: readonly (string | number)[]
  readonly value: string
  readonly line: number
}

/** Files of names and values. */
export const SETTINGS = /\.(?:json[c5]?|ya?ml|toml|ini)$|(?:^|\/)\.env(?:\.\w+)?$/i

/** The values of a file of settings, by the ending of its name. */
export const readSettings = (excerpt: Excerpt): Leaf[] =>
  /\.json[c5]?$/i.test(excerpt.path)
    ? readJson(excerpt)
    : /\.toml$/i.test(excerpt.path)
      ? readToml(excerpt)
      : readLines(excerpt)

/** The values of JSON; of a text that is cut those before the end. */
function readJson({ lines, first }: Excerpt): Leaf[] {
  const text = lines.join('\n')
  const lineAt = (offset: number): number => first + (text.slice(0, offset).match(/\n/g)?.length ?? 0)
  const leaves: Leaf[] = []
  const visit = ({ type, children = [], value, offset }: Node, path: Leaf['path']): void => {
    if (type === 'object') {
      for (const { children: [key, child] = [] } of children)
        if (key && child) visit(child, [...path, String(key.value)])
    } else if (type === 'array') for (const [index, child] of children.entries()) visit(child, [...path, index])
    else if (value !== null) leaves.push({ path, value: String(value), line: lineAt(offset) })
  }
  const root = parseTree(text)
  if (root) visit(root, [])
  return leaves
}

/** The values of TOML, each with the first line that holds it below the line of its table. */
function readToml({ lines, first }: Excerpt): Leaf[] {
  const leaves: Leaf[] = []
  const visit = (value: unknown, path: Leaf['path'], from: number): void => {
    if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
      const table = lines.findIndex((line) => line.trim().replace(/["']/g, '') === `[${path.join('.')}]`)
      const start = table < 0 ? from : table
      for (const [key, inner] of Object.entries(value))
        visit(inner, [...path, Array.isArray(value) ? Number(key) : key], start)
      return
    }
    const [key = ''] = path.slice(-1)
    const holds = (line: string): boolean =>
      line.includes(String(value)) && (typeof key === 'number' || line.trim().replace(/^["']/, '').startsWith(key))
    const index = lines.findIndex((line, position) => position >= from && holds(line))
    if (index >= 0) leaves.push({ path, value: String(value), line: first + index })
  }
  try {
    visit(parse(lines.join('\n')), [], 0)
  } catch {
    // what cannot be read has no facts
  }
  return leaves
}

const ENTRY = /^([\s-]{0,80})(?:export\s)?["']?([\w$.][\w$.-]{0,100})["']?\s{0,9}[:=](?![/:=])(.*)$/
const NO_VALUE = /^(?:[|>&*{[]|$)/

/** `key: value` and `key = value` on one line each, below what stands less deep, as in YAML, INI and `.env`. */
function readLines(excerpt: Excerpt): Leaf[] {
  const leaves: Leaf[] = []
  let above: { depth: number; key: string }[] = []
  let block = Number.POSITIVE_INFINITY
  for (const { line, text } of numbered(excerpt)) {
    const section = /^\[([^\]]+)\]\s*$/.exec(text)?.[1]
    if (section !== undefined) {
      above = [{ depth: -1, key: section }]
      continue
    }
    const [, before = '', key = '', said = ''] = ENTRY.exec(text) ?? []
    if (text.trim() === '' || text.search(/\S/) > block || /^\s*[#;]/.test(text)) continue
    block = Number.POSITIVE_INFINITY
    if (key === '') continue
    above = above.filter(({ depth }) => depth < before.length)
    const value = (said.split(/(?:^|\s)#/)[0] ?? '').trim()
    if (/^[|>]/.test(value)) block = before.length
    if (NO_VALUE.test(value)) above.push({ depth: before.length, key })
    else
      leaves.push({ path: [...above.map((one) => one.key), key], value: value.replace(/^(["'])(.*)\1$/, '$2'), line })
  }
  return leaves
}
