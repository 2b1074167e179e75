/** The lists of a text: what stands before one, its items, what stands after it. */
import { toClauses } from './requests.ts'

export interface TextList {
  head: string
  items: string[]
  tail: string
  /** Whether the text says that no item waits for another. */
  isParallel?: boolean
}

const ITEM = /^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+(\S.*)$/

/** The first list of the text with two or more items, on lines of their own, numbered on one line, or said to be parallel. */
export const findList = (text: string): TextList | undefined =>
  listOfLines(text) ?? numberedList(text) ?? parallelList(text)

/** Continuation lines belong to their item. */
function listOfLines(text: string): TextList | undefined {
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
      items.push(`${items.pop() ?? ''} ${line.trim()}`)
      last = index
    } else if (first !== -1 && line.trim() !== '') break
  }
  const join = (some: readonly string[]): string => some.join('\n').trim()
  return items.length < 2 ? undefined : { head: join(lines.slice(0, first)), items, tail: join(lines.slice(last + 1)) }
}

/** Items numbered 1, 2, 3 … on one line, from the start of the text or behind an end mark. */
function numberedList(text: string): TextList | undefined {
  const marks: { start: number; end: number }[] = []
  for (const match of text.matchAll(/(?:^|(?<=[:.;,!?])\s|\s)(\d{1,2})[.)]\s(?=[\p{L}"'`(])/gu)) {
    if (Number(match[1]) !== marks.length + 1) continue
    // "section 1. It" starts no list
    if (marks.length === 0 && match.index > 0 && !/[:.;!?]/.test(text[match.index - 1] ?? '')) return undefined
    marks.push({ start: match.index, end: match.index + match[0].length })
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

/** "In parallel: count the files; list the scripts." */
function parallelList(text: string): TextList | undefined {
  const [, rest = ''] =
    /^(?:please\s+)?(?:in parallel|at the same time|simultaneously)\s*[:,]\s*(\S[^\n]*)$/i.exec(text) ?? []
  const items = (rest.includes(';') ? rest.split(';') : toClauses(rest))
    .map((item) => item.trim().replace(/^(?:(?:and|then)\s+)+/i, ''))
    .filter((item) => item !== '')
  return items.length < 2 ? undefined : { head: '', items, tail: '', isParallel: true }
}
