import { type Excerpt, numbered } from './formats.ts'

export type SymbolKind = 'function' | 'class' | 'interface' | 'type' | 'constant' | 'method' | 'property' | 'enum'

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

/** Files of code, and documents, as globs. */
export const SOURCES = '**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,py,vue,svelte}'
export const DOCUMENTS = '**/*.{md,mdx,markdown,rst,txt,adoc}'
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
const NOT_MEMBERS = new Set(
  'if for while switch catch return function super constructor typeof new await throw require import else do with yield'.split(
    ' ',
  ),
)

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
