import { toStems } from '@svc/core/text'
import { at } from '../cite.ts'
import { type Claim, claim, heading, type Part } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { findDocuments, subjectOf } from '../read/documents.ts'
import type { Excerpt } from '../read/formats.ts'
import { readSections, type Section } from '../read/sections.ts'
import { readSentences } from '../read/sentences.ts'
import type { Finding, Skill } from '../skill.ts'
import { lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { quote, tick } from '../wording.ts'
import { holdsWord } from './find-definitions.ts'
import { findPassages } from './find-passage.ts'
import { symbol } from './symbol.ts'

const DOCUMENT_LINES = 1500
const MOST_DOCUMENTS = 6
/** A title answers that holds all that is asked, or half of it and nothing else. */
const LEAST_FIT = 1.5
const MOST_LINES = 14

/** What a place where it is used answers before any that explains it. */
const SHOWN = /\bexamples?\b|\bshow\b|\bhow (?:do|can|to|should) (?:i |you |we )?(?:use|call)\b/

/** How something is done or works: the passage under the title that names it, else the one that shows it, else its code. */
export const howTo: Skill = {
  id: 'how-to',
  asks: (question) =>
    /\bhow (?:do|can|to|does|should|would|could) (?!(?:the|its) (?:parts|modules|folders|packages|components)\b)|\bshow (?:me )?(?:how|an? |the use)|\bexamples? (?:of|for|how)\b|\b(?:docs?|documentation|readme|manual) (?:say|tell|about|on|for)\b|\bwhat should i know\b|\bhow .{1,60} works?\b/.test(
      question.lower,
    ) && subjectOf(question).size + question.identifiers.length > 0,
  *work(session) {
    const ways = SHOWN.test(session.question.lower) ? [findPassage, findPassages] : [findPassages, findPassage]
    let parts: Part[] = []
    for (const find of ways) if (parts.length === 0) parts = yield* find(session)
    const isNamed = session.question.identifiers.length > 0
    if (parts.length === 0) return isNamed ? yield* symbol.work(session) : { parts: [], answered: false }
    return { parts, answered: true } satisfies Finding
  },
}

/** The passage of the documents that answers, with its title; nothing where none does. */
export function* findPassage(session: ToolSession): Look<Part[]> {
  const { question } = session
  const paths = yield* chooseDocuments(session)
  const excerpts = yield* session.readAll(paths, DOCUMENT_LINES)
  const subject = subjectOf(question)
  const places = excerpts.flatMap((excerpt) => readSections(excerpt).map((section) => ({ excerpt, section })))
  const titled = places
    .map(({ excerpt, section }) => ({ excerpt, section, fit: fitOf(new Set(toStems(section.title)), subject) }))
    .filter(
      ({ fit, section }) => fit >= LEAST_FIT && [...subject].every((stem) => toStems(section.title).includes(stem)),
    )
    .sort((a, b) => b.fit - a.fit)[0]
  if (titled) return describePassage(titled.excerpt, titled.section, titled.section.start)
  const plain =
    subject.size === 1 ? question.words.filter((word) => toStems(word).some((stem) => subject.has(stem))) : []
  for (const name of [...question.identifiers, ...plain]) {
    const shown = findShown(excerpts, name.slice(name.lastIndexOf('.') + 1))
    if (shown) return describePassage(shown.excerpt, shown.section, shown.line)
  }
  return []
}

/** The README, and of the other documents those that the words of the question lead to. */
function* chooseDocuments(session: ToolSession): Look<string[]> {
  const tree = yield* lookAtTree(session)
  const documents = findDocuments(tree)
  if (documents.length <= MOST_DOCUMENTS) return documents
  const { question } = session
  const words = [
    ...question.identifiers,
    ...question.words.filter((word) => toStems(word).some((stem) => subjectOf(question).has(stem))),
  ]
  const searches = yield* together(
    words.slice(0, 3).map((word) => session.search(word, { pattern: '**/*.{md,mdx,rst,txt}', limit: 100 })),
  )
  const hits = searches.flatMap((found) => found?.hits ?? [])
  const counts = new Map<string, number>()
  // a title counts for more than a line of prose
  for (const { path, text } of hits)
    counts.set(path, (counts.get(path) ?? 0) + (/^#|^[\w `-]{3,40}$/.test(text) ? 5 : 1))
  const others = documents.slice(1).filter((path) => counts.has(path))
  others.sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  return [...documents.slice(0, 1), ...others].slice(0, MOST_DOCUMENTS)
}

/** From 0 to 2: the share of what is asked that the title holds, and the share of the title that is asked. */
function fitOf(title: ReadonlySet<string>, subject: ReadonlySet<string>): number {
  const shared = [...subject].filter((stem) => title.has(stem)).length
  return shared === 0 ? 0 : shared / subject.size + shared / title.size
}

interface Shown {
  readonly excerpt: Excerpt
  readonly section: Section
  readonly line: number
}

/** Where a document shows a name in use: as a call before any other mention, the document with the most of them first. */
function findShown(excerpts: readonly Excerpt[], name: string): Shown | undefined {
  const places = excerpts.flatMap((excerpt) => {
    const sections = readSections(excerpt)
    return excerpt.lines.flatMap((text, index): (Shown & { weight: number })[] => {
      const line = excerpt.first + index
      const section = sections.findLast(({ from }) => from <= line)
      if (!section || !holdsWord(text, name)) return []
      const isCall = text.includes(`${name}(`)
      return [{ excerpt, section, line, weight: (isCall ? 2 : 0) + (holdsWord(section.title, name) ? 4 : 0) }]
    })
  })
  return places.sort((a, b) => b.weight - a.weight)[0]
}

/** The title, and the lines of prose and code from a line on, or around it where it is not the first. */
function describePassage(excerpt: Excerpt, section: Section, line: number): Part[] {
  const end = readSections(excerpt).find(({ from }) => from > section.from)?.from ?? section.to + 1
  // a title with nothing under it but other titles
  const to = end - section.start < 2 ? section.to : end - 1
  const from = line > section.start + 6 ? line - 5 : section.start
  const lines = excerpt.lines.slice(from - excerpt.first, to - excerpt.first + 1)
  const inside: Excerpt = { path: excerpt.path, first: from, lines, total: to }
  const isOpen = excerpt.lines.slice(0, from - excerpt.first).filter(isFence).length % 2 === 1
  const code = readCode(inside, isOpen)
  const coded = new Set(code.flatMap(({ cites }) => cites.map((cite) => cite.from)))
  const prose = readSentences(inside)
    .filter((sentence) => !coded.has(sentence.from))
    .map((sentence) => claim(quote(sentence.text), [sentence.cite]))
  const all = [...code, ...prose].sort((a, b) => (a.cites[0]?.from ?? 0) - (b.cites[0]?.from ?? 0)).slice(0, MOST_LINES)
  return all.length === 0 ? [] : [heading(`${excerpt.path}:${section.from} says under ${quote(section.title)}`), ...all]
}

const isFence = (text: string): boolean => /^\s*(?:```|~~~)/.test(text)

/** Lines between fences, and lines indented as code. */
function readCode(excerpt: Excerpt, isOpen: boolean): Claim[] {
  let inCode = isOpen
  return excerpt.lines.flatMap((text, index) => {
    if (isFence(text)) inCode = !inCode
    const isCode = inCode || /^ {4,}\S|^\t\S/.test(text)
    if (!isCode || isFence(text) || !/\w/.test(text)) return []
    return [claim(tick(text, 160), [at(excerpt.path, excerpt.first + index)])]
  })
}
