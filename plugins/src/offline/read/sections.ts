import type { Excerpt } from './formats.ts'
import { readTitles } from './sentences.ts'

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

/** The sections of a document, in order; those of a lower level are also inside the one above them. */
export function readSections(excerpt: Excerpt): Section[] {
  const last = excerpt.first + excerpt.lines.length - 1
  const titles = readTitles(excerpt)
  return titles.map(({ title, level, line }, index) => {
    const next = titles.slice(index + 1).find((other) => other.level <= level)
    const isUnderlined = !(excerpt.lines[line - excerpt.first] ?? '').startsWith('#')
    return { title, level, from: line, start: line + (isUnderlined ? 2 : 1), to: next ? next.line - 1 : last }
  })
}
