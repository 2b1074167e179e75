import { toStem, toStems } from '@svc/core/text'
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

const isMarkup = (text: string): boolean =>
  /^(?:[-*+]|\d+[.)])\s+\[[^\]]*\]\(#[^)]*\)$/.test(text) ||
  /^(?:\[?!\[|<\/?[a-z!]|[-=*_]{3,}\s*$|\|?[\s|:-]+\|?$|\[[^\]]+\]:\s*\S+$)/i.test(text) ||
  /^(?:\[!?\[[^\][]*\]?\([^()]*\)\]?(?:\([^()]*\))?\s*)+$/.test(text)

/** A line of a document as it is written, without the mark of a list, a quotation or a title at its start. */
const withoutMark = (text: string): string =>
  text.replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ x]\]\s*)?|\d+[.)]\s+)/, '').trim()

/** The plain words of a title: no link targets, no tags. */
function toPlain(text: string): string {
  return withoutMark(text)
    .replace(/!\[[^\]]{0,1000}\]\([^)]{0,2000}\)/g, '')
    .replace(/\[([^\][]*)\]\([^)\s]{0,2000}(?:\s{1,9}"[^"]{0,500}")?\)/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]*>/g, '')
    .replace(/\*\*|__/g, '')
    .replace(/&nbsp;/g, ' ')
    .trim()
}

