import { parseJson } from '../../../text/calls/call.ts'
import { toSentences } from '../../../text/sentences.ts'
import { toCells } from '../evidence/rows.ts'
import { toTokens } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { withoutQuotes } from '../told/language.ts'

/** One thing that an answer says, or a leaf of a structured answer. */
export interface Statement {
  /** As the answer words it, a cell of a table with its heading, a leaf as `path: value`. */
  readonly text: string
  /** What it tells in its own words, without those that it quotes; empty for a leaf, a block, a quotation and a very long text. */
  readonly told: string
  /** The heading and the introduction that it stands under. */
  readonly under: string
  /** Of a leaf: its path and value. */
  readonly leaf?: { readonly path: readonly string[]; readonly value: unknown }
  /** Of a fenced block: its lines. */
  readonly block?: readonly string[]
}

/** A statement as a reader is shown it: with the heading and introduction that it stands under. */
export const withHeading = ({ text, under }: Statement): string =>
  /[\p{L}\p{N}]/u.test(under) ? `[under "${under.replace(/[#*_\s]+/g, ' ').trim()}"] ${text}` : text

/** Statements beyond are open. */
export const MAX_STATEMENTS = 10_000
const LONGEST_TOLD = 2_000

const LIST_MARK = /^\s*(?:[-*•+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/
/** Headings, rulers, and lines that introduce others. */
const FRAME = /^(?:#{1,6}\s|[|:\s*_=-]+$|\*\*[^*.!?。]{1,80}\*\*$)|[:：]\s?(?:\*\*|__)?$/
const ROW = /^\s*\|.+\|\s*$/
const QUESTION = /[?？]["'”’)]?$/

/** What an answer says, piece by piece: sentences, items, rows of tables, fenced blocks, leaves of a structured answer. */
export const statementsOf = (material: Pick<Material, 'output' | 'prose' | 'data' | 'once'>): readonly Statement[] =>
  material.once('statements', () => toStatements(material))

function toStatements({ output, prose, data }: Pick<Material, 'output' | 'prose' | 'data'>): Statement[] {
  const structured = data ?? parseWhole(output)
  if (structured !== undefined) return toLeaves(structured)
  const statements: Statement[] = []
  let head: string[] | undefined
  let [heading, intro, isListed] = ['', '', false]
  const lines = prose.split('\n')
  for (const [index, line] of lines.entries()) {
    if (statements.length >= MAX_STATEMENTS) break
    const cells = ROW.test(line) ? toCells(line, '|') : undefined
    if (cells === undefined) head = undefined
    else if (/^[\s|:-]+$/.test(lines[index + 1] ?? '')) {
      head = cells
      continue
    }
    if (FRAME.test(line.trim())) {
      if (/^#/.test(line)) [heading, intro] = [line, '']
      else if (/[\p{L}\p{N}]/u.test(line)) [intro, isListed] = [line, false]
      continue
    }
    // What introduces a list says nothing of what comes behind it.
    const isItem = cells !== undefined || LIST_MARK.test(line) || /^\s/.test(line)
    if (isListed && !isItem && line !== '') intro = ''
    isListed ||= isItem
    const row = cells?.map((cell, at) => (head?.[at] ? `${head[at]}: ${cell}` : cell)).join(' | ')
    const told = row === undefined ? toSaid(line) : [toTold(row)]
    statements.push(...told.map((one) => ({ ...one, under: `${heading}\n${intro}` })))
  }
  statements.push(...toBlocks(output))
  // A bare value answers the task.
  return statements.length === 0 && /[\p{L}\p{N}]/u.test(output) ? [toTold(output.trim())] : statements
}

const toStatement = (text: string, more: Partial<Statement> = {}): Statement => ({ text, told: '', under: '', ...more })
const toTold = (text: string): Statement =>
  toStatement(text, text.startsWith('>') || text.length > LONGEST_TOLD ? {} : { told: withoutQuotes(text) })

/** Whether it is what others have said, or what was asked for, and answers nothing by itself. */
export const isContent = ({ text, block }: Pick<Statement, 'text' | 'block'>): boolean =>
  block !== undefined || text.startsWith('>')

function toBlocks(output: string): Statement[] {
  const fenced = output.split('```', 2 * MAX_STATEMENTS).filter((_, index) => index % 2 === 1)
  const blocks = fenced.map((text) => text.split('\n').filter((line, at) => at > 0 && line.trim() !== ''))
  return blocks.flatMap((block) => (block.length > 0 ? [toStatement(block.slice(0, 3).join('\n'), { block })] : []))
}

/** The sentences of a line; a block quotation stays whole, and an item of a list that is one word is one. */
function toSaid(line: string): Statement[] {
  const item = line.replace(LIST_MARK, '')
  const isWord = item !== line && !/[\s?？]/.test(item.trim()) && /[\p{L}\p{N}]/u.test(item)
  const said = line.startsWith('>') ? [line] : isWord ? [item.trim()] : toSentences(item).filter(says)
  return said.map(toTold)
}

/** "Yes.", "Done!" and questions state nothing that could be held. */
function says(text: string): boolean {
  if (QUESTION.test(text)) return false
  return /\d|[`"“„«「]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) || toTokens(text).length > 1
}

/** The value of an answer that is JSON and nothing else, in a fence or without. */
function parseWhole(output: string): object | undefined {
  const value = parseJson(output.trim().replace(/^```(?:json)?\s([\s\S]*)```$/, '$1'))
  return typeof value === 'object' && value !== null ? value : undefined
}

function toLeaves(structured: unknown): Statement[] {
  const found: Statement[] = []
  const walk = (value: unknown, path: readonly string[]): void => {
    if (found.length >= MAX_STATEMENTS || path.length > 40) return
    const put = (said: string, more?: Partial<Statement>): unknown =>
      found.push(toStatement(`${path.join('.')}: ${said}`, more))
    if (typeof value !== 'object' || value === null) return void put(String(value), { leaf: { path, value } })
    if (Array.isArray(value)) put(toListed(value))
    for (const [key, item] of Object.entries(value)) walk(item, [...path, key])
  }
  walk(structured, [])
  return found
}

/** That a list has these items says that it has no others. */
const toListed = (items: readonly unknown[]): string =>
  items.some((item) => typeof item === 'object')
    ? `${items.length} items, none left out`
    : `${items.join(', ') || 'none'} (${items.length} in all, none left out)`
