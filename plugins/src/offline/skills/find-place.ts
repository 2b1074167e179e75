import { toStem, toWords } from '@svc/core/text'
import { at } from '../cite.ts'
import { claim, heading, type Part } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { asksForPlace } from '../read/asked-kind.ts'
import type { Hit } from '../read/formats.ts'
import { isSourcePath, isTestPath, readDefinition } from '../read/symbols.ts'
import { type AskedTerm, readTerms } from '../read/terms.ts'
import type { ToolSession } from '../tool-session.ts'
import { quote, tick } from '../wording.ts'

const MOST_TERMS = 3
const MOST_FILES = 5
const MOST_DOCUMENTS = 3
const LEAST_SCORE = 1.5

/** What is done to a thing: it says less about the file than the thing. */
const DONE =
  /^(?:implement|done|do|check|handl|defin|locat|live|happen|made|set|kept|stor|save|written|code|store|check|kept|place|found|logic)/
const DOCUMENT = /\.(?:md|mdx|rst|adoc|txt)$/i
const COMMENT = /^\s*(?:\/\*\*?|\*|\/\/|#|""")\s*[A-Za-z@]/
/** Files that are about the work on the code, or copies of it, and no part of it. */
const ASIDE = /(?:^|\/)(?:\.[\w-]+|tools?|scripts?|bench|benchmarks?|examples?|fixtures?|testing|dist|_?vendor)\//
const NAMES_FILE = /\w\.(?:[cm]?[jt]sx?|pyi?|go|rs|java|rb|c|h|cpp)\b|`[\w@.-]+\/[\w@./-]*`|^\s*\|\s*`[\w@./-]+`\s*\|/

interface Place {
  readonly path: string
  readonly hit: Hit
  readonly score: number
}

/** Documents that name files for what is asked, then the files whose name, docstring or definitions say it. */
export function* findPlaces(session: ToolSession): Look<Part[]> {
  if (!asksForPlace(session.question.lower)) return []
  const asked = readTerms(session.question).filter(({ isExact }) => !isExact)
  const named = asked.filter(({ text, isWeak }) => !DONE.test(text) && !isWeak)
  const things = (named.length > 0 ? named : asked).slice(0, MOST_TERMS)
  if (things.length === 0) return []
  const deeds = asked.filter((term) => !things.includes(term))
  const queries = things.map(({ text }) => (text.length > 4 ? text.replace(/i$/, '') : text))
  const searches = yield* together([
    ...queries.map((query) => session.search(query, { limit: 200 })),
    // a definition or a comment says it where a common word has too many lines
    ...queries.flatMap((query) =>
      ['**/*.md', `**/*${query}*.*`, `**/*${query}*/**/*.*`].map((pattern) =>
        session.search(query, { pattern, limit: 40 }),
      ),
    ),
  ])
  const seen = new Set<string>()
  const hits = searches
    .flatMap((found) => found?.hits ?? [])
    .filter(({ path, line }) => !seen.has(`${path}:${line}`) && seen.add(`${path}:${line}`))
  const code = bestOf(hits, things, deeds)
  const told = hits
    .filter(({ path, text }) => DOCUMENT.test(path) && !/^changelog|^history/i.test(path) && NAMES_FILE.test(text))
    .filter(({ text }) => things.every((term) => holdsTerm(text, term)))
    .sort((a, b) => weighDocument(a) - weighDocument(b))
    .slice(0, MOST_DOCUMENTS)
  return [
    ...(told.length === 0 ? [] : [heading('What the documents say')]),
    ...told.map(({ path, line, text }) => claim(quote(text), [at(path, line)])),
    ...(code.length === 0 ? [] : [heading('Files whose name, comments or definitions say it')]),
    ...code.map(({ path, hit }) => claim(`${tick(path)}: ${tick(hit.text, 140)}`, [at(path, hit.line)])),
  ]
}

/** The guide of the repository before its README, before other pages. */
const weighDocument = ({ path }: Hit): number =>
  /^agents\./i.test(path)
    ? 0
    : /^(?:readme|architecture|contributing)\./i.test(path)
      ? 1
      : ASIDE.test(path)
        ? 9
        : 2 + path.split('/').length

/** The files that say it best, each with the line that shows it. */
function bestOf(hits: readonly Hit[], things: readonly AskedTerm[], deeds: readonly AskedTerm[]): Place[] {
  const best = new Map<string, Place>()
  for (const hit of hits) {
    const { path } = hit
    if (!isSourcePath(path) || isTestPath(path) || /\.min\.|\.map$/.test(path)) continue
    const symbol = readDefinition(path, hit.line, hit.text) ?? readDefinition(path, hit.line, `  ${hit.text}`)
    const said = symbol?.name ?? (COMMENT.test(hit.text) ? hit.text : '')
    const share = (text: string, terms: readonly AskedTerm[]): number =>
      terms.length === 0 ? 0 : terms.filter((term) => holdsTerm(text, term)).length / terms.length
    const inName = share(path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, ''), things)
    const inLine = share(said, things)
    // each thing that is asked for has to be said by the path or the line
    if (share(`${path} ${said}`, things) < 1) continue
    const kind =
      symbol === undefined ? 1.5 : symbol.exported ? 2 : symbol.indent === 0 || symbol.kind === 'method' ? 1.5 : 0.3
    const score =
      (2 * inName +
        0.5 * share(path, things) +
        (said === '' ? 0 : inLine * kind) +
        1.2 * share(`${path} ${said}`, deeds)) *
      (ASIDE.test(path) ? 0.3 : /\.d\.[cm]?ts$/.test(path) ? 0.7 : 1)
    if (score > (best.get(path)?.score ?? 0)) best.set(path, { path, hit, score })
  }
  return [...best.values()]
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_FILES)
}

/** Whether a word of a text, or of a name in it, is the term in any of its forms. */
function holdsTerm(text: string, { text: stem }: AskedTerm): boolean {
  const words = toWords(text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/_/g, ' '))
  return words.some((word) => toStem(word) === stem || toStem(word.replace(/(?:er|or|able)$/, '')) === stem)
}
