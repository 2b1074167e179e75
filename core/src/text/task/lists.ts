/** The lists of a text: what stands before one, its items, what stands after it. */
import { toClauses } from './clauses.ts'
import { toSentences } from './sentences.ts'

export interface TextList {
  head: string
  items: string[]
  tail: string
}

const ITEM = /^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+(\S.*)$/

/** The first list with two or more items; continuation lines belong to their item. */
export function findList(text: string): TextList | undefined {
  if (!text.includes('\n')) return undefined
  const lines = text.split(/\r?\n/)
  const items: string[] = []
  let first = -1
  let last = -1
  for (const [index, line] of lines.entries()) {
    const item = ITEM.exec(line)?.[1]
    if (item !== undefined) {
      if (first === -1) first = index
      items.push(item.trim())
      last = index
    } else if (first !== -1 && /^[ \t]+\S/.test(line)) {
      items.push(`${items.pop() ?? ''} ${line.trim()}`.trim())
      last = index
    } else if (first !== -1 && line.trim() !== '') break
  }
  if (items.length < 2) return undefined
  return {
    head: lines.slice(0, first).join('\n').trim(),
    items,
    tail: lines
      .slice(last + 1)
      .join('\n')
      .trim(),
  }
}

/** The list of a text that numbers its items 1, 2, 3 … on one line. */
export function findInlineList(text: string): TextList | undefined {
  if (!text.includes('1.') && !text.includes('1)')) return undefined
  const marks: { start: number; end: number }[] = []
  for (const match of text.matchAll(/(^|[:.;,!?]?\s)(\d{1,2})[.)]\s(?=[\p{L}"'`(])/gu)) {
    if (Number(match[2]) !== marks.length + 1) continue
    // "section 1. It" starts no list
    if (marks.length === 0 && !/^$|^[:.;!?]\s$/.test(match[1] ?? '')) return undefined
    const before = match[1] ?? ''
    marks.push({ start: match.index + before.trimEnd().length, end: match.index + match[0].length })
  }
  if (marks.length < 2) return undefined
  const items = marks.map(({ end }, index) =>
    text
      .slice(end, marks[index + 1]?.start)
      .replace(/[;,]\s*$/, '')
      .trim(),
  )
  return { head: text.slice(0, marks[0]?.start).trim(), items, tail: '' }
}

const PARALLEL =
  /^(?:please\s+)?(?:in parallel|at the same time|simultaneously|concurrently|side by side)\s*[:,]\s*(?=\S)/i

/** What a text says is to be done in parallel: the pieces between its semicolons, else its instructions. */
export function findParallel(text: string): string[] | undefined {
  const start = PARALLEL.exec(text)?.[0].length
  if (start === undefined || text.includes('\n') || toSentences(text).length > 1) return undefined
  const rest = text.slice(start)
  const pieces = rest.includes(';') ? rest.split(';').map((piece) => piece.trim()) : toClauses(rest)
  const objectives = pieces
    .map((piece) => piece.replace(/^(?:(?:and|then)\s+)+/i, '').trim())
    .filter((piece) => piece !== '')
    .map((piece) => piece.charAt(0).toUpperCase() + piece.slice(1))
  return objectives.length < 2 ? undefined : objectives
}
