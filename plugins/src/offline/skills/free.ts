import { isStopWord, toStem, toStems } from '@svc/core/text'
import { at } from '../cite.ts'
import type { Part } from '../claim.ts'
import { claim, heading, note } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName } from '../paths.ts'
import { looksLikeCode, type Question, unique, uniqueBy } from '../question.ts'
import { asksForJudgement, asksForPlace, asksHow, listAskedOf, saysJudgement } from '../read/asked-kind.ts'
import type { Excerpt, Hit } from '../read/formats.ts'
import type { Ranked } from '../read/rank-passages.ts'
import { coverage, rank, readSentences, type Term } from '../read/sentences.ts'
import { isSourcePath, isTestPath } from '../read/symbols.ts'
import { readTerms } from '../read/terms.ts'
import { type Finding, notFound } from '../skill.ts'
import { findReadme, lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, quote, series, tick } from '../wording.ts'
import { tryTables } from './data.ts'
import { holdsWord, searchEverywhere } from './find-definitions.ts'
import { findList } from './find-list.ts'
import { findPassages } from './find-passage.ts'
import { findPlaces } from './find-place.ts'
import { quoteBest } from './summary.ts'

/** Words of a question that say nothing about where its answer stands. */
const ASKING = new Set(
  'explain describe tell show find list give name many much summarize summarise answer question please repository repo project package code file files work works working mean means happen happens use used using does do way make makes possible need support supports know question short briefly detail'.split(
    ' ',
  ),
)

/** Share of a question's weight that a passage must hold to be quoted: others merely share a common word with it. */
const LEAST_COVERED = 0.5

/** What only a number answers. */
const COUNTED = /\bhow (?:many|much|long|old|often|large|big)\b/

/** Share from which a passage is about what is asked. */
const ABOUT = 0.75

const BYTES_A_LINE = 40

const DOCUMENT = /\.(?:md|markdown|txt|rst|adoc|mdx)$/i