/** What stands under a title. */
const UNDERLINE = /^(?:={3,}|-{3,}|~{3,}|\^{3,}|"{3,})$/

/** The sentences of a document, code blocks left out; a paragraph's lines are joined, each list item is its own. */
export function readSentences(excerpt: Excerpt): Sentence[] {
  const sentences: Sentence[] = []
  let section = ''
  let inCode = false
  let paragraph: { line: number; text: string }[] = []
  const flush = (): void => {
    sentences.push(...splitParagraph(excerpt.path, paragraph, section))
    paragraph = []
  }
  const lines = numbered(excerpt)
  lines.forEach(({ line, text }, index) => {
    const trimmed = text.trim()
    if (/^(?:```|~~~)/.test(trimmed)) {
      flush()
      inCode = !inCode
      return
    }
    if (inCode) return
    const underline = lines[index + 1]?.text.trim() ?? ''
    if (/^#{1,6}\s/.test(trimmed) || (UNDERLINE.test(underline) && trimmed !== '' && paragraph.length === 0)) {
      flush()
      section = toPlain(trimmed).replace(/(?<![\s#])\s*#+$/, '')
      return
    }
    if (trimmed === '' || isMarkup(trimmed)) {
      flush()
      return
    }
    if (/^(?:[-*+]|\d+[.)])\s/.test(trimmed) || trimmed.startsWith('|')) flush()
    paragraph.push({ line, text: withoutMark(trimmed) })
  })
  flush()
  return sentences
}

function splitParagraph(path: string, lines: readonly { line: number; text: string }[], section: string): Sentence[] {
  const sentences: Sentence[] = []
  let words = ''
  let from = 0
  const push = (to: number): void => {
    if (/\p{L}{2}/u.test(words)) sentences.push({ text: words.trim(), cite: at(path, from, to), path, from, section })
    words = ''
  }
  for (const { line, text } of lines) {
    const pieces = text.split(/(?<=[.!?])\s+(?=[A-Z"`'“(])/)
    for (const [index, piece] of pieces.entries()) {
      if (words === '') from = line
      words += `${words === '' ? '' : ' '}${piece}`
      const isAbbreviation = /(?:\be\.g|\bi\.e|\bvs|\betc|\b[A-Z])\.$/.test(words)
      if ((index < pieces.length - 1 || /[.!?:]$/.test(piece)) && !isAbbreviation) push(line)
    }
  }
  if (words !== '') push(lines.at(-1)?.line ?? from)
  return sentences
}

/** The first paragraph of prose of a README: what the thing is, at most `limit` sentences. */
export function readIntroduction(excerpt: Excerpt, limit = 2): Sentence[] {
  const sentences = readSentences(excerpt)
  const start = sentences.findIndex(
    (sentence) =>
      sentence.text.split(/\s+/).length >= 4 &&
      /[\p{L}]{3}/u.test(sentence.text) &&
      !/^(?:npm|yarn|pnpm|\$|import |const |https?:)/.test(sentence.text) &&
      !/\b(?:sponsor|badge|translat|readme in)/i.test(sentence.text),
  )
  if (start < 0) return []
  const first = sentences[start]
  const kept: Sentence[] = []
  for (const sentence of sentences.slice(start, start + limit)) {
    if (
      sentence.section !== first?.section ||
      sentence.from > (kept.at(-1)?.cite.to ?? kept.at(-1)?.from ?? sentence.from) + 1
    )
      break
    kept.push(sentence)
  }
  return kept
}

/** The titles of a document's sections, with their lines. */
export function readTitles(excerpt: Excerpt): { title: string; level: number; line: number }[] {
  const titles: { title: string; level: number; line: number }[] = []
  let inCode = false
  const lines = numbered(excerpt)
  for (const [index, { line, text }] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(text)) inCode = !inCode
    if (inCode) continue
    const match = /^(#{1,6})\s+(.*)$/.exec(text)
    const title = toPlain(match?.[2] ?? '').replace(/(?<![\s#])\s*#+$/, '')
    if (match && title !== '') titles.push({ title, level: (match[1] ?? '').length, line })
    else if (UNDERLINE.test(lines[index + 1]?.text.trim() ?? '') && /^[\w`*:]/.test(text))
      titles.push({ title: toPlain(text), level: 1 + '=-~^"'.indexOf(lines[index + 1]?.text.trim()[0] ?? '='), line })
  }
  return titles
}

/**
 * Orders texts by how well they answer the stems asked for (BM25, Robertson and Zaragoza, 2009; k1 = 1.2, b = 0.75).
 *
 * @returns one score for each text, 0 where no stem occurs
 */
export function rank(texts: readonly string[], asked: ReadonlySet<string>): number[] {
  const documents = texts.map((text) => toStems(text))
  const average = documents.reduce((sum, stems) => sum + stems.length, 0) / Math.max(1, documents.length)
  const frequency = new Map<string, number>()
  for (const stem of asked) frequency.set(stem, documents.filter((stems) => stems.includes(stem)).length)
  return documents.map((stems) => {
    let score = 0
    for (const stem of asked) {
      const count = stems.filter((other) => other === stem).length
      if (count === 0) continue
      const known = frequency.get(stem) ?? 0
      const rarity = Math.log(1 + (documents.length - known + 0.5) / (known + 0.5))
      score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * stems.length) / Math.max(1, average)))
    }
    return score
  })
}

/** A word of a question, and how many lines of the workspace hold it. */
export interface Term {
  /** In lower case, without the ending that other forms of it lack. */
  readonly text: string
  readonly lines: number
}

/**
 * How much of a question a text speaks of: the share of the weight of the words that it holds, where a word weighs the
 * more the fewer lines hold it (inverse document frequency; Spärck Jones, 1972).
 *
 * @param total lines of the workspace, or a guess of them
 * @returns from 0 to 1; 1 where nothing is asked
 */
export function coverage(text: string, terms: readonly Term[], total: number): number {
  const lower = text.toLowerCase()
  const weigh = ({ lines }: Term): number => Math.log(1 + (total + 1) / (lines + 0.5))
  const whole = terms.reduce((sum, term) => sum + weigh(term), 0)
  const stems = new Set(toStems(text))
  const held = terms
    .filter((term) => lower.includes(term.text) || stems.has(toStem(term.text)))
    .reduce((sum, term) => sum + weigh(term), 0)
  return whole === 0 ? 1 : held / whole
}
