import { type Excerpt, numbered } from './formats.ts'

export type SymbolKind = 'function' | 'class' | 'interface' | 'type' | 'constant' | 'method' | 'enum'

/** Something that a source file defines. */
export interface CodeSymbol {
  readonly name: string
  readonly kind: SymbolKind
  readonly line: number
  readonly text: string
  readonly exported: boolean
  /** Depth of indentation in columns: members stand deeper than their class. */
  readonly indent: number
}

const SCRIPT_FILE = /\.(?:[cm]?[jt]sx?|vue|svelte)$/
const PYTHON_FILE = /\.pyi?$/

export const isSourcePath = (path: string): boolean => SCRIPT_FILE.test(path) || PYTHON_FILE.test(path)
export const isPythonPath = (path: string): boolean => PYTHON_FILE.test(path)
/** A test, a fixture or an example: what defines nothing that others use. */
export const isTestPath = (path: string): boolean =>
  /(?:^|\/)(?:tests?|__tests__|spec|specs|fixtures?|__mocks__)\//.test(path) ||
  /(?:[._-](?:test|spec)\.\w+|(?:^|\/)test_\w+\.py|_test\.(?:py|go))$/.test(path)

const KINDS: Readonly<Record<string, SymbolKind>> = {
  function: 'function',
  'function*': 'function',
  class: 'class',
  interface: 'interface',
  type: 'type',
  enum: 'enum',
  namespace: 'type',
  const: 'constant',
  let: 'constant',
  var: 'constant',
}

