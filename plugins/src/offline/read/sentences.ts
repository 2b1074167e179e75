import { toSentences } from '@svc/core/text'
import type { Cite } from '../cite.ts'
import { at } from '../cite.ts'
import type { Excerpt } from './formats.ts'
import { numbered } from './formats.ts'

/** A sentence of a document and its lines. */
export interface Sentence {
  readonly text: string
  readonly cite: Cite
  readonly path: string
  readonly from: number
  /** Title of the section that it stands in, '' before the first. */
  readonly section: string
}

/** A title of a document and the lines under it, to the next title of its level or a higher one. */
export interface Section {
  readonly title: string
  readonly level: number
  /** Line of the title. */
  readonly from: number
  /** First line under the title. */
  readonly start: number
  readonly to: number
}

export const FENCE = /^\s*(?:>\s?)?(?:```|~~~)/
const ITEM = /^(?:[-*+]|\d+[.)])\s/
/** What stands under a title. */
const UNDERLINE = /^(?:={3,}|-{3,}|~{3,}|\^{3,}|"{3,})$/

/** Badges, tags, rulers and links alone. */
const isMarkup = (text: string): boolean =>
  /^(?:[-*+]|\d+[.)])\s+\[[^\]]*\]\(#[^)]*\)$/.test(text) ||
  /^(?:\[?!\[|<\/?[a-z!]|[-=*_]{3,}\s*$|\|?[\s|:-]+\|?$|\[[^\]]+\]:\s*\S+$)/i.test(text) ||
  /^(?:\[!?\[[^\][]*\]?\([^()]*\)\]?(?:\([^()]*\))?\s*)+$/.test(text)

/** A line of a document as it is written, without the mark of a list, a quotation or a title at its start. */
const withoutMark = (text: string): string =>
  text.replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ x]\]\s*)?|\d+[.)]\s+)/, '').trim()

/** The plain words of a title: no link targets, no tags. */
const toPlain = (text: string): string =>
  withoutMark(text)
    .replace(/!\[[^\]]{0,1000}\]\([^)]{0,2000}\)/g, '')
    .replace(/\[([^\][]*)\]\([^)\s]{0,2000}(?:\s{1,9}"[^"]{0,500}")?\)/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]*>|\*\*|__/g, '')
    .replace(/(?<![\s#])\s*#+$/, '')
    .trim()

/** The sentences of a document, code blocks left out; a paragraph's lines are joined, each list item is its own. */
export function readSentences(excerpt: Excerpt): Sentence[] {
  const sentences: Sentence[] = []
  let section = ''
  let isCode = false
  let paragraph: { line: number; text: string }[] = []
  const flush = (): void => {
    sentences.push(...splitParagraph(paragraph).map((one) => toSentence(excerpt.path, section, one)))
    paragraph = []
  }
  const lines = numbered(excerpt)
  lines.forEach(({ line, text }, index) => {
    const trimmed = text.trim()
    const isUnderlined = UNDERLINE.test(lines[index + 1]?.text.trim() ?? '') && trimmed !== '' && paragraph.length === 0
    const isTitle = /^#{1,6}\s/.test(trimmed) || isUnderlined
    const isFence = FENCE.test(trimmed)
    if (
      isFence ||
      (!isCode && (isTitle || trimmed === '' || isMarkup(trimmed) || ITEM.test(trimmed) || trimmed[0] === '|'))
    )
      flush()
    if (isFence) isCode = !isCode
    else if (isCode || trimmed === '' || isMarkup(trimmed)) return
    else if (isTitle) section = toPlain(trimmed)
    else paragraph.push({ line, text: withoutMark(trimmed) })
  })
  flush()
  return sentences.filter(({ text }) => /\p{L}{2}/u.test(text))
}

const toSentence = (path: string, section: string, { text, from, to }: { text: string; from: number; to: number }) => ({
  text,
  cite: at(path, from, to),
  path,
  from,
  section,
})

/** The sentences of joined lines, each with the lines of its first and last character. */
function splitParagraph(
  lines: readonly { line: number; text: string }[],
): { text: string; from: number; to: number }[] {
  const whole = lines.map(({ text }) => text).join(' ')
  const ends = lines.map((_, index) => lines.slice(0, index + 1).reduce((sum, { text }) => sum + text.length + 1, 0))
  const lineAt = (offset: number): number =>
    lines[ends.findIndex((end) => offset < end)]?.line ?? lines.at(-1)?.line ?? 0
  let offset = 0
  return toSentences(whole).map((text) => {
    const start = Math.max(offset, whole.indexOf(text, offset))
    offset = start + text.length
    return { text, from: lineAt(start), to: lineAt(offset - 1) }
  })
}

/** The first paragraph of prose of a README: what the thing is, at most `limit` sentences. */
export function readIntroduction(excerpt: Excerpt, limit = 2): Sentence[] {
  const sentences = readSentences(excerpt)
  const start = sentences.findIndex(
    ({ text }) =>
      text.split(/\s+/).length >= 4 &&
      !/^(?:npm|yarn|pnpm|\$|import |const |https?:|\w+=")|\b(?:sponsor|badge|translat|readme in)/i.test(text),
  )
  const [first] = sentences.slice(Math.max(0, start))
  if (start < 0 || !first) return []
  const kept: Sentence[] = []
  for (const sentence of sentences.slice(start, start + limit)) {
    const before = kept.at(-1)
    const isApart = before !== undefined && sentence.from > (before.cite.to ?? before.from) + 1
    if (sentence.section !== first.section || isApart) break
    kept.push(sentence)
  }
  return kept
}

/** The sections of a document, in order; those of a lower level are also inside the one above them. */
export function readSections(excerpt: Excerpt): Section[] {
  const lines = numbered(excerpt)
  const titles: { title: string; level: number; from: number; start: number }[] = []
  let isCode = false
  lines.forEach(({ line, text }, index) => {
    if (FENCE.test(text)) isCode = !isCode
    const level = /^(#{1,6})\s+\S/.exec(text)?.[1]?.length
    const underline = lines[index + 1]?.text.trim() ?? ''
    if (isCode || (level === undefined && !(UNDERLINE.test(underline) && /^[\w`*:]/.test(text)))) return
    const [own, start] = level === undefined ? [1 + '=-~^"'.indexOf(underline[0] ?? '='), line + 2] : [level, line + 1]
    titles.push({ title: toPlain(text), level: own, from: line, start })
  })
  const last = excerpt.first + excerpt.lines.length - 1
  return titles.map((title, index) => {
    const next = titles.slice(index + 1).find(({ level }) => level <= title.level)
    return { ...title, to: next ? next.from - 1 : last }
  })
}
