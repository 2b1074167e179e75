import type { MemberNode } from '@humanwhocodes/momoa'
import { isRecord } from './read-data.ts'

/** Texts, which stay as they are, and what JSON5 does not have: comments are dropped by it, a `_` in a number is not known. */
const SPELLINGS =
  /("(?:[^"\\\n\r]|\\[\s\S])*"|'(?:[^'\\\n\r]|\\[\s\S])*')|\/\/[^\n\r\u2028\u2029]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)|(?<![\w$])\d+(?:_\d+)+|["']/g
const MAX_DEPTH = 64
const HEAD =
  /^\s*(?:(import)\s*\{\s*defineConfig\s*\}\s*from\s*(?:'@svc\/(?:core|sdk)'|"@svc\/(?:core|sdk)")(?:\s*;)?\s*)?export\s+default\b\s*(?:(defineConfig)\s*\(\s*)?(?=\{)/

/**
 * What a config in TypeScript or JavaScript says, where it is plain values and nothing else: an optional import of
 * `defineConfig`, and a default export of an object of texts, numbers, true, false, null, lists and objects, in
 * `defineConfig(...)` or bare. JSON5 is the part of JavaScript that has these.
 *
 * Reads and runs nothing. What it returns is what running the file would export.
 *
 * @returns `undefined` for a file that says anything else: only running it could show what
 */
export async function readLiteral(text: string): Promise<Record<string, unknown> | undefined> {
  const { evaluate, iterator, parse } = await import('@humanwhocodes/momoa')
  try {
    const plain = text.replace(SPELLINGS, (whole, quoted?: string) => {
      if (quoted !== undefined) return whole
      // A quote that no other one of its line ends, or a comment that nothing ends.
      const isOpen = whole.startsWith('/*') && (whole.length < 4 || !whole.endsWith('*/'))
      if (isOpen || whole.length === 1) throw new SyntaxError(whole)
      return whole.startsWith('/') ? ' ' : whole.replaceAll('_', '')
    })
    const [head = '', imported, called] = HEAD.exec(plain) ?? []
    if (head === '' || (called !== undefined && imported === undefined)) return undefined
    const body = endOf(plain.slice(head.length).trimEnd(), called !== undefined)
    if (body === undefined) return undefined
    const tree = parse(body, { mode: 'json5' })
    let depth = 0
    for (const { node, phase } of iterator(tree)) {
      if (node.type === 'Object' || node.type === 'Array') depth += phase === 'enter' ? 1 : -1
      // Written so, it would set a prototype and no field.
      if (depth > MAX_DEPTH || (node.type === 'Member' && nameOf(node as MemberNode) === '__proto__')) return undefined
    }
    const value: unknown = evaluate(tree)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The object without what closes the call around it, and the statement. */
function endOf(rest: string, isCalled: boolean): string | undefined {
  const object = rest.replace(/;$/, '').trimEnd()
  if (!isCalled) return object
  return object.endsWith(')') ? object.slice(0, -1).trimEnd().replace(/,$/, '') : undefined
}

const nameOf = ({ name }: MemberNode): string => (name.type === 'String' ? name.value : name.name)
