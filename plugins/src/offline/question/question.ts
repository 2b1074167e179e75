import { FILE_ENDING } from '../paths.ts'
import { type Language, readLanguage, readTopics, type Topic } from './topics.ts'

/** A question and what can be read off its wording. */
export interface Question {
  readonly text: string
  /** In lower case. */
  readonly lower: string
  readonly language: Language
  /** What stands in backticks or quotation marks. */
  readonly quoted: readonly string[]
  /** Words that look like names in code, without brackets, and flags. */
  readonly identifiers: readonly string[]
  /** Words that look like paths. */
  readonly paths: readonly string[]
  /** What it speaks of. */
  readonly topics: ReadonlySet<Topic>
  /** The words that told each topic. */
  readonly told: ReadonlyMap<Topic, string>
  /** Words that none of these explains: what it is about, as they are typed. */
  readonly rest: readonly string[]
}

const QUOTED = /`([^`\n]+)`|"([^"\n]+)"|[“„»「]([^“”„«»「」\n]+)[”“«」]|(?<=^|\s)'([^'\n]+)'(?=[\s?.,;:!]|$)/g
const URL = /https?:\/\/[^\s<>"'`)\]]+/g
const PATH =
  /(?:[\w@.~-]{1,200}\/)+[\w@.-]*|[\w@-][\w@.-]{0,200}\.[A-Za-z][A-Za-z0-9]{0,5}\b|(?<![\w.])\.[a-z][\w.-]+(?![\w(.-])|\b(?:README|LICEN[CS]E|CHANGELOG|CONTRIBUTING|Makefile|Dockerfile)\b/g
/** Objects of programs, which show that `res.json` is no file. */
const OBJECT =
  /^(?:res|req|ctx|this|self|module|exports|console|JSON|Object|Array|Promise|process|window|document)\.\w+$/
const CODE_WORD = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/
/** A flag; what a text begins with is none. */
const FLAG = /(?<=[\s`"'(])--?[a-z](?:[\w.-]*\w)?/gi

/** Reads a question. */
export function readQuestion(text: string): Question {
  const bare = text.replace(URL, ' ')
  const quoted = [...bare.matchAll(QUOTED)].map((match) => (match[1] ?? match[2] ?? match[3] ?? match[4] ?? '').trim())
  const paths = [...bare.matchAll(PATH)].map((match) => match[0].replace(/(?<![.,])[.,]+$/, '')).filter(isPath)
  const identifiers = findIdentifiers(bare, quoted, paths)
  const named = [...quoted, ...paths, ...identifiers].sort((a, b) => b.length - a.length)
  const left = named.reduce((said, name) => said.replaceAll(name, ' '), bare).replace(/\(\s*\)/g, ' ')
  return {
    text: text.trim(),
    lower: text.toLowerCase(),
    language: readLanguage(text),
    quoted: unique(quoted.filter((item) => item !== '')),
    identifiers,
    paths: unique([...paths, ...quoted.filter((item) => isPath(item) && !/\s/.test(item) && item.includes('/'))]),
    ...readTopics(left),
  }
}

/** With a folder, or with what ends the name of a file; `e.g.`, `1.2` and `process.exit` are none. */
const isPath = (text: string): boolean =>
  /[\w@]/.test(text) &&
  (text.includes('/') || /^\./.test(text) || FILE_ENDING.test(text) || /^[A-Z]+$/i.test(text)) &&
  !/^\d+(?:[./]\d+)*$/.test(text) &&
  !OBJECT.test(text) &&
  !/^(?:and\/or|node\.js|vs|CI\/CD|I\/O)\.?$/i.test(text)

function findIdentifiers(text: string, quoted: readonly string[], paths: readonly string[]): string[] {
  const found: string[] = []
  const add = (word: string): void => {
    const name = word.replace(/^([^(]*)\(.*\)$/, '$1').replace(/(?<![.,;:?!])[.,;:?!]+$/, '')
    if (CODE_WORD.test(name) && name.length > 1) found.push(name)
  }
  for (const item of quoted) add(item)
  const left = paths.reduce((said, path) => said.replaceAll(path, ' '), text)
  for (const match of left.matchAll(/[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(\(\))?/g)) {
    const word = match[0]
    const isMember =
      /^[a-z$][\w$]*\.[a-z_$][\w$]*$|^[A-Z]\w*\.\w+$/.test(word) && !/^(?:e\.g|i\.e|z\.B|node\.js)/i.test(word)
    if (match[1] !== undefined || (looksLikeCode(word) && !SPELLED.test(word)) || isMember) add(word)
  }
  for (const match of left.matchAll(NAMED)) add(match[1] ?? match[2] ?? '')
  if (readLanguage(text) === 'ja')
    for (const [word] of left.matchAll(/(?<![\w$-])[A-Za-z_$][\w$]{2,}(?![\w$-])/g)) if (!NO_NAME.test(word)) add(word)
  const flags = [...left.matchAll(FLAG)].map(([flag]) => flag)
  return unique([...found, ...flags])
}

/** "the class View", "the View class": what is capitalized beside such a word. */
const NAMED =
  /(?<![\p{L}])(?:class|function|method|interface|type|constant|klasse|funktion|methode|classe|fonction|méthode)\s+([A-Z][\w$]*)|(?<![\w$])([A-Z][\w$]*)[\s-](?:class|function|method|interface|type|klasse)(?![\p{L}])/gu
const NO_NAME =
  /^(?:npm|node|nodejs|readme|typescript|javascript|github|url|cli|esm|cjs|commonjs|api|json|todo|fixme|html|css|http|https|python|devdependencies|peerdependencies|dependencies|import\w*|export\w*|require\w*|version|license|main|test|tests|lib|src|docs|bin|types|package)$/i

/** Proper names that are written like code. */
const SPELLED =
  /^(?:TODOs?|FIXMEs?|URLs|APIs|IDs|UUIDs|CLIs|PRs|TypeScript|JavaScript|CoffeeScript|GitHub|GitLab|CommonJS|OpenTelemetry|FastAPI|GraphQL|WebSockets?|PostgreSQL|MySQL|MongoDB|Node\.?js|iOS|macOS|devDependenc\w+|peerDependenc\w+|optionalDependenc\w+)$/i

/** camelCase, snake_case, PascalCase of two words: what nobody writes in prose. */
export const looksLikeCode = (word: string): boolean =>
  /[a-z\d][A-Z]/.test(word) ||
  /[A-Za-z\d]_[A-Za-z\d]/.test(word) ||
  /^[A-Z][A-Z\d]+[a-z]/.test(word) ||
  /\$(?!\d)/.test(word)

export const unique = <T>(items: readonly T[]): T[] => [...new Set(items)]

/** The first item of each key, in their order. */
export function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string | undefined): T[] {
  const seen = new Set<string | undefined>()
  return items.filter((item) => {
    const isNew = !seen.has(keyOf(item))
    seen.add(keyOf(item))
    return isNew
  })
}
