import { type Excerpt, numbered } from './formats.ts'
import { type CodeSymbol, isPythonPath } from './symbols.ts'

/** A method or accessor of a class, an interface or a constructor function. */
export interface Member {
  readonly name: string
  readonly kind: 'method' | 'accessor'
  readonly line: number
  readonly text: string
}

const MODIFIERS = '(?:(?:public|private|protected|static|async|override|abstract|declare|readonly)\\s+)*'
const NAME = '(#?[A-Za-z_$][\\w$]*|\\[[\\w.]+\\])'
const METHOD = new RegExp(`^${MODIFIERS}(?:(get|set)\\s+(?=[#\\w$[]))?\\*?\\s*${NAME}\\??\\s*[<(]`)
const ARROW = new RegExp(
  `^${MODIFIERS}${NAME}\\s*(?::[^=]{1,200})?=\\s*(?!\\s)(?:async\\s*(?!\\s))?(?:function\\b|\\(?[^()]{0,200}\\)?\\s{0,9}(?::[^=]{1,100})?=>)`,
)
const PYTHON_METHOD = /^(?:async\s+)?def\s+(\w+)/
/** In a class every other word before brackets is a method, `for` and `catch` as well. */
const NO_METHODS = new Set(['constructor', 'new'])

/** The last line of a definition, by its indentation; undefined where it lies beyond the excerpt. */
export function endOf(found: CodeSymbol, excerpt: Excerpt): number | undefined {
  const isPython = isPythonPath(excerpt.path)
  let last = found.line
  for (const { line, text } of numbered(excerpt)) {
    if (line <= found.line || text.trim() === '') continue
    const isOuter = indentOf(text) <= found.indent
    if (isPython) {
      if (isOuter && !/^\s*[)\]]/.test(text)) return last
      last = line
    } else if (isOuter && /^\s*[}\])]/.test(text) && !/[{(]\s*$/.test(text)) return line
  }
  return excerpt.first + excerpt.lines.length > excerpt.total ? excerpt.total : undefined
}

/** What stands on the first level inside of a definition; each name once, constructors of JavaScript left out. */
export function readMembers(found: CodeSymbol, excerpt: Excerpt, end: number): Member[] {
  const isPython = isPythonPath(excerpt.path)
  const body = numbered(excerpt).filter(({ line }) => line > found.line && line < end + (isPython ? 1 : 0))
  const opened = isPython ? /:\s*(?:#[\s\S]*)?$/ : /\{\s*(?:\/\/[\s\S]*)?$/
  const isOpen = opened.test(found.text)
  const start = isOpen ? 0 : body.findIndex(({ text }) => opened.test(text)) + 1
  const inside = withoutTexts(body.slice(start), isPython)
  const indent = indentOf(inside.find(({ text }) => text.trim() !== '')?.text ?? '')
  const members: Member[] = []
  for (const { line, text } of inside) {
    if (indentOf(text) !== indent || indent <= found.indent || text.length > 2000) continue
    const match = isPython ? undefined : METHOD.exec(text.trim())
    const name = isPython ? PYTHON_METHOD.exec(text.trim())?.[1] : (match?.[2] ?? ARROW.exec(text.trim())?.[1])
    if (name === undefined || NO_METHODS.has(name) || members.some((other) => other.name === name)) continue
    members.push({ name, kind: match?.[1] === undefined ? 'method' : 'accessor', line, text: text.trim() })
  }
  return members
}

/** Lines outside of comments and of strings over several lines. */
function withoutTexts(lines: readonly { line: number; text: string }[], isPython: boolean) {
  let open: string | undefined
  return lines.filter(({ text }) => {
    const wasOpen = open !== undefined
    if (isPython) {
      for (const mark of text.match(/"""|'''/g) ?? [])
        open = open === undefined ? mark : open === mark ? undefined : open
      return !wasOpen && !/^\s*(?:#|[rub]{0,2}(?:"""|'''))/i.test(text)
    }
    if (!wasOpen && /^\s*\/\*/.test(text)) open = text.includes('*/') ? undefined : '*/'
    else if (wasOpen && text.includes('*/')) open = undefined
    return !wasOpen && !/^\s*(?:\/\/|\/\*)/.test(text)
  })
}

const indentOf = (text: string): number => text.length - text.trimStart().length
