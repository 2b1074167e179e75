import { toStems } from '@svc/core/text'
import { heading, type Part } from '../claim.ts'
import type { Look } from '../look.ts'
import { looksLikeCode } from '../question.ts'
import { subjectOf } from '../read/documents.ts'
import type { Excerpt } from '../read/formats.ts'
import { readSections, type Section } from '../read/sections.ts'
import { readTerms } from '../read/terms.ts'
import type { Finding, Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { describeLines, sayPlace } from './describe-passage.ts'
import { holdsWord } from './find-definitions.ts'
import { findPassages, readDocuments } from './find-passage.ts'
import { symbol } from './symbol.ts'

/** A title answers that holds all that is asked, and not much else. */
const LEAST_FIT = 1.5
const EXACT_FIT = 2
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
    const { question } = session
    // "how do I write a plugin" wants more than the section "Plugins"
    const isOfMaking = readTerms(question).some(({ isWeak }) => isWeak)
    const first = SHOWN.test(question.lower) ? [findTitled] : isOfMaking ? [] : [findExact]
    const ways = [...first, findPassages, findTitled]
    let parts: Part[] = []
    for (const find of ways) if (parts.length === 0) parts = yield* find(session)
    const isNamed = question.identifiers.length > 0
    if (parts.length === 0) return isNamed ? yield* symbol.work(session) : { parts: [], answered: false }
    return { parts, answered: true } satisfies Finding
  },
}

/** The section whose title holds all that is asked. */
function findSection(excerpts: readonly Excerpt[], subject: ReadonlySet<string>, leastFit: number): Part[] {
  const places = excerpts.flatMap((excerpt) => readSections(excerpt).map((section) => ({ excerpt, section })))
  const titled = places
    .map(({ excerpt, section }) => ({ excerpt, section, stems: new Set(toStems(section.title)) }))
    .filter(({ stems }) => fitOf(stems, subject) >= leastFit && [...subject].every((stem) => stems.has(stem)))
    .sort((a, b) => fitOf(b.stems, subject) - fitOf(a.stems, subject))[0]
  return titled ? describeSection(titled.excerpt, titled.section, titled.section.start) : []
}

/** The section whose title is what is asked, and nothing else. */
function* findExact(session: ToolSession): Look<Part[]> {
  return findSection(yield* readDocuments(session), subjectOf(session.question), EXACT_FIT)
}

/** The passage of the documents that answers, with its title; nothing where none does. */
function* findTitled(session: ToolSession): Look<Part[]> {
  const { question } = session
  const excerpts = yield* readDocuments(session)
  const subject = subjectOf(question)
  const titled = findSection(excerpts, subject, LEAST_FIT)
  if (titled.length > 0) return titled
  const plain =
    subject.size === 1 ? question.words.filter((word) => toStems(word).some((stem) => subject.has(stem))) : []
  for (const name of [...question.identifiers, ...plain]) {
    const shown = findShown(excerpts, name.slice(name.lastIndexOf('.') + 1))
    // a plain word has to be called or to stand in a title: others merely mention it
    if (shown && (shown.weight > 0 || looksLikeCode(name) || question.quoted.includes(name)))
      return describeSection(shown.excerpt, shown.section, shown.line)
  }
  return []
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
function findShown(excerpts: readonly Excerpt[], name: string): (Shown & { weight: number }) | undefined {
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
function describeSection(excerpt: Excerpt, section: Section, line: number): Part[] {
  const end = readSections(excerpt).find(({ from }) => from > section.from)?.from ?? section.to + 1
  // a title with nothing under it but other titles
  const to = end - section.start < 2 ? section.to : end - 1
  const from = line > section.start + 6 ? line - 5 : section.start
  const all = describeLines(excerpt, from, to, true).slice(0, MOST_LINES)
  return all.length === 0 ? [] : [heading(sayPlace({ path: excerpt.path, section })), ...all]
}
