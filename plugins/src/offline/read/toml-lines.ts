import type { Excerpt } from './formats.ts'
import { numbered } from './formats.ts'
import type { DataNode } from './node.ts'

/**
 * Reads the part of TOML and INI that manifests use: sections, `key = value`, strings, numbers, lists of strings over
 * several lines. What it does not know it leaves out.
 */
export function readTomlLines(excerpt: Excerpt): DataNode[] {
  const nodes: DataNode[] = []
  let section: string[] = []
  let open: { path: string[]; node: DataNode; count: number } | undefined
  for (const { line, text } of numbered(excerpt)) {
    const trimmed = text.trim()
    if (open) {
      open.node.end = line
      for (const item of trimmed.matchAll(/"([^"]*)"|'([^']*)'/g)) {
        nodes.push({
          path: [...open.path, open.count++],
          value: item[1] ?? item[2] ?? '',
          type: 'leaf',
          line,
          end: line,
        })
      }
      if (closesList(trimmed)) open = undefined
      continue
    }
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith(';')) continue
    const header = /^\[+([^\][][^\]]*)\]+$/.exec(trimmed)
    if (header) {
      section = (header[1] ?? '').split('.').map(unquote)
      if (!nodes.some((node) => node.path.join('.') === section.join('.')))
        nodes.push({ path: section, value: undefined, type: 'object', line, end: line })
      continue
    }
    const pair = /^([^=:]*[^=:\s])\s*[=:]\s*(.*)$/.exec(trimmed)
    if (!pair) continue
    const path = [...section, ...(pair[1] ?? '').split('.').map(unquote)]
    const value = pair[2] ?? ''
    if (value.startsWith('[')) {
      const node: DataNode = { path, value: undefined, type: 'array', line, end: line }
      nodes.push(node)
      let count = 0
      for (const item of value.matchAll(/"([^"]*)"|'([^']*)'/g))
        nodes.push({ path: [...path, count++], value: item[1] ?? item[2] ?? '', type: 'leaf', line, end: line })
      if (!closesList(value)) open = { path, node, count }
    } else if (value.startsWith('{')) {
      nodes.push({ path, value: undefined, type: 'object', line, end: line })
      for (const item of value.matchAll(/(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([\w.]+))/g)) {
        const leaf = item[2] ?? item[3] ?? item[4] ?? ''
        nodes.push({ path: [...path, item[1] ?? ''], value: leaf, type: 'leaf', line, end: line })
      }
    } else nodes.push({ path, value: readScalar(value), type: 'leaf', line, end: line })
  }
  return nodes
}

/** Whether a line of a list holds its closing bracket outside of strings. */
const closesList = (text: string): boolean => text.replace(/"[^"]*"|'[^']*'/g, '').includes(']')

const unquote = (text: string): string => text.trim().replace(/^["']|["']$/g, '')

function readScalar(text: string): string | number | boolean {
  const bare = text.replace(/^("(?:[^"\\]|\\.)*"|'[^']*').*$/, '$1')
  if (bare.startsWith('"') || bare.startsWith("'")) return bare.replace(/^"""|"""$/g, '').slice(1, -1)
  const plain = text.replace(/(?<!\s)\s+#[\s\S]*$/, '')
  if (plain === 'true' || plain === 'false') return plain === 'true'
  return plain !== '' && !Number.isNaN(Number(plain)) ? Number(plain) : plain
}
