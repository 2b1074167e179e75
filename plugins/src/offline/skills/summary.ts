import { at } from '../cite.ts'
import type { Part } from '../claim.ts'
import { claim, heading, lead, note } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName, FILE_ENDING, folderOf } from '../paths.ts'
import { unique, uniqueBy } from '../question.ts'
import { readCsv } from '../read/csv.ts'
import type { Excerpt, Listing } from '../read/formats.ts'
import { numbered } from '../read/formats.ts'
import { readImport } from '../read/imports.ts'
import { readJsonLines } from '../read/json-lines.ts'
import { MANIFEST_NAMES, Manifest } from '../read/manifest.ts'
import { rank, readIntroduction, readSentences, readTitles } from '../read/sentences.ts'
import { isPythonPath, isSourcePath, readDoc, readExports, readSymbols } from '../read/symbols.ts'
import type { Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, quote, tick } from '../wording.ts'
import { findNamed } from './find-file.ts'
import { introduce } from './purpose.ts'

/** What is in a file or a folder. */
export const summary: Skill = {
  id: 'summary',
  asks: (question) =>
    (/\b(?:compare|difference between)\s+[`"'\w]/.test(question.lower) ||
      question.paths.some((path) => !/^https?:/.test(path)) ||
      /\b(?:folder|directory)\s+[`"']?[\w@./-]+|[`"'][\w@./-]+[`"']?\s+(?:folder|directory)\b|\bin (?:the )?[\w@/.-]+ (?:folder|directory)\b|\bwhat(?:'s| is| are| lies)(?: there)? (?:in|inside|under) (?!this|the|it)[\w@./-]+/.test(
        question.lower,
      )) &&
    !/\b(?:which|what) (?:other )?files? (?:imports?|uses?|mentions?|depends?)|\bwho imports|\bhow many (?:lines|functions|rows|times)/.test(
      question.lower,
    ),
  *work(session) {
    const named = yield* findNamed(session)
    // `req.body` is what a program calls something
    const isCode = named.missing.every((path) => /^[\w$]+(?:\.[\w$]+)+$/.test(path) && !FILE_ENDING.test(path))
    if (named.files.length + named.folders.length === 0 && isCode) return { parts: [], answered: false }
    const excerpts = yield* together(named.files.slice(0, 4).map((path) => session.read(path, { limit: 300 })))
    const folders = yield* together(named.folders.slice(0, 3).map((path) => describeFolder(session, path)))
    const asksOne = asksSpecific(session)
    const parts: Part[] = [
      ...excerpts.flatMap((excerpt) =>
        excerpt ? describeFile(excerpt, asksOne ? session.question.stems : undefined) : [],
      ),
      ...folders.flat(),
      ...named.missing.map((path) =>
        note(
          `I found no file or folder \`${path}\`: I looked at ${plural(named.tree.files.length, 'file')} and by its name in every folder.`,
        ),
      ),
    ]
    const found = named.files.length + named.folders.length
    return { parts, answered: found + named.missing.length > 0, missing: found === 0 }
  },
}

/** Whether something in the file is asked for, rather than the file as a whole. */
const asksSpecific = (session: ToolSession): boolean =>
  !/\b(?:summari[sz]e|summary|what is in|what's in|describe|explain|outline|overview|contents? of|what does)\b/.test(
    session.question.lower,
  )

function describeFile(excerpt: Excerpt, asked: ReadonlySet<string> | undefined): Part[] {
  const last = excerpt.first + excerpt.lines.length - 1
  if (excerpt.lines.length === 0) return [note(`\`${excerpt.path}\` is empty.`)]
  const read = [at(excerpt.path, excerpt.first, last)]
  // the lines at hand show how many a file has only where they are all of it
  const size =
    last < excerpt.total
      ? lead(`I read the first ${plural(last, 'line')} of ${tick(excerpt.path)}`, read, [last])
      : lead(`${tick(excerpt.path)} has ${plural(last, 'line')}`, read, [last])
  if (asked) {
    const found = quoteBest([excerpt], asked, 5)
    if (found.length > 0) return [heading(`From ${tick(excerpt.path)}`), ...found]
  }
  if (isSourcePath(excerpt.path)) return [size, ...describeSource(excerpt)]
  if (/\.(?:csv|tsv)$/i.test(excerpt.path)) {
    const table = readCsv(excerpt)
    return table
      ? [
          size,
          lead(
            `Its ${plural(table.columns.length, 'column')} are ${table.columns.map((column) => tick(column)).join(', ')}`,
            [at(excerpt.path, table.header)],
            [table.columns.length],
          ),
        ]
      : [size]
  }
  if (/\.jsonc?$/i.test(excerpt.path)) {
    const keys = readJsonLines(excerpt)
      .filter((node) => node.path.length === 1)
      .slice(0, 20)
    return [
      size,
      ...(keys.length > 0
        ? [
            heading('At its top'),
            ...keys.map((node) =>
              claim(
                `${tick(String(node.path[0]))}${node.type === 'leaf' ? ` is ${tick(String(node.value), 100)}` : ` is an ${node.type}`.replace('an object', 'an object')}`,
                [at(excerpt.path, node.line)],
              ),
            ),
          ]
        : []),
    ]
  }
  return [size, ...describeDocument(excerpt)]
}

