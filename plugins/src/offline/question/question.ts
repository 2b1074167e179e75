/** A question and what can be read off its wording. */
export interface Question {
  readonly text: string
  /** In lower case. */
  readonly lower: string
  /** What stands in backticks or quotation marks. */
  readonly quoted: readonly string[]
  /** Words that look like names in code, without brackets. */
  readonly identifiers: readonly string[]
  /** Words that look like paths. */
  readonly paths: readonly string[]
}

const QUOTED = /`([^`\n]+)`|"([^"\n]+)"|“([^“”\n]+)”|(?<=^|\s)'([^'\n]+)'(?=[\s?.,;:!]|$)/g
const URL = /https?:\/\/[^\s<>"'`)\]]+/g
const PATH =
  /(?:[\w@.~-]{1,200}\/)+[\w@.-]*|[\w@-][\w@.-]{0,200}\.[A-Za-z][A-Za-z0-9]{0,5}\b|(?<![\w.])\.[a-z][\w.-]+|\b(?:README|LICEN[CS]E|CHANGELOG|CONTRIBUTING|Makefile|Dockerfile)\b/g
const CODE_WORD = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/
const KIND =
  'function|class|method|interface|type alias|type|constant|const|variable|symbol|hook|enum|struct|decorator|def'
const NAMED_AFTER = new RegExp(`\\b(?:${KIND})\\s+[\`"']?([A-Za-z_$][\\w$.]*)`, 'g')
const PLACED =
  /\b(?:where(?:'s| is| are)|which file defines|find the definition of|definition of|signature of)\s+(?:the\s+)?(?:(?:function|class|method|interface|type|constant|variable|symbol)\s+)?[`"']?([A-Za-z_$][\w$.]*)(?![\w$])(?=[`"']?\s*(?:$|[?.,!](?![\w$])|(?:defined|declared|implemented|located|exported|used|mentioned|called|referenced|and|in)\b))/gi
const USED =
  /\b(?:imports?|uses?|using|calls?|requires?|references?|mentions?|mentioned|depends? on)\s+[`"']?([A-Za-z_$@][\w$./@-]*)/gi

const DEFINED = /\b(?:defin|implement|declar)/i
/** Words that are never a name in code, though they stand where one could. */
const ORDINARY = new Set(
  (
    'a an the this that these those it its what which who where how why is are does do file files folder folders package packages repository repo project module modules ' +
    'function functions class classes method methods type types interface tests test code and or of in to for with any all each every defined declared used imported exported from by ' +
    'you we they i not be version license licence main entry name names value values number variable constant symbol hook library there here data work on as if so typescript javascript github commonjs nodejs anywhere somewhere everywhere nowhere'
  ).split(' '),
)

/** Reads a question. */
export function readQuestion(text: string): Question {
  const bare = text.replace(URL, ' ')
  const quoted = [...bare.matchAll(QUOTED)].map((match) => (match[1] ?? match[2] ?? match[3] ?? match[4] ?? '').trim())
  const isDefined = DEFINED.test(text)
  const paths = [...bare.matchAll(PATH)]
    .map((match) => match[0].replace(/(?<![.,])[.,]+$/, ''))
    .filter((path) => isPath(path) && !(isDefined && isMember(path)))
  return {
    text: text.trim(),
    lower: text.toLowerCase(),
    quoted: unique(quoted.filter((item) => item !== '')),
    identifiers: findIdentifiers(bare, quoted, paths),
    paths: unique([...paths, ...quoted.filter((item) => isPath(item) && !/\s/.test(item) && item.includes('/'))]),
  }
}

/** `e.g.` and `1.2` are not paths, nor is `Foo.bar` with a long ending. */
const isPath = (text: string): boolean =>
  /[\w@]/.test(text) &&
  !/^\d+(?:\.\d+)*$/.test(text) &&
  !/^(?:e\.g|i\.e|and\/or|node\.js|vs)\.?$/i.test(text) &&
  !/^\d+\/\d+$/.test(text)

/** `res.json` where it is asked for its definition: a member, unless the ending is one of code. */
const isMember = (text: string): boolean =>
  /^[a-z_$][\w$]*\.[a-z_$][\w$]*$/i.test(text) &&
  !/\.(?:[cm]?[jt]sx?|pyi?|md)$/.test(text) &&
  !/^(?:package|tsconfig|composer|manifest)\./.test(text)

function findIdentifiers(text: string, quoted: readonly string[], paths: readonly string[]): string[] {
  const isDefined = DEFINED.test(text)
  const found: string[] = []
  const add = (word: string | undefined): void => {
    const name = (word ?? '').replace(/^([^(]*)\(.*\)$/, '$1').replace(/(?<![.,;:?!])[.,;:?!]+$/, '')
    if (CODE_WORD.test(name) && !ORDINARY.has(name.toLowerCase()) && name.length > 1) found.push(name)
  }
  for (const item of quoted) add(item)
  for (const match of text.matchAll(/[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(\(\))?/g)) {
    const word = match[0]
    if (match[1] !== undefined || looksLikeCode(word) || (isDefined && isMember(word))) add(word)
  }
  for (const match of text.matchAll(NAMED_AFTER)) add(match[1])
  for (const match of text.matchAll(PLACED)) add(match[1])
  for (const match of text.matchAll(USED)) add(match[1])
  const known = new Set(paths)
  return unique(found).filter((name) => !known.has(name) || quoted.includes(name))
}

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
