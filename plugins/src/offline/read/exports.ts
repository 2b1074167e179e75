import { type Excerpt, numbered } from './formats.ts'

/** A name that a file hands to others. */
export interface Export {
  readonly name: string
  readonly line: number
}

const DECLARED =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|var|enum)\s*([\w$]+)/
const ASSIGNED = /^(?:module\.)?exports\.([\w$]+)\s*=(?!=)/
const ITEM = /(?:^|,)\s*(?:type\s+)?([\w$]+)(?:\s*:\s*[\w$.]+|\s+as\s+([\w$]+))?(?=\s*(?:,|$))/g
const LIST = /(?:^export\s*|^module\.exports\s*=\s*)\{([^{}]*)\}/gm

/** The values that a script exports under names; undefined where it exports in a way that is not read here. */
export function readExports(excerpt: Excerpt): Export[] | undefined {
  const lines = numbered(excerpt)
  const text = excerpt.lines.join('\n')
  if (
    /^export (?:\*|(?:declare )?(?:type|interface|namespace|abstract)\b|=)|^(?:[ \t]{0,20}\.\.\.|module\.exports\s*=(?!\s*(?:\{|exports\b))|Object\.(?:assign|defineProperty)\((?:module\.)?exports)/m.test(
      text,
    )
  )
    return undefined
  const found = new Map<string, number>()
  for (const { line, text: own } of lines) {
    const name = DECLARED.exec(own)?.[1] ?? ASSIGNED.exec(own)?.[1]
    if (name !== undefined && name !== '__esModule') found.set(name, line)
    if (/^export\s+default\b/.test(own)) found.set('default', line)
  }
  const lists = [...text.matchAll(LIST)]
  if (lists.length < (text.match(/^(?:export\s*|module\.exports\s*=\s*)\{/gm) ?? []).length) return undefined
  for (const { 1: inside = '', 0: whole, index } of lists) {
    const first = excerpt.first + text.slice(0, index).split('\n').length - 1
    const bare = inside.replace(/\/\/.*$|\/\*[^*]{0,500}\*\//gm, (comment) => comment.replace(/[^\n]/g, ' '))
    const items = [...bare.matchAll(ITEM)]
    if (items.length < bare.split(',').filter((item) => item.trim() !== '').length) return undefined
    for (const item of items) {
      const offset = whole.indexOf(inside) + item.index + item[0].length
      found.set(item[2] ?? item[1] ?? '', first + whole.slice(0, offset).split('\n').length - 1)
    }
  }
  return [...found].map(([name, line]) => ({ name, line }))
}