function describeDocument(excerpt: Excerpt): Part[] {
  const titles = readTitles(excerpt).slice(0, 14)
  const start = readIntroduction(excerpt, 3)
  const sentences = start.length > 0 ? start : readSentences(excerpt).slice(0, 3)
  const plain =
    sentences.length > 0
      ? []
      : numbered(excerpt)
          .filter(({ text }) => text.trim() !== '')
          .slice(0, 4)
  return [
    ...sentences.map((sentence) => lead(quote(sentence.text), [sentence.cite])),
    ...plain.map(({ line, text }) => lead(quote(text, 140), [at(excerpt.path, line)])),
    ...(titles.length > 1
      ? [heading('Its sections'), ...titles.map(({ title, line }) => claim(quote(title), [at(excerpt.path, line)]))]
      : []),
  ]
}

/** The comment at the top, what is defined and handed out, and what is imported. */
function describeSource(excerpt: Excerpt): Part[] {
  const parts: Part[] = []
  const top = topComment(excerpt)
  if (top) parts.push(lead(quote(top.text, 400), [at(excerpt.path, top.from, top.to)]))
  const handed = new Set(readExports(excerpt).map((item) => item.name))
  const symbols = readSymbols(excerpt)
  const outer = Math.min(...symbols.map((item) => item.indent))
  const own = symbols.filter(
    (item) => item.indent === outer && (item.kind !== 'constant' || handed.has(item.name) || symbols.length < 8),
  )
  const sorted = [
    ...own.filter((item) => handed.has(item.name)),
    ...own.filter((item) => !handed.has(item.name)),
  ].slice(0, 20)
  if (sorted.length > 0) {
    parts.push(
      heading(isPythonPath(excerpt.path) || handed.size === 0 ? 'It defines' : 'It defines, what it exports first'),
    )
    for (const item of sorted) {
      const doc = readDoc(excerpt, item.line)
      const what = `${item.kind} ${tick(item.name)}`
      parts.push(
        claim(doc ? `${what}: ${quote(doc.text, 160)}` : what, [
          ...(doc ? [at(excerpt.path, doc.from, doc.to)] : []),
          at(excerpt.path, item.line),
        ]),
      )
    }
  }
  const missing = readExports(excerpt)
    .filter((item) => !sorted.some((other) => other.name === item.name))
    .slice(0, 30)
  if (missing.length > 0)
    parts.push(
      heading('It also exports'),
      claim(missing.map((item) => tick(item.name)).join(', '), [
        at(excerpt.path, Math.min(...missing.map((item) => item.line)), Math.max(...missing.map((item) => item.line))),
      ]),
    )
  const imports = numbered(excerpt).flatMap(({ line, text }) => {
    const specifier = readImport(excerpt.path, text)
    return specifier === undefined ? [] : [{ specifier, line }]
  })
  const once = uniqueBy(imports, ({ specifier }) => specifier).slice(0, 20)
  if (once.length > 0)
    parts.push(
      heading('It imports'),
      claim(
        once.map((item) => tick(item.specifier)).join(', '),
        once.length > 6
          ? [at(excerpt.path, Math.min(...once.map((item) => item.line)), Math.max(...once.map((item) => item.line)))]
          : once.map((item) => at(excerpt.path, item.line)),
      ),
    )
  if (parts.length === 0)
    parts.push(
      ...numbered(excerpt)
        .filter(({ text }) => /\w/.test(text))
        .slice(0, 4)
        .map(({ line, text }) => claim(tick(text, 140), [at(excerpt.path, line)])),
    )
  return parts
}

