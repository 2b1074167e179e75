/** The outer shape of a text: its words, sentences, list items, paragraphs, lines. All linear in its length. */
import { toWords } from '../../text/index.ts'

/** Lower-case words with one space between and at both ends: two texts of one wording become equal. */
export const normalise = (text: string): string => ` ${toWords(text).join(' ')} `

const LIST_MARK = /^\s{0,12}(?:[-*•+]|\d{1,3}[.)])\s+\S/

/** Words as a person counts them: runs without white space that hold a letter or digit. */
export const countWords = (text: string): number =>
  (text.match(/\S+/g) ?? []).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** The items of all lists of a text, nested ones left out where an outer list exists. */
export function toListItems(text: string): string[] {
  const lines = text.split('\n').filter((line) => LIST_MARK.test(line))
  const indents = lines.map((line) => line.length - line.trimStart().length)
  const outer = Math.min(...indents)
  return lines.filter((_, index) => (indents[index] ?? 0) <= outer + 1).map((line) => line.trim())
}

/** Whether a line is an item of a list. */
export const isListItem = (line: string): boolean => LIST_MARK.test(line)

/** Lines that hold something. */
export const toLines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')

/** Rows of a Markdown table, without head and ruler. */
export function countTableRows(text: string): number {
  const rows = text.split('\n').filter((line) => /^\s*\|.*\|\s*$/.test(line))
  const rulers = rows.filter((row) => /^[\s|:-]+$/.test(row)).length
  return rulers === 0 ? 0 : Math.max(0, rows.length - 2 * rulers)
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

/** What a reader of a page sees: text of links, without marks of emphasis, code and HTML. Linear in its length. */
export const withoutMarkup = (text: string): string =>
  text
    .replace(/!?\[([^[\]\n]{0,300})\](?:\([^()\n]{0,1000}\)|\[[^[\]\n]{0,200}\])/g, '$1')
    .replace(/<\/?[a-z][^<>\n]{0,300}>/gi, '')
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/[*`]{1,3}|~~|\b_{1,2}|_{1,2}\b/g, '')
