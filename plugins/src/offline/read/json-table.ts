import type { Row, Table } from './csv.ts'
import type { DataNode } from './node.ts'
import { childrenOf } from './node.ts'

/** The lists of objects in a JSON file as tables, each under the path of its list. */
export function readJsonTables(path: string, nodes: readonly DataNode[]): { at: string; table: Table }[] {
  const lists = nodes.filter((node) => node.type === 'array')
  return lists.flatMap((list) => {
    const items = childrenOf(nodes, ...list.path)
    if (items.length === 0 || !items.every((item) => item.type === 'object')) return []
    const columns: string[] = []
    const rows: Row[] = items.map((item) => {
      const cells: string[] = []
      for (const field of childrenOf(nodes, ...item.path)) {
        const name = String(field.path.at(-1))
        if (!columns.includes(name)) columns.push(name)
        cells[columns.indexOf(name)] = field.type === 'leaf' ? String(field.value) : ''
      }
      return { cells: Array.from(cells, (cell) => cell ?? ''), from: item.line, to: item.end }
    })
    return [
      {
        at: list.path.join('.'),
        table: { path, columns, header: items[0]?.line ?? list.line, rows, decimalCommas: new Set(), unread: 0 },
      },
    ]
  })
}
