import type { Excerpt } from './formats.ts'
import { numbered } from './formats.ts'
import { FENCE, readSections, type Section } from './sentences.ts'

/** A piece of a document that may answer a question by itself. */
export interface Passage {
  readonly kind: 'section' | 'row' | 'item' | 'text' | 'code'
  readonly path: string
  /** The innermost section; undefined before the first title. */
  readonly section: Section | undefined
  /** Titles above it, the innermost last. */
  readonly titles: readonly string[]
  /** Its lines in the document, in order. */
  readonly lines: readonly number[]
  /** The words that it is judged by. */
  readonly text: string
  /** What it stands for beyond its words: the head of a table, the sentence before a list. */
  readonly context: string
  /** What it explains: the first cell of a row, the word that an item begins with. */
  readonly key: string
  readonly hasCode: boolean
}

interface Line {
  readonly line: number
  readonly text: string
}

interface Block {
  readonly kind: 'table' | 'list' | 'text' | 'code'
  readonly lines: Line[]
}

type Make = (kind: Passage['kind'], lines: readonly Line[], more?: Partial<Passage>) => Passage

const ROW = /^\s*\|.*\|\s*$/
const RULER = /^[\s|:-]+$/
const ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s+\S/
const KEY = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\*\*|__)?(`[^`]+`|"[^"]+"|[^\s*_:]+(?=\s*(?:\*\*|__|:|\s[-–—]\s)))/

/** Sections, rows, items, paragraphs and pieces of code of a document. */
export function readPassages(excerpt: Excerpt): Passage[] {
  const sections = readSections(excerpt)
  const lines = numbered(excerpt)
  const before = lines.filter(({ line }) => line < (sections[0]?.from ?? Number.POSITIVE_INFINITY))
  return [
    ...toPassages(excerpt.path, undefined, [], readBlocks(before)),
    ...sections.flatMap((section, index) => {
      const end = sections[index + 1]?.from ?? Number.POSITIVE_INFINITY
      const own = lines.filter(({ line }) => line >= section.start && line < end)
      const above = sections.slice(0, index).filter(({ level, to }) => level < section.level && to >= section.to)
      const titles = above.map(({ title }) => title)
      const blocks = readBlocks(own)
      const whole: Passage = {
        kind: 'section',
        path: excerpt.path,
        section,
        titles,
        lines: toNumbers(own),
        text: section.title,
        context: '',
        key: section.title,
        hasCode: blocks.some(({ kind }) => kind === 'code'),
      }
      return [whole, ...toPassages(excerpt.path, section, [...titles, section.title], blocks)]
    }),
  ]
}

const toNumbers = (lines: readonly Line[]): number[] =>
  lines.filter(({ text }) => text.trim() !== '').map(({ line }) => line)

/** Runs of lines of one kind. */
function readBlocks(lines: readonly Line[]): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  let isCode = false
  for (const line of lines) {
    const isFence = FENCE.test(line.text)
    if (isFence) isCode = !isCode
    const kind = kindOf(line.text, isCode, open)
    if (isFence || kind === undefined) {
      open = undefined
      continue
    }
    if (open?.kind !== kind) {
      open = { kind, lines: [] }
      blocks.push(open)
    }
    open.lines.push(line)
  }
  return blocks
}

/** What a line belongs to; undefined for what is between. */
function kindOf(text: string, isCode: boolean, open: Block | undefined): Block['kind'] | undefined {
  if (isCode) return 'code'
  if (text.trim() === '') return open?.kind === 'list' ? 'list' : undefined
  if (ROW.test(text)) return 'table'
  const goesOn = open?.kind === 'list' && (/^\s/.test(text) || open.lines.at(-1)?.text.trim() !== '')
  if (ITEM.test(text) || goesOn) return 'list'
  return open?.kind === 'text' || /\p{L}{2}/u.test(text) ? 'text' : undefined
}

function toPassages(path: string, section: Section | undefined, titles: string[], blocks: readonly Block[]): Passage[] {
  const make: Make = (kind, lines, more = {}) => ({
    kind,
    path,
    section,
    titles,
    lines: toNumbers(lines),
    text: lines.map(({ text }) => text).join('\n'),
    context: '',
    key: '',
    hasCode: kind === 'code',
    ...more,
  })
  return blocks.flatMap((block, index): Passage[] => {
    const before = blocks[index - 1]
    const intro = before?.kind === 'text' ? before.lines : []
    if (block.kind === 'table') return readRows(block.lines, intro, make)
    if (block.kind === 'list') return readItems(block.lines, intro, make)
    return [make(block.kind, block.kind === 'code' ? [...intro, ...block.lines] : block.lines)]
  })
}

const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join(' ')

function readRows(lines: readonly Line[], intro: readonly Line[], make: Make): Passage[] {
  const ruler = lines.findIndex(({ text }) => RULER.test(text))
  const head = lines.slice(0, Math.max(0, ruler))
  const context = `${textOf(head)} ${textOf(intro)}`
  return lines.slice(ruler + 1).map((row) =>
    make('row', [...head, row], {
      text: row.text,
      context,
      key: /^\s*\|([^|]*)\|/.exec(row.text)?.[1]?.trim() ?? '',
    }),
  )
}

function readItems(lines: readonly Line[], intro: readonly Line[], make: Make): Passage[] {
  const items: Line[][] = []
  for (const line of lines) {
    if (ITEM.test(line.text) || items.length === 0) items.push([line])
    else items.at(-1)?.push(line)
  }
  return items.map((item) =>
    make('item', item, { context: textOf(intro), key: KEY.exec(item[0]?.text ?? '')?.[1] ?? '' }),
  )
}