function topComment(excerpt: Excerpt): { text: string; from: number; to: number } | undefined {
  const code = excerpt.lines.findIndex((line, index) => index < 40 && /\*\/\s*$/.test(line))
  const first = excerpt.lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#!'))
  if (isPythonPath(excerpt.path))
    return /^\s*[rub]*("""|''')/i.test(excerpt.lines[first] ?? '')
      ? readDoc(
          { ...excerpt, first: excerpt.first + 1, lines: ['module:', ...excerpt.lines.slice(first)] } satisfies Excerpt,
          excerpt.first + 1,
        ) && shiftDoc(excerpt, first)
      : undefined
  if (code < 0 || !/^\s*\/\*\*?/.test(excerpt.lines[first] ?? '')) return undefined
  return readDoc(excerpt, excerpt.first + code + 1)
}

/** A module's docstring: read as if a definition stood on the line above it. */
function shiftDoc(excerpt: Excerpt, index: number): { text: string; from: number; to: number } | undefined {
  const from = excerpt.first + index
  return readDoc(
    { path: excerpt.path, first: from - 1, lines: ['module:', ...excerpt.lines.slice(index)], total: excerpt.total },
    from - 1,
  )
}

function* describeFolder(session: ToolSession, path: string): Look<Part[]> {
  const listing = (yield* session.list({ path, depth: 2, limit: 120 })) as Listing | undefined
  if (!listing) return []
  const inside = (item: string): boolean => item.startsWith(path)
  const files = listing.files.map((file) => file.path).filter(inside)
  const direct = files.filter((file) => folderOf(file) === path)
  const folders = listing.folders.filter(
    (folder) => inside(folder) && folder !== path && folder.slice(path.length).split('/').length === 2,
  )
  const main = direct.find((file) => /(?:^|\/)(?:index|__init__|README|mod)\.\w+$/i.test(file))
  const opened = yield* session.readAll(
    unique([...(main ? [main] : []), ...direct.filter((file) => isSourcePath(file) || /\.md$/i.test(file))]).slice(
      0,
      5,
    ),
    40,
  )
  const manifestPath = direct.find((file) => MANIFEST_NAMES.includes(baseName(file)))
  const manifestText = manifestPath === undefined ? undefined : yield* session.read(manifestPath, { limit: 130 })
  const manifest = manifestText && new Manifest(manifestText)
  const cite = { path }
  const needed = manifest ? [...manifest.group('dependencies'), ...manifest.group('peerDependencies')].slice(0, 14) : []
  const parts: Part[] = [
    ...(manifest ? introduce(manifest, undefined, 0) : []),
    ...(manifest && needed.length > 0
      ? [
          lead(
            `It needs ${needed.map((item) => tick(`${item.name} ${item.value}`.trim())).join(', ')}`,
            needed.flatMap((item) => item.cites),
          ),
        ]
      : []),
    lead(
      `${tick(path)} has ${plural(direct.length, 'file')}${folders.length > 0 ? ` and ${plural(folders.length, 'folder')}` : ''} directly in it`,
      [cite],
      [direct.length, folders.length],
    ),
  ]
  const lines: Part[] = [
    ...folders.slice(0, 15).map((folder) => claim(tick(folder), [{ path: folder }])),
    ...direct.slice(0, 30).map((file) => {
      const excerpt = opened.find((other) => other.path === file)
      const said = excerpt && sayOneLine(excerpt)
      return said
        ? claim(`${tick(baseName(file))}: ${said.text}`, said.cites)
        : claim(tick(baseName(file)), [cite], [baseName(file)])
    }),
  ]
  if (direct.length > 30 || listing.more > 0) lines.push(note('More entries are left out here.'))
  return [...parts, heading('In it'), ...lines]
}

function sayOneLine(excerpt: Excerpt): { text: string; cites: ReturnType<typeof at>[] } | undefined {
  if (!isSourcePath(excerpt.path)) {
    const sentence = readIntroduction(excerpt, 1)[0]
    return (
      sentence && {
        text: quote(sentence.text, 160),
        cites: [at(excerpt.path, sentence.from, sentence.cite.to ?? sentence.from)],
      }
    )
  }
  const top = topComment(excerpt)
  if (top) return { text: quote(top.text, 160), cites: [at(excerpt.path, top.from, top.to)] }
  const names = readExports(excerpt).slice(0, 6)
  return names.length === 0
    ? undefined
    : {
        text: `exports ${names.map((item) => tick(item.name)).join(', ')}`,
        cites: names.map((item) => at(excerpt.path, item.line)),
      }
}

/**
 * The sentences that answer best, best first.
 *
 * @param covers how much of the question a text speaks of, 0 to 1; sentences that hold less than half of it are left out
 */
export function quoteBest(
  excerpts: readonly Excerpt[],
  asked: ReadonlySet<string>,
  limit: number,
  covers: (text: string) => number = () => 1,
): Part[] {
  const sentences = excerpts
    .flatMap((excerpt) => (isSourcePath(excerpt.path) ? readComments(excerpt) : readSentences(excerpt)))
    .filter(({ path, section, text }) => covers(`${path} ${section} ${text}`) >= 0.5)
  const scores = rank(
    sentences.map((sentence) => `${sentence.section} ${sentence.text}`),
    asked,
  )
  const best = sentences
    .map((sentence, index) => ({ sentence, score: scores[index] ?? 0 }))
    .filter(({ score, sentence }) => score > 0 && sentence.text.length > 12)
    .sort((a, b) => b.score - a.score)
  const top = best[0]?.score ?? 0
  const chosen = best.filter(({ score }) => score >= top * 0.45).slice(0, limit)
  return chosen.map(({ sentence }) => claim(quote(sentence.text), [sentence.cite]))
}

function readComments(excerpt: Excerpt) {
  return readSymbols(excerpt).flatMap((item) => {
    const doc = readDoc(excerpt, item.line)
    return doc
      ? [
          {
            text: doc.text,
            cite: at(excerpt.path, doc.from, doc.to),
            path: excerpt.path,
            from: doc.from,
            section: item.name,
          },
        ]
      : []
  })
}