/** Any other question: the lines that hold its words, and the sentences around them that answer best. */
export function* answerFreely(session: ToolSession): Look<Finding> {
  const sought = termsOf(session)
  const terms = sought.map(({ text }) => text)
  if (session.context) {
    const said = quoteContext(session.context, session.question)
    if (said.length > 0)
      return { parts: [heading('From the material that came with the task'), ...said], answered: true }
  }
  const listed = yield* lookAtTree(session)
  const counted = yield* tryTables(
    session,
    listed.files.map((file) => file.path),
  )
  if (counted) return counted
  const listing = yield* findList(session)
  if (listing.length > 0) return { parts: listing, answered: true }
  const located = yield* findPlaces(session)
  if (located.length > 0) return { parts: located, answered: true }
  const asksList = listAskedOf(session.question.lower) !== undefined
  const keep = asksForPlace(session.question.lower)
    ? ({ passage }: Ranked) => NAMES_PLACE.test(passage.text)
    : undefined
  const passages = asksList ? [] : yield* findPassages(session, keep)
  if (passages.length > 0) return { parts: passages, answered: true }
  const [tree, firstLooks] = yield* together([
    lookAtTree(session),
    together(terms.map((term) => session.search(term, { limit: 40 }))),
  ])
  const looked = plural(tree.files.length, 'file')
  if (terms.length === 0) return notFound(`I found nothing in the question that I could look for among ${looked}.`)
  const isFound = firstLooks.some((found) => (found?.hits.length ?? 0) > 0)
  const searches = isFound ? firstLooks : yield* together(terms.map((term) => searchEverywhere(session, term, 40)))
  const hits = searches
    .flatMap((found) => found?.hits ?? [])
    .filter((hit) => !/(?:^|\/)(?:package-lock\.json|yarn\.lock|CHANGELOG\.md)$|\.(?:map|lock|svg)$/i.test(hit.path))
  const asked = new Set(terms.map((term) => toStem(term.toLowerCase())))
  const readme = findReadme(tree)
  const places = choosePlaces(hits, asked)
  const documents = places.filter((place) => DOCUMENT.test(place.path))
  const code = places.filter((place) => !DOCUMENT.test(place.path))
  const total = Math.max(200, Math.round(tree.files.reduce((sum, { bytes = 0 }) => sum + bytes, 0) / BYTES_A_LINE))
  const weighed = terms.map((term, index): Term => {
    const text = term.toLowerCase()
    const found = searches[index]
    return { text, lines: hits.filter((hit) => hit.text.toLowerCase().includes(text)).length + (found?.more ?? 0) }
  })
  const covers = (text: string): number => coverage(text, weighed, total)
  const excerpts = yield* together([
    ...unique(documents.map((place) => place.path))
      .slice(0, 3)
      .map((path) => {
        const lines = documents.filter((place) => place.path === path).map((place) => place.line)
        return session.read(path, {
          offset: Math.max(1, Math.min(...lines) - 12),
          limit: Math.min(160, Math.max(...lines) - Math.min(...lines) + 30),
        })
      }),
    ...code.slice(0, 2).map((place) => session.read(place.path, { offset: Math.max(1, place.line - 12), limit: 30 })),
    ...(readme !== undefined && documents.length === 0 && hits.length > 0 ? [session.read(readme, { limit: 60 })] : []),
  ])
  const read = excerpts.filter((excerpt) => excerpt !== undefined)
  // a manifest or a lock file holds no sentences
  const prose = read.filter(({ path }) => DOCUMENT.test(path) || isSourcePath(path) || path === readme)
  const quotes = quoteBest(prose, asked, 5, covers)
  const lines = quoteLines(
    (code.length > 0 ? code : quotes.length === 0 ? places : []).filter(
      ({ path, text }) => covers(`${path} ${text}`) >= LEAST_COVERED,
    ),
    asked,
    quotes.length > 2 ? 3 : 6,
  )
  const quoted = quotes.map((part) => (part.kind === 'claim' ? part.text : '')).join('\n')
  const fresh = lines.filter(
    (part) =>
      part.kind !== 'claim' ||
      !quoted.includes(part.text.replace(/^[`"*/#\s]+/, '').replace(/(?<![`"*/\s])[`"*/\s]+$/, '')),
  )
  const parts: Part[] = [
    ...(quotes.length > 0 ? [heading('What the files say'), ...quotes] : []),
    ...(fresh.length > 0 ? [heading('In the code'), ...fresh] : []),
  ]
  const missing = sought.filter(({ text }) => !hits.some((hit) => hit.text.toLowerCase().includes(text.toLowerCase())))
  const looking = `I listed ${looked} and searched ${session.lookedEverywhere ? 'every text file' : 'the text files that the tools open'}`
  const named = sought.map(({ typed }) => `\`${typed}\``)
  const why =
    missing.length === terms.length
      ? `no line ${session.lookedEverywhere ? "of the workspace's files" : 'that was searched'} holds ${terms.length === 1 ? 'it' : 'them'}`
      : `no passage of the workspace's files is about ${terms.length === 1 ? 'it' : 'them together'}`
  if (parts.length === 0)
    return notFound(`I found nothing about ${series(named)}: ${why} (${looking}).`, { found: false })
  if (missing.length > 0)
    parts.push(note(`I found nothing about ${series(missing.map(({ typed }) => `\`${typed}\``))}.`))
  // a plain word of code, or a part of what is asked, stands in many lines that answer nothing
  const isNamed = session.question.quoted.length + session.question.identifiers.length > 0
  // one that only repeats the words of the question says nothing about them
  const least = asksHow(session.question.lower) ? 2 : 1
  const addsTo = ({ text }: Part): boolean =>
    text !== text.toUpperCase() &&
    new Set(toStems(text).filter((stem) => !asked.has(stem))).size >= least &&
    (!COUNTED.test(session.question.lower) || /\d/.test(text))
  const hasName = session.question.quoted.length > 0 || session.question.identifiers.some(looksLikeCode)
  const telling: readonly Part[] = least === 2 && !hasName ? quotes : parts
  const best = Math.max(0, ...telling.filter(addsTo).map(({ text }) => covers(text)))
  const { lower } = session.question
  // a cause or an opinion is one only in the sentence that speaks of all that is asked
  const isReason =
    !asksForJudgement(lower) || quotes.some(({ text }) => covers(text) === 1 && saysJudgement(lower, text))
  const exact = readTerms(session.question).filter(({ isExact }) => isExact)
  const holdsExact = exact.every(({ text }) => parts.some((part) => holdsWord(part.text, text)))
  const isAbout =
    isReason && !asksList && holdsExact && missing.length === 0 && best >= ABOUT && (isNamed || quotes.length > 0)
  return { parts, answered: true, missing: !isAbout }
}

/** A path, an address or code: what says where. */
const NAMES_PLACE = /[\w.~-]\/[\w.-]|`[^`]+`|\.\w{2,4}\b/

/** What the given text says to the question; how it begins, where the text as a whole is asked for. */
function quoteContext(context: Excerpt, question: Question): Part[] {
  const best = quoteBest([context], question.stems, 6)
  if (
    best.length > 0 ||
    !/\b(?:summari[sz]e|summary|explain|describe|what (?:is|does) (?:this|it))\b/.test(question.lower)
  )
    return best
  return readSentences(context)
    .slice(0, 4)
    .map((sentence) => claim(quote(sentence.text), [sentence.cite]))
}

/** A word to look for, and how the question writes it. */
interface Sought {
  readonly text: string
  readonly typed: string
}

/** Up to four words to look for: names and quoted words first, then the longest others. */
function termsOf(session: ToolSession): Sought[] {
  const { question } = session
  const named = [...question.quoted, ...question.identifiers]
  const others = question.words.filter(
    (word) =>
      word.length > 2 &&
      !isStopWord(word) &&
      !ASKING.has(word) &&
      !/^\d+$/.test(word) &&
      !named.some((name) => name.toLowerCase().includes(word)),
  )
  const sorted = [...new Set(others)].sort((a, b) => b.length - a.length)
  const typed = question.text.match(/[\p{L}\p{N}]+/gu) ?? []
  const sought = [
    ...named.map((name) => ({ text: name, typed: name })),
    ...sorted.map((word) => ({
      text: trimEnding(word),
      typed: typed.find((other) => other.toLowerCase() === word) ?? word,
    })),
  ]
  return uniqueBy(sought, ({ text }) => text).slice(0, 4)
}

/** A word without the ending that other forms of it lack, so that a search finds them: `middlewares` → `middleware`. */
function trimEnding(word: string): string {
  const trimmed = word.replace(/(?:ies|ing|ed|es|s)$/, '')
  return trimmed.length >= 4 ? trimmed : word
}

/** The best lines, no more than a few of one file, documents before code before tests. */
function choosePlaces(hits: readonly Hit[], asked: ReadonlySet<string>): Hit[] {
  const once = uniqueBy(hits, ({ path, line }) => `${path}:${line}`)
  const scores = rank(
    once.map((hit) => `${baseName(hit.path)} ${hit.text}`),
    asked,
  )
  const weigh = (hit: Hit): number =>
    DOCUMENT.test(hit.path) ? 1.3 : isTestPath(hit.path) ? 0.5 : isSourcePath(hit.path) ? 1 : 0.8
  const sorted = once
    .map((hit, index) => ({ hit, score: (scores[index] ?? 0) * weigh(hit) + 0.01 }))
    .sort((a, b) => b.score - a.score)
  const perFile = new Map<string, number>()
  return sorted
    .filter(({ hit }) => {
      const count = perFile.get(hit.path) ?? 0
      perFile.set(hit.path, count + 1)
      return count < 4
    })
    .slice(0, 14)
    .map(({ hit }) => hit)
}

function quoteLines(hits: readonly Hit[], asked: ReadonlySet<string>, limit: number): Part[] {
  const scores = rank(
    hits.map((hit) => hit.text),
    asked,
  )
  return hits
    .map((hit, index) => ({ hit, score: scores[index] ?? 0 }))
    .filter(({ hit }) => /\w{3}/.test(hit.text))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ hit }) => claim(tick(hit.text, 140), [at(hit.path, hit.line)]))
}
