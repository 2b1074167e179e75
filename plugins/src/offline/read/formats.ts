/** Readers of what the tools return: listings, numbered files, search hits. Lenient, as any tool of the kind may answer. */

/** A listed file. */
export interface ListedFile {
  readonly path: string
  /** Undefined where the tool does not say. */
  readonly bytes: number | undefined
}

export interface Listing {
  readonly files: readonly ListedFile[]
  /** Each ends with `/`. */
  readonly folders: readonly string[]
  /** Entries that the tool left out. */
  readonly more: number
}

/** Consecutive lines of one file. */
export interface Excerpt {
  readonly path: string
  /** Number of the first line. */
  readonly first: number
  readonly lines: readonly string[]
  /** Lines of the whole file. */
  readonly total: number
}

/** A line that a search found. */
export interface Hit {
  readonly path: string
  readonly line: number
  readonly text: string
}

export interface Hits {
  readonly hits: readonly Hit[]
  readonly more: number
}

/** What a tool says that it left out: `skipped 2 files over 5 MB: a.txt, b.txt`. */
export function readOmissions(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const said = /^\s*(?:…|\.\.\. )\s*((?:skipped|cannot read|stopped after)\b.*)$/.exec(line)?.[1]
    return said === undefined ? [] : [said.trim()]
  })
}

const MORE = /^(?:…|\.\.\.)\s*(?:at least\s+)?(\d+)\+? more\b/

const readMore = (line: string): number | undefined => {
  const match = MORE.exec(line.trim())
  return match ? Number(match[1]) : undefined
}

/** What a tool says about its result, not a part of it. */
const isRemark = (line: string): boolean => /^\s*(?:…|\.\.\. )/.test(line)

const trimPath = (path: string): string => path.replace(/^\.\//, '')

/** `src/a.ts  120` a line, folders with `/` at the end, `… 12 more` last. */
export function readListing(text: string): Listing {
  const files: ListedFile[] = []
  const folders = new Set<string>()
  let more = 0
  for (const raw of text.split('\n')) {
    const line = raw.trimEnd()
    const cut = readMore(line)
    if (cut !== undefined) more += cut
    if (line.trim() === '' || isRemark(line)) continue
    if (line.endsWith('/')) folders.add(trimPath(line))
    else {
      const match = /^(|.*\S)\s{2,}(\d+)$/.exec(line)
      const path = trimPath(match?.[1] ?? line)
      if (isPathLike(path)) files.push({ path, bytes: match ? Number(match[2]) : undefined })
    }
  }
  for (const { path } of files) for (const { index } of path.matchAll(/\//g)) folders.add(path.slice(0, index + 1))
  return { files, folders: [...folders].sort(), more }
}

/** Keeps sentences such as "nothing here" from being taken for a file. */
const isPathLike = (path: string): boolean =>
  !/^\(.*\)$/.test(path) && (!/\s/.test(path) || /[./]/.test(path.slice(0, -1)))

/** `12<tab>content` a line, `… 30 more lines` last; a text without numbers is numbered from `offset`. */
export function readExcerpt(path: string, text: string, offset = 1): Excerpt {
  const lines: string[] = []
  let first: number | undefined
  let more = 0
  for (const raw of text.split('\n')) {
    const match = /^\s*(\d+)\t(.*)$/s.exec(raw)
    if (match) {
      first ??= Number(match[1])
      lines.push((match[2] ?? '').replace(/\r$/, ''))
      continue
    }
    const cut = readMore(raw)
    if (cut !== undefined) more = cut
  }
  if (first === undefined && text.trim() !== '' && !isRemark(text)) {
    const plain = text.replace(/\n$/, '').split('\n')
    return { path, first: offset, lines: plain, total: offset + plain.length - 1 }
  }
  const start = first ?? offset
  return { path, first: start, lines, total: start + lines.length - 1 + more }
}

/** `path:line: content` a line, `… 12 more` last, `no match` alone. */
export function readHits(text: string): Hits {
  const hits: Hit[] = []
  let more = 0
  for (const raw of text.split('\n')) {
    const match = /^(.+?):(\d+):\s?([\s\S]*)$/.exec(raw.trimEnd())
    if (match && !isRemark(raw))
      hits.push({
        path: trimPath(match[1] ?? ''),
        line: Number(match[2]),
        text: (match[3] ?? '').replace(/^…|…$/g, ''),
      })
    else more += readMore(raw) ?? 0
  }
  return { hits, more }
}

/** The number and text of each line of an excerpt. */
export function numbered(excerpt: Excerpt): { line: number; text: string }[] {
  return excerpt.lines.map((text, index) => ({ line: excerpt.first + index, text }))
}

/** The lines of an excerpt from one number to another. */
export const cutExcerpt = ({ path, first, lines }: Excerpt, from: number, to: number): Excerpt => ({
  path,
  first: from,
  lines: lines.slice(from - first, to - first + 1),
  total: to,
})
