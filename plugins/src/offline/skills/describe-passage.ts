import { at } from '../cite.ts'
import { type Claim, claim } from '../claim.ts'
import { type Excerpt, numbered } from '../read/formats.ts'
import type { Passage } from '../read/passages.ts'
import { readSentences } from '../read/sentences.ts'
import { quote, tick } from '../wording.ts'

/** Where a passage stands, with the title that it stands under. */
export const sayPlace = ({ path, section }: Pick<Passage, 'path' | 'section'>): string =>
  section === undefined ? `${path} says` : `${path}:${section.from} says under ${quote(section.title)}`

/** The lines of a passage: rows as they stand, then as `describeLines`. */
export function describePassage(excerpt: Excerpt, { path, lines, kind }: Passage): Claim[] {
  const textOf = (line: number): string => excerpt.lines[line - excerpt.first] ?? ''
  if (kind === 'row' || kind === 'table')
    return lines.map((line) =>
      claim(
        quote(
          textOf(line)
            .trim()
            .replace(/^\||\|$/g, ''),
          600,
        ),
        [at(path, line)],
      ),
    )
  const [first = 0] = lines
  const isTitle = (line: number): boolean => TITLE.test(textOf(line))
  const titles = lines.filter(isTitle)
  const last = lines.findLast((line) => !isTitle(line)) ?? first
  return [
    ...describeLines(excerpt, first, last, path.endsWith('.rst')),
    ...titles.map((line) => claim(quote(textOf(line).replace(TITLE, '')), [at(path, line)])),
  ]
}

const TITLE = /^#{1,6}\s+/
const FENCE = /^\s*(?:```|~~~)/
const INDENTED = /^ {4,}\S|^\t\S/

/** Lines from one to another: sentences of prose, and code line by line, in their order. */
export function describeLines(excerpt: Excerpt, first: number, last: number, hasIndentedCode: boolean): Claim[] {
  const { path } = excerpt
  const isOpen = excerpt.lines.slice(0, first - excerpt.first).filter((text) => FENCE.test(text)).length % 2 === 1
  const lines = excerpt.lines.slice(first - excerpt.first, last - excerpt.first + 1)
  const inside: Excerpt = { path, first, lines, total: last }
  const coded = linesOfCode(inside, isOpen, hasIndentedCode)
  const code = numbered(inside)
    .filter(({ line, text }) => coded.has(line) && /\w/.test(text) && !FENCE.test(text))
    .map(({ line, text }) => claim(tick(text, 160), [at(path, line)]))
  const prose = readSentences(inside)
    .filter(({ text, from, cite }) => !coded.has(from) && !coded.has(cite.to ?? from) && !FENCE.test(text))
    .map(({ text, cite }) => claim(quote(text, 480), [cite]))
  return [...code, ...prose].sort((a, b) => (a.cites[0]?.from ?? 0) - (b.cites[0]?.from ?? 0))
}

function linesOfCode(excerpt: Excerpt, isOpen: boolean, hasIndentedCode: boolean): ReadonlySet<number> {
  let inCode = isOpen
  return new Set(
    numbered(excerpt).flatMap(({ line, text }) => {
      const isFence = FENCE.test(text)
      if (isFence) inCode = !inCode
      return inCode || isFence || (hasIndentedCode && INDENTED.test(text)) ? [line] : []
    }),
  )
}
