import type { Excerpt } from './formats.ts'
import { numbered } from './formats.ts'
import { readSections, type Section } from './sections.ts'

/** A piece of a document that may answer a question by itself. */
export interface Passage {
  readonly kind: 'section' | 'table' | 'list' | 'row' | 'item' | 'text' | 'code'
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
  readonly lines: readonly Line[]
}

const FENCE = /^\s*(?:>\s?)?(?:```|~~~)/
const ROW = /^\s*\|.*\|\s*$/
const RULER = /^[\s|:-]+$/
const ITEM = /^(\s*)(?:[-*+]|\d{1,3}[.)])\s+\S/
const TITLE = /^#{1,6}\s/
/** Longest piece of code that is shown as one. */
const CODE_LINES = 12

/** Sections, tables, rows, lists, items, paragraphs and pieces of code of a document. */
export function readPassages(excerpt: Excerpt): Passage[] {
  const sections = readSections(excerpt)
  const all = numbered(excerpt)
  const passages: Passage[] = []
  const ends = sections.map(({ from }, index) => sections[index + 1]?.from ?? from + excerpt.lines.length)
  const before = all.filter(({ line }) => line < (sections[0]?.from ?? Number.POSITIVE_INFINITY))
  passages.push(...toPassages(excerpt.path, undefined, [], readBlocks(before)))
  sections.forEach((section, index) => {
    const own = all.filter(({ line }) => line >= section.start && line < (ends[index] ?? 0))
    const titles = sections
      .slice(0, index + 1)
      .filter((other) => other === section || (other.level < section.level && other.to >= section.to))
      .map(({ title }) => title)
    const blocks = readBlocks(own)
    passages.push({
      kind: 'section',
      path: excerpt.path,
      section,
      titles: titles.slice(0, -1),
      lines: own.filter(({ text }) => text.trim() !== '').map(({ line }) => line),
      text: section.title,
      context: '',
      key: section.title,
      hasCode: blocks.some(({ kind }) => kind === 'code'),
    })
    const inner = sections.filter(
      ({ level, from, to }) => level === section.level + 1 && from > section.from && to <= section.to,
    )
    const last = blocks.at(-1)
    const found = toPassages(excerpt.path, section, titles, blocks)
    const leads = last?.kind === 'text' && last.lines.at(-1)?.text.trimEnd().endsWith(':') === true
    passages.push(
      ...found.map((passage, at) =>
        leads && at === found.length - 1
          ? { ...passage, kind: 'list' as const, lines: [...passage.lines, ...inner.map(({ from }) => from)] }
          : passage,
      ),
    )
  })
  return passages
}

/** Runs of lines of one kind. */
function readBlocks(lines: readonly Line[]): Block[] {
  const blocks: { kind: Block['kind']; lines: Line[] }[] = []
  let open: { kind: Block['kind']; lines: Line[] } | undefined
  let inCode = false
  const start = (kind: Block['kind'], line: Line): void => {
    open = { kind, lines: [line] }
    blocks.push(open)
  }
  for (const line of lines) {
    if (FENCE.test(line.text)) {
      inCode = !inCode
      open = undefined
    } else if (inCode) {
      if (open?.kind === 'code') open.lines.push(line)
      else start('code', line)
    } else if (line.text.trim() === '') {
      if (open?.kind !== 'list') open = undefined
      else open.lines.push(line)
    } else if (ROW.test(line.text)) {
      if (open?.kind === 'table') open.lines.push(line)
      else start('table', line)
    } else if (ITEM.test(line.text)) {
      if (open?.kind === 'list') open.lines.push(line)
      else start('list', line)
    } else if (open?.kind === 'list' && (/^\s/.test(line.text) || open.lines.at(-1)?.text.trim() !== '')) {
      open.lines.push(line)
    } else if (open?.kind === 'text') open.lines.push(line)
    else if (!TITLE.test(line.text) && /\p{L}{2}/u.test(line.text)) start('text', line)
  }
  return blocks
}

function toPassages(
  path: string,
  section: Section | undefined,
  titles: readonly string[],
  blocks: readonly Block[],
): Passage[] {
  return blocks.flatMap((block, index): Passage[] => {
    const before = blocks[index - 1]
    const intro = before?.kind === 'text' ? before : undefined
    const introText = intro?.lines.map(({ text }) => text).join(' ') ?? ''
    const make = (kind: Passage['kind'], lines: readonly Line[], more: Partial<Passage> = {}): Passage => ({
      kind,
      path,
      section,
      titles,
      lines: lines.filter(({ text }) => text.trim() !== '').map(({ line }) => line),
      text: lines.map(({ text }) => text).join('\n'),
      context: '',
      key: '',
      hasCode: false,
      ...more,
    })
    const led = intro === undefined ? block.lines : [...intro.lines, ...block.lines]
    if (block.kind === 'table') return readTable(block.lines, led, introText, make)
    if (block.kind === 'list') return readList(block.lines, led, introText, make)
    if (block.kind === 'code')
      return splitCode(block.lines).map((piece, at) =>
        make('code', at === 0 && intro ? [...intro.lines, ...piece] : piece, { hasCode: true }),
      )
    // the code that a paragraph speaks of is shown with it
    const next = blocks[index + 1]
    if (next?.kind !== 'code' || next.lines.length > CODE_LINES) return [make('text', block.lines)]
    const shown = [...block.lines, ...next.lines].filter(({ text }) => text.trim() !== '')
    return [make('text', block.lines, { lines: shown.map(({ line }) => line), hasCode: true })]
  })
}

type Make = (kind: Passage['kind'], lines: readonly Line[], more?: Partial<Passage>) => Passage

function readTable(lines: readonly Line[], led: readonly Line[], intro: string, make: Make): Passage[] {
  const ruler = lines.findIndex(({ text }) => RULER.test(text))
  const head = ruler > 0 ? lines.slice(0, ruler) : []
  const rows = lines.slice(ruler + 1)
  const headText = head.map(({ text }) => text).join(' ')
  return [
    make('table', [...led.filter((line) => !lines.includes(line)), ...head, ...rows], { text: `${intro} ${headText}` }),
    ...rows.map((row) =>
      make('row', [...head, row], {
        text: row.text,
        context: `${headText} ${intro}`,
        key: /^\s*\|([^|]*)\|/.exec(row.text)?.[1]?.trim() ?? '',
      }),
    ),
  ]
}

function readList(lines: readonly Line[], led: readonly Line[], intro: string, make: Make): Passage[] {
  const items: Line[][] = []
  for (const line of lines) {
    if (ITEM.test(line.text) || items.length === 0) items.push([line])
    else items.at(-1)?.push(line)
  }
  const indent = (item: readonly Line[] | undefined): number => ITEM.exec(item?.[0]?.text ?? '')?.[1]?.length ?? 0
  const above = (at: number): string =>
    items.slice(0, at).findLast((other) => indent(other) < indent(items[at]))?.[0]?.text ?? ''
  const key = (item: readonly Line[]): string =>
    /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\*\*|__)?(`[^`]+`|"[^"]+"|[^\s*_:]+(?=\s*(?:\*\*|__|:|\s[-–—]\s)))/.exec(
      item[0]?.text ?? '',
    )?.[1] ?? ''
  return [
    ...(intro === '' ? [] : [make('list', led, { text: intro })]),
    ...items.map((item, at) => make('item', item, { context: `${intro} ${above(at)}`, key: key(item) })),
  ]
}

/** Long code in the pieces that empty lines part. */
function splitCode(lines: readonly Line[]): Line[][] {
  if (lines.length <= CODE_LINES) return [[...lines]]
  const pieces: Line[][] = [[]]
  for (const line of lines) {
    if (line.text.trim() === '' && (pieces.at(-1)?.length ?? 0) > 0) pieces.push([])
    else if (line.text.trim() !== '') pieces.at(-1)?.push(line)
  }
  return pieces.filter((piece) => piece.length > 0)
}
