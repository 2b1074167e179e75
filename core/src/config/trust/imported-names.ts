/** Texts in quotes, found one by one, so that a quote in a comment or a text hides none. */
const QUOTED_PATH = /["'`](?=((?:\.|\/|file:)[^"'`\n]{0,1000})["'`])/g
const IMPORTED = /(?:from|import|require)\s{0,20}\(?\s{0,20}["'`]([^"'`\n]{1,1000})["'`]/g
const UNQUOTED_PATH = /(?:^|[\s:,[-])(\.{1,2}\/[^\s,"'\]}#]{1,500})/g
const MODULE_LISTS = /\b(?:plugins|components)["']?\s{0,20}:\s{0,20}/g
const MODULE_NAME = /(?:^|[\s"'`,:[{-])(@?[a-z\d][\w.-]{0,100}(?:\/[\w./-]{1,200})?)(?=$|[\s"'`,\]}])/gim

/** A text that has more of them is no config that somebody wrote. */
const MOST_LISTS = 20

/** Names in a text that may lead to files. */
export interface Names {
  /** By a path, wherever it stands. */
  paths: Set<string>
  /** By `import` or `require`. */
  imported: Set<string>
  /** As a module of a config; some are only words. */
  listed: Set<string>
}

/** What a module or a config names. @param isData whether it is JSON or YAML, where texts need no quotes */
export function findNames(text: string, isData: boolean): Names {
  const names: Names = { paths: new Set(), imported: new Set(), listed: new Set() }
  for (const readable of text.includes('\\') ? [text, unescaped(text)] : [text]) {
    for (const [, path = ''] of readable.matchAll(QUOTED_PATH)) names.paths.add(path)
    if (isData) for (const [, path = ''] of readable.matchAll(UNQUOTED_PATH)) names.paths.add(path)
    else for (const [, name = ''] of readable.matchAll(IMPORTED)) names.imported.add(name)
    for (const { 0: key, index } of [...readable.matchAll(MODULE_LISTS)].slice(0, MOST_LISTS)) {
      for (const [, name = ''] of listAt(readable, index + key.length).matchAll(MODULE_NAME)) names.listed.add(name)
    }
  }
  return names
}

/** The list or map that begins at a place of a text; in YAML without brackets, the lines that belong to it. */
export function listAt(text: string, start: number): string {
  const rest = text.slice(start, start + 5_000)
  if (!/^[[{]/.test(rest)) return /^[^\n]*(?:\n[ \t-][^\n]*)*/.exec(rest)?.[0] ?? ''
  let depth = 0
  for (let at = 0; at < rest.length; at++) {
    if (rest[at] === '[' || rest[at] === '{') depth++
    if ((rest[at] === ']' || rest[at] === '}') && --depth === 0) return rest.slice(0, at)
  }
  return rest
}

/** The text with its escapes undone, so that `'.\x2fa.ts'` names what it imports. */
function unescaped(text: string): string {
  return text
    .replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\})/gi, (whole, two, four, any) => {
      const point = Number.parseInt(two ?? four ?? any, 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole
    })
    .replace(/\\([^\n])/g, '$1')
}
