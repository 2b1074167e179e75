import { at, type Cite } from '../cite.ts'
import { type Excerpt, numbered } from './formats.ts'
import { readIntroduction } from './sentences.ts'
import { isPythonPath, isSourcePath } from './symbols.ts'

/** The words of a comment, with its lines. */
export interface Comment {
  readonly text: string
  readonly from: number
  readonly to: number
}

const BEGIN = /^\s*(?:\/\*|\/\/|#(?!!)|[rub]{0,2}(?:"""|'''))/i
const MARK = /^\s*(?:\/\*\*?|\*\/|\*|\/\/+|#+|[rub]{0,2}(?:"""|'''))\s?/i
const END = /(?:\*\/|"""|''')$/
/** What says nothing about the code: orders to tools, licences, file names. */
const DULL =
  /eslint|prettier-|@(?:ts|module|fileoverview|preserve|flow)\b|istanbul|c8 ignore|biome-ignore|copyright|licen[cs]ed?\b|spdx|generated/i
const LONGEST = 25
/** Lines of a definition in Python. */
const LONGEST_HEAD = 12

/** The words of the comment above a definition, or of the docstring under it. */
export function readDoc(excerpt: Excerpt, line: number): Comment | undefined {
  const lineAt = (number: number): string => excerpt.lines[number - excerpt.first] ?? ''
  if (isPythonPath(excerpt.path)) {
    let end = line
    while (
      end < line + LONGEST_HEAD &&
      !/:$/.test(
        lineAt(end)
          .replace(/#[\s\S]*$/, '')
          .trimEnd(),
      )
    )
      end++
    return /^\s*[rub]{0,2}(?:"""|''')/i.test(lineAt(end + 1)) ? readWords(excerpt, end + 1) : undefined
  }
  let from = line - 1
  while (/^\s*@\w/.test(lineAt(from))) from--
  // an empty line may stand between a comment of that form and what it is about
  if (lineAt(from).trim() === '' && /\*\/\s*$/.test(lineAt(from - 1))) from--
  if (/\*\/\s*$/.test(lineAt(from))) while (from > excerpt.first && !/^\s*\/\*/.test(lineAt(from))) from--
  else while (/^\s*\/\//.test(lineAt(from - 1)) && /^\s*\/\//.test(lineAt(from))) from--
  return BEGIN.test(lineAt(from)) ? readWords(excerpt, from, line - 1) : undefined
}

/** The first sentence of the comment or docstring that a file begins with; none of a licence. */
export function readTopComment(excerpt: Excerpt): Comment | undefined {
  const first = numbered(excerpt).find(({ text }) => !/^\s*(?:$|#!|["']use strict)/.test(text))
  const found = first && BEGIN.test(first.text) ? readWords(excerpt, first.line) : undefined
  const text = found?.text.replace(/([.!?])\s.*$/s, '$1') ?? ''
  return found && text.split(' ').length >= 3 ? { ...found, text } : undefined
}

/** What a file says of itself: a document by its first sentence, code by the comment that it begins with. */
export function introduceFile(excerpt: Excerpt): { text: string; cite: Cite } | undefined {
  if (!isSourcePath(excerpt.path)) return readIntroduction(excerpt, 1)[0]
  const comment = readTopComment(excerpt)
  return comment && { text: comment.text, cite: at(excerpt.path, comment.from, comment.to) }
}

/** The first paragraph of a comment that begins on a line. */
function readWords(excerpt: Excerpt, begin: number, last = begin + LONGEST): Comment | undefined {
  const words: { line: number; text: string }[] = []
  // a comment of one line ends where the next is none
  const isLine = /^\s*(?:\/\/|#)/.test(excerpt.lines[begin - excerpt.first] ?? '')
  for (const { line, text } of numbered(excerpt).filter((one) => one.line >= begin && one.line <= last)) {
    if (isLine && !BEGIN.test(text)) break
    const plain = text.trimEnd().replace(MARK, '').replace(END, '').trim()
    const isSaying = /\p{L}/u.test(plain) && !plain.startsWith('@')
    if (isSaying) words.push({ line, text: plain })
    const isClosed = END.test((line === begin ? text.replace(MARK, '') : text).trimEnd())
    if (isClosed || (!isSaying && words.length > 0)) break
  }
  const said = words.map(({ text }) => text).join(' ')
  const [from, to] = [words[0]?.line, words.at(-1)?.line]
  return from === undefined || to === undefined || DULL.test(said) ? undefined : { text: said, from, to }
}
