import type { Token, Tokens } from 'marked'
import type { Io } from '../../frame/io.ts'
import { toLines, widthOf } from '../width.ts'
import { toSpans } from './inline.ts'
import { wrapSpans } from './spans.ts'
import { renderTable } from './table.ts'

type Paint = Io['paint']

/** With less room nothing is indented. */
const LEAST_ROOM = 12
const BULLETS = ['•', '◦', '▪']

/** Blocks as lines, an empty one between two. */
export function renderBlocks(tokens: readonly Token[], width: number, paint: Paint, depth = 0): string[] {
  const blocks = tokens.map((token) => renderBlock(token, width, paint, depth)).filter((lines) => lines.length > 0)
  return blocks.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))
}

/** One block as lines of at most so many columns; none for what shows nothing. */
export function renderBlock(token: Token, width: number, paint: Paint, depth = 0): string[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading':
      return wrapSpans(
        toSpans(
          token.tokens ?? [],
          paint,
          token.depth === 1 ? (text) => paint.bold(paint.underline(text)) : paint.bold,
        ),
        width,
      )
    case 'code':
      return renderCode(token as Tokens.Code, width, paint)
    case 'hr':
      return [paint.dim('─'.repeat(Math.min(width, 40)))]
    case 'blockquote':
      return indent(renderBlocks(token.tokens ?? [], inner(width, 2), paint, depth), '│ ', width, paint)
    case 'list':
      return renderList(token as Tokens.List, width, paint, depth)
    case 'table':
      return renderTable(token as Tokens.Table, width, paint)
    case 'paragraph':
    case 'text':
      return wrapSpans(toSpans(token.tokens ?? [token], paint), width)
    default:
      return token.raw.trim() === '' ? [] : wrapSpans([{ text: token.raw.trimEnd(), paint: String }], width)
  }
}

const inner = (width: number, taken: number): number => (width - taken >= LEAST_ROOM ? width - taken : width)

const indent = (lines: readonly string[], prefix: string, width: number, paint: Paint): string[] =>
  width - prefix.length >= LEAST_ROOM ? lines.map((line) => paint.dim(prefix) + line) : [...lines]

function renderList({ items, ordered, start, loose }: Tokens.List, width: number, paint: Paint, depth: number) {
  const first = typeof start === 'number' ? start : 1
  return items.flatMap((item, at) => {
    const task = item.task ? (item.checked ? '[x] ' : '[ ] ') : ''
    const bullet = ordered ? `${first + at}.` : (BULLETS[depth % BULLETS.length] ?? '•')
    const marker = `${bullet} ${task}`
    const hang = widthOf(marker)
    const tokens = item.tokens.filter((token) => token.type !== 'checkbox')
    const lines = renderItem(tokens, inner(width, hang), paint, depth + 1, loose)
    const gap = loose && at > 0 ? [''] : []
    if (width - hang < LEAST_ROOM) return [...gap, marker.trimEnd().slice(0, width), ...lines]
    const [head = '', ...more] = lines
    return [...gap, paint.dim(marker) + head, ...more.map((line) => (line === '' ? '' : ' '.repeat(hang) + line))]
  })
}

/** A tight item has its list right below its words. */
function renderItem(tokens: readonly Token[], width: number, paint: Paint, depth: number, loose: boolean): string[] {
  if (loose) return renderBlocks(tokens, width, paint, depth)
  return tokens.flatMap((token) => renderBlock(token, width, paint, depth))
}

function renderCode({ text, lang = '' }: Tokens.Code, width: number, paint: Paint): string[] {
  const [language = ''] = (lang ?? '').split(/\s/, 1)
  const prefix = width >= LEAST_ROOM ? '  ' : ''
  const room = width - prefix.length
  const painter = language === 'diff' || language === 'patch' ? paintChange(paint) : () => String
  const head = language === '' ? [] : [paint.dim(prefix + language.slice(0, room))]
  const lines = text.split('\n').flatMap((line) => {
    const paintLine = painter(line)
    return toLines(line.replaceAll('\t', '    '), room).map((part) => (part === '' ? '' : prefix + paintLine(part)))
  })
  return [...head, ...lines]
}

/** How a line of a difference is painted. */
export const paintChange =
  (paint: Paint) =>
  (line: string): ((text: string) => string) =>
    line.startsWith('+') ? paint.green : line.startsWith('-') ? paint.red : line.startsWith('@@') ? paint.cyan : String