const DECLARED =
  /^(\s*)(export\s+)?(default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(function\*?|class|interface|type|enum|namespace|const|let|var)\s+(?:enum\s+)?(?:\*\s*)?([A-Za-z_$][\w$]*)(?![\w$])([\s\S]*)$/
const ASSIGNED = /^(\s*)(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=\s*(.*)$/
const PROTOTYPE =
  /^(\s*)([A-Za-z_$][\w$.]*)\.(?:prototype\.)?([A-Za-z_$][\w$]*)\s*=\s*(?:(?:async\s+)?(?:function\b|\([^)]*\)\s*=>|class\b)|$)/
const MEMBER =
  /^(\s+)(?:(?:public|private|protected|static|async|override|readonly|abstract|declare|get|set)\s+)*((?:\*\s*)?#?[A-Za-z_$][\w$]*)\s*(?:<[^<>()]*(?:<[^<>()]*>[^<>()]*)*>)?\(([^;{]*)(?:\{.*|;|,)?$/
const PYTHON_DEFINED = /^(\s*)(?:async\s+)?(def|class)\s+([A-Za-z_]\w*)/
const PYTHON_CONSTANT = /^([A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)/
const NOT_MEMBERS = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'return',
  'function',
  'super',
  'constructor',
  'typeof',
  'new',
  'await',
  'throw',
  'require',
  'import',
  'else',
  'do',
  'with',
  'yield',
])

/** What one line defines, or undefined. `path` decides the language. */
export function readDefinition(path: string, line: number, text: string): CodeSymbol | undefined {
  if (text.length > 400) return undefined
  if (PYTHON_FILE.test(path)) return readPython(line, text)
  if (!SCRIPT_FILE.test(path)) return undefined
  const declared = DECLARED.exec(text)
  if (declared) {
    const word = declared[4] ?? ''
    const rest = declared[6] ?? ''
    const isImported =
      KINDS[word] === 'constant' && /=\s*(?:await\s+)?(?:__import\w+\(\s*)?(?:require|import)\(/.test(rest)
    if (isImported) return undefined
    if (word === 'type' && !/^\s*(?:<|=)/.test(rest)) return undefined
    const isFunction =
      KINDS[word] === 'constant' &&
      /^[^=]*=\s*(?:async\s+)?(?:function\b|\(?[^()]{0,2000}\)?\s{0,9}(?::[^=]{1,500})?=>|\([^)]*$)/.test(rest)
    const isClass = KINDS[word] === 'constant' && /^[^=]*=\s*class\b/.test(rest)
    return {
      name: declared[5] ?? '',
      kind: isClass ? 'class' : isFunction ? 'function' : (KINDS[word] ?? 'constant'),
      line,
      text,
      exported: declared[2] !== undefined || /^\s*declare\b/.test(text),
      indent: (declared[1] ?? '').length,
    }
  }
  const assigned = ASSIGNED.exec(text)
  if (assigned) {
    const value = assigned[3] ?? ''
    // what compilers write before the real assignment
    if (/^(?:void 0|undefined)\b|^require\(|exports\.\w+\s*=\s*void 0/.test(value)) return undefined
    const kind = /^(?:async\s+)?function\b|=>/.test(value) ? 'function' : /^class\b/.test(value) ? 'class' : 'constant'
    return { name: assigned[2] ?? '', kind, line, text, exported: true, indent: (assigned[1] ?? '').length }
  }
  const property = PROTOTYPE.exec(text)
  if (property)
    return { name: property[3] ?? '', kind: 'method', line, text, exported: true, indent: (property[1] ?? '').length }
  const member = MEMBER.exec(text)
  const name = (member?.[2] ?? '').replace(/^\*\s*/, '')
  if (!member || NOT_MEMBERS.has(name)) return undefined
  if (!/[{,;]\s*$|^[^;]*\)\s*:/.test(text.trimEnd()) || (/=>|^\s*\w+\(.*\);?$/.test(text) && !/\)\s*:/.test(text)))
    return undefined
  return { name, kind: 'method', line, text, exported: false, indent: (member[1] ?? '').length }
}

function readPython(line: number, text: string): CodeSymbol | undefined {
  const defined = PYTHON_DEFINED.exec(text)
  if (defined) {
    const indent = (defined[1] ?? '').length
    const name = defined[3] ?? ''
    const kind = defined[2] === 'class' ? 'class' : indent > 0 ? 'method' : 'function'
    return { name, kind, line, text, exported: !name.startsWith('_'), indent }
  }
  const constant = PYTHON_CONSTANT.exec(text)
  if (!constant) return undefined
  return {
    name: constant[1] ?? '',
    kind: 'constant',
    line,
    text,
    exported: !(constant[1] ?? '').startsWith('_'),
    indent: 0,
  }
}

/** Everything that an excerpt defines, in order; strings and comments of several lines are left out. */
export function readSymbols(excerpt: Excerpt): CodeSymbol[] {
  const symbols: CodeSymbol[] = []
  let inComment = false
  let fence: string | undefined
  for (const { line, text } of numbered(excerpt)) {
    if (isPythonPath(excerpt.path)) {
      const marks = text.match(/"""|'''/g) ?? []
      const wasInside = fence !== undefined
      for (const mark of marks) fence = fence === undefined ? mark : fence === mark ? undefined : fence
      if (wasInside || text.trim().startsWith('#')) continue
    } else {
      const wasInside = inComment
      if (!inComment && /^\s*\/\*/.test(text)) inComment = !text.includes('*/')
      else if (inComment && text.includes('*/')) inComment = false
      if (wasInside || inComment || /^\s*(?:\/\/|\/\*|\*)/.test(text)) continue
    }
    const symbol = readDefinition(excerpt.path, line, text)
    if (symbol) symbols.push(symbol)
  }
  return symbols
}

/** A name that a module hands out, and the line that says so. */
export interface Exported {
  readonly name: string
  readonly line: number
}

/** The names that a module exports: declarations, `export { a }`, `module.exports`, `__all__`. */
export function readExports(excerpt: Excerpt): Exported[] {
  const found: Exported[] = []
  const add = (name: string, line: number): void => {
    if (/^[A-Za-z_$][\w$]*$/.test(name) && !found.some((other) => other.name === name)) found.push({ name, line })
  }
  const python = isPythonPath(excerpt.path)
  // "declare" alone does not export where a module says "export" elsewhere
  const says = (text: string): boolean => python || /^\s*export\b|\bexports\b/.test(text)
  for (const symbol of readSymbols(excerpt)) {
    if (
      symbol.exported &&
      says(symbol.text) &&
      symbol.indent === 0 &&
      symbol.kind !== 'method' &&
      !(python && symbol.kind === 'constant')
    )
      add(symbol.name, symbol.line)
  }
  let open: 'export' | 'exports' | 'all' | undefined
  for (const { line, text } of numbered(excerpt)) {
    if (open === undefined) {
      if (/^\s*export\s+(?:type\s+)?\{/.test(text)) open = 'export'
      else if (/^\s*module\.exports\s*=\s*\{/.test(text)) open = 'exports'
      else if (/^__all__\s*=/.test(text)) open = 'all'
      else {
        const whole = /^\s*module\.exports\s*=\s*(?:new\s+)?([A-Za-z_$][\w$]*)\s*(?:;\s*)?$/.exec(text)
        const standard = /^\s*export\s+default\s+([A-Za-z_$][\w$]*)\s*(?:;\s*)?$/.exec(text)
        add((whole ?? standard)?.[1] ?? '', line)
        continue
      }
    }
    const inner = text
      .replace(/^.*?[{[]/, (start) => (/export|__all__/.test(start) ? '' : start))
      .replace(/[}\]][\s\S]*$/, '')
    for (const item of inner.split(',')) {
      const cleaned = item
        .replace(/\/\/[\s\S]*$/, '')
        .replace(/^\s*type\s+/, '')
        .trim()
      if (open === 'all') add(cleaned.replace(/["']/g, ''), line)
      else if (open === 'export')
        add(
          cleaned
            .split(/(?<!\s)\s+as\s+/)
            .at(-1)
            ?.trim() ?? '',
          line,
        )
      else add(/^(?:get\s+)?([A-Za-z_$][\w$]*)\s*(?:[:(]|$)/.exec(cleaned)?.[1] ?? '', line)
    }
    if (/[}\]]/.test(text.replace(/^.*?[{[]/, ''))) open = undefined
  }
  return found
}

/** The words of the comment above a definition, or of the docstring under it, with its lines. */
export function readDoc(excerpt: Excerpt, line: number): { text: string; from: number; to: number } | undefined {
  const lineAt = (number: number): string | undefined => excerpt.lines[number - excerpt.first]
  if (isPythonPath(excerpt.path)) return readDocstring(lineAt, line)
  let to = line - 1
  while (/^\s*@\w/.test(lineAt(to) ?? '')) to--
  const last = lineAt(to)
  if (last === undefined) return undefined
  let from = to
  if (/\*\/\s*$/.test(last)) {
    while (from > excerpt.first && !/\/\*/.test(lineAt(from) ?? '')) from--
  } else if (/^\s*\/\//.test(last)) {
    while (/^\s*\/\//.test(lineAt(from - 1) ?? '')) from--
  } else return undefined
  const lines: string[] = []
  let end = from - 1
  for (let number = from; number <= to; number++) {
    const words = (lineAt(number) ?? '')
      .replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/\/?)\s?/, '')
      .replace(/\*\/\s*$/, '')
      .trim()
    if (words.startsWith('@') || (words === '' && lines.length > 0)) break
    if (words === '' || /^[-=*]+$/.test(words)) {
      if (lines.length === 0) from = number + 1
      continue
    }
    lines.push(words)
    end = number
  }
  const text = lines.join(' ')
  return text === '' || /eslint-|prettier-|@ts-|istanbul|c8 ignore|biome-ignore|copyright|licen[cs]e\b/i.test(text)
    ? undefined
    : { text, from, to: end }
}

function readDocstring(lineAt: (line: number) => string | undefined, line: number) {
  let start = line
  while (start < line + 12 && !/:\s*(?:#[\s\S]*)?$/.test(lineAt(start) ?? '')) start++
  start++
  const first = /^\s*[rub]*("""|''')(.*)$/i.exec(lineAt(start) ?? '')
  if (!first) return undefined
  const mark = first[1] ?? '"""'
  const lines: string[] = []
  let from = start
  for (let number = start; number < start + 20; number++) {
    const raw = number === start ? (first[2] ?? '') : lineAt(number)
    if (raw === undefined) break
    const words = raw.split(mark)[0]?.trim() ?? ''
    if (words === '' && lines.length > 0) break
    if (words === '') from = number + 1
    else lines.push(words)
    if (raw.includes(mark)) break
  }
  return lines.length === 0 ? undefined : { text: lines.join(' '), from, to: from + lines.length - 1 }
}

/** The first sentence of the comment or docstring that a file begins with; none of a licence. */
export function readTopComment(excerpt: Excerpt): { text: string; from: number; to: number } | undefined {
  const lines = numbered(excerpt).slice(0, 25)
  const start = lines.findIndex(({ text }) => /^\s*(?:\/\*\*?|\/\/|#(?!!)|"""|''')\s*\S?/.test(text))
  if (start < 0 || lines.slice(0, start).some(({ text }) => !/^\s*(?:$|#!|["']use strict)/.test(text))) return undefined
  const words: string[] = []
  for (const { line, text } of lines.slice(start)) {
    const plain = text
      .replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/+|#+|"""|''')\s?/, '')
      .trimEnd()
      .replace(/(?:\*\/|"""|''')$/, '')
      .trimEnd()
    if (!/\p{L}/u.test(plain) && words.length === 0) continue
    if (plain.trim() === '') break
    if (/licen[cs]ed?\b|copyright|eslint|generated|@(?:ts|module|fileoverview|preserve|flow)\b|spdx/i.test(plain))
      return undefined
    words.push(plain.trim())
    if (!/[.!?](?:\s|$)/.test(plain) && words.length < 4 && !/(?:\*\/|"""|''')\s*$/.test(text.slice(3))) continue
    const from = lines[start]?.line ?? line
    const sentence = words
      .join(' ')
      .trim()
      .replace(/([.!?])\s.*$/s, '$1')
    return sentence.split(' ').length < 3 ? undefined : { text: sentence, from, to: line }
  }
  return undefined
}
