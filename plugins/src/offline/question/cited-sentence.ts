import type { Cite } from '../cite.ts'
import { writeCites } from '../cite.ts'
import type { Evidence } from '../evidence.ts'
import { type Excerpt, numbered } from '../read/formats.ts'

/** A sentence and the lines that it rests on. */
export interface CitedSentence {
  readonly kind: 'claim'
  readonly text: string
  readonly cites: readonly Cite[]
  /** Numbers of the text that were counted or calculated from the cited lines, and so do not stand in them. */
  readonly counted?: readonly (number | string)[]
  /** True: a sentence of its own; false: an item of a list. */
  readonly lead: boolean
}

/** A title over the claims that follow; left out when none follows. */
export interface Heading {
  readonly kind: 'heading'
  readonly text: string
}

/** A sentence that claims nothing about a file: what was not found, what a tool refused, a calculation shown in full. */
export interface Note {
  readonly kind: 'note'
  readonly text: string
}

/** Lines of a file as they stand there. */
export interface Code {
  readonly kind: 'code'
  readonly excerpt: Excerpt
}

export type Part = CitedSentence | Heading | Note | Code

export const claim = (
  text: string,
  cites: readonly Cite[],
  counted: readonly (number | string)[] = [],
): CitedSentence => ({
  kind: 'claim',
  text,
  cites,
  counted,
  lead: false,
})
export const lead = (
  text: string,
  cites: readonly Cite[],
  counted: readonly (number | string)[] = [],
): CitedSentence => ({
  ...claim(text, cites, counted),
  lead: true,
})
export const heading = (text: string): Heading => ({ kind: 'heading', text })
export const code = (excerpt: Excerpt): Code => ({ kind: 'code', excerpt })
export const note = (text: string): Note => ({ kind: 'note', text })

const QUOTED = /`([^`]+)`|"([^"]+)"|“([^“”]+)”/g
const NUMBER = /\d+(?:[.,]\d+)*/g

/**
 * Whether the cited lines hold what the sentence says: every name in backticks, every quoted word and every number.
 *
 * The last guard before an answer leaves: a sentence that fails is not said.
 */
function isSupported(said: CitedSentence, evidence: Evidence): boolean {
  if (said.cites.length === 0) return false
  const texts = said.cites.map((cite) => evidence.textOf(cite))
  if (texts.some((text) => text === undefined)) return false
  const source = flatten(texts.join('\n'))
  const words = new Set(source.split(/[^\p{L}\p{N}_]+/u))
  const counted = new Set((said.counted ?? []).map(String))
  for (const match of said.text.matchAll(QUOTED)) {
    const quoted = match[1] ?? match[2] ?? match[3] ?? ''
    if (counted.has(quoted) || source.includes(flatten(quoted))) continue
    if (
      !flatten(quoted)
        .split(/[^\p{L}\p{N}_]+/u)
        .every((word) => word === '' || words.has(word))
    )
      return false
  }
  for (const match of said.text.replace(QUOTED, ' ').matchAll(NUMBER)) {
    if (!counted.has(match[0]) && !holdsNumber(source, match[0])) return false
  }
  return true
}

/** Whether a text holds a number by itself, not as a part of a longer one. */
function holdsNumber(text: string, number: string): boolean {
  for (let index = text.indexOf(number); index >= 0; index = text.indexOf(number, index + 1)) {
    if (!/\d/.test(text[index - 1] ?? '') && !/\d/.test(text[index + number.length] ?? '')) return true
  }
  return false
}

/** The same text for two spellings of it: without markup and escapes, one space between words. */
function flatten(text: string): string {
  return text
    .replace(/\\(["'\\/])/g, '$1')
    .replace(/\*\*|__/g, '')
    .replace(/[*_`#>|[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The parts that may be said: supported claims once each, headings that still head something, notes. */
export function keepSupported(parts: readonly Part[], evidence: Evidence): Part[] {
  const said = new Set<string>()
  const kept = parts.filter((part) => {
    if (part.kind === 'heading') return true
    if (part.kind === 'claim' && !isSupported(part, evidence)) return false
    const line = writePart(part)
    if (said.has(line)) return false
    said.add(line)
    return true
  })
  return kept.filter((part, index) => part.kind !== 'heading' || headsSomething(kept[index + 1]))
}

const headsSomething = (next: Part | undefined): boolean => next?.kind === 'claim' && !next.lead

function writePart(part: Part): string {
  if (part.kind === 'heading') return `${part.text}:`
  if (part.kind === 'note') return part.text
  if (part.kind === 'code') return writeCode(part.excerpt)
  return `${part.lead ? '' : '- '}${part.text}${writeCites(part.cites)}`
}

const LONGEST_LINE = 160

/** Each line under its number, so that it stands for itself wherever answers are put together. */
function writeCode(excerpt: Excerpt): string {
  const last = excerpt.first + excerpt.lines.length - 1
  const lines = numbered(excerpt).map(({ line, text }) => `${line}  ${text.slice(0, LONGEST_LINE)}`.trimEnd())
  return `${excerpt.path}:${excerpt.first}-${last}:\n\`\`\`\n${lines.join('\n')}\n\`\`\``
}

/** The answer as text: a list directly under its heading, a blank line before each heading and each sentence. */
export function writeParts(parts: readonly Part[]): string {
  let text = ''
  parts.forEach((part, index) => {
    const before = parts[index - 1]
    const isItem = part.kind === 'claim' && !part.lead
    const isLead = part.kind === 'claim' && part.lead && before?.kind === 'claim' && before.lead
    const follows = (isItem && before !== undefined && before.kind !== 'note') || isLead
    text += index === 0 ? '' : follows ? '\n' : '\n\n'
    text += writePart(part)
  })
  return text
}
