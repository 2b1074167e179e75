import type { Excerpt } from './formats.ts'
import type { DataNode } from './node.ts'

/**
 * Reads JSON (with comments) and remembers on which line each value stands.
 *
 * One pass; a text that is cut or broken gives the values before the break.
 */
export function readJsonLines(excerpt: Excerpt): DataNode[] {
  const text = excerpt.lines.join('\n')
  const nodes: DataNode[] = []
  let position = 0
  let line = excerpt.first

  const skip = (): void => {
    for (;;) {
      const char = text[position]
      if (char === '\n') line++
      if (char === ' ' || char === '\t' || char === '\r' || char === '\n' || char === '\uFEFF') position++
      else if (char === '/' && text[position + 1] === '/') {
        const end = text.indexOf('\n', position)
        position = end < 0 ? text.length : end
      } else if (char === '/' && text[position + 1] === '*') {
        const end = text.indexOf('*/', position + 2)
        const stop = end < 0 ? text.length : end + 2
        for (let index = position; index < stop; index++) if (text[index] === '\n') line++
        position = stop
      } else return
    }
  }

  const readString = (): string | undefined => {
    const start = position
    position++
    while (position < text.length && text[position] !== '"') position += text[position] === '\\' ? 2 : 1
    if (position >= text.length) return undefined
    position++
    try {
      const value: unknown = JSON.parse(text.slice(start, position))
      return typeof value === 'string' ? value : undefined
    } catch {
      return undefined
    }
  }

  /** False when the text ends or breaks inside the value. */
  const readValue = (path: readonly (string | number)[], depth: number): boolean => {
    skip()
    const char = text[position]
    if (char === undefined || depth > 100) return false
    if (char === '{' || char === '[') {
      const isObject = char === '{'
      const node: DataNode = { path, value: undefined, type: isObject ? 'object' : 'array', line, end: line }
      nodes.push(node)
      position++
      for (let index = 0; ; index++) {
        skip()
        if (text[position] === ',') {
          position++
          skip()
        }
        const next = text[position]
        if (next === undefined) return false
        if (next === '}' || next === ']') {
          position++
          node.end = line
          return true
        }
        let key: string | number = index
        if (isObject) {
          const name = next === '"' ? readString() : undefined
          skip()
          if (name === undefined || text[position] !== ':') return false
          position++
          key = name
        }
        if (!readValue([...path, key], depth + 1)) return false
        node.end = line
      }
    }
    if (char === '"') {
      const start = line
      const value = readString()
      if (value === undefined) return false
      nodes.push({ path, value, type: 'leaf', line: start, end: line })
      return true
    }
    const rest = /^[-+.\w]+/.exec(text.slice(position, position + 64))?.[0]
    if (rest === undefined) return false
    position += rest.length
    const value = rest === 'true' ? true : rest === 'false' ? false : rest === 'null' ? null : Number(rest)
    if (typeof value === 'number' && Number.isNaN(value)) return false
    nodes.push({ path, value, type: 'leaf', line, end: line })
    return true
  }

  readValue([], 0)
  return nodes
}
