import { type Call, toPlainText } from '../../../text/calls/call.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { ownWords } from '../rules/quotes.ts'
import { type Fields, fieldsOf } from '../rules/values.ts'

/** A piece of evidence that a reader may quote. */
export interface EvidenceItem {
  /** What was called and how it ended, or where the text comes from. */
  readonly head: string
  readonly text: string
  /** Both, as quotations are compared. */
  readonly plain: string
  /** Of it what the agent wrote or a model remembers, as quotations are compared. */
  readonly own: string
  readonly call: Call | undefined
}

export interface Evidence {
  readonly items: readonly EvidenceItem[]
  /** Words and numbers of all of them. */
  readonly tokens: ReadonlySet<string>
  /** Without those of the calls themselves. */
  readonly shown: ReadonlySet<string>
  readonly fields: Fields
}

/** What a reader is shown of a piece. */
export interface Shown {
  readonly number: number
  readonly text: string
}

const LONGEST_ARGUMENT = 2_000
/** Of all pieces; what comes later of a long one cannot be quoted. */
const MOST_TEXT = 2_000_000
/** Signs that a reader is shown, about. */
const MOST_SHOWN = 24_000
/** Of more pieces the task and the last ones are shown. */
const MAX_SHOWN = 150

/** The task, the given texts and the calls of a run, as evidence. Results keep their line numbers. */
export function toEvidence(material: Material): Evidence {
  const { task, given, calls } = material
  const longest = Math.floor(MOST_TEXT / (1 + given.length + calls.length))
  const toItem = (head: string, all: string, call?: Call): EvidenceItem => {
    const text = all.slice(0, longest)
    const own = call === undefined ? '' : toPlain(ownWords(call))
    return { head, text, plain: `${toPlain(head)} ${toPlain(text)}`, own, call }
  }
  const items = [
    toItem('the task itself', task.description),
    ...given.map((text) => toItem('given with the task', text)),
    ...calls.map((call) => {
      const { tool, args, value, printed, status, exitCode } = call
      const ended = exitCode === undefined ? status : `${status}, exit code ${exitCode}`
      const head = `${tool} ${JSON.stringify(args)?.slice(0, LONGEST_ARGUMENT) ?? ''}: ${ended}`
      return toItem(head, typeof value === 'object' ? toPlainText(value) : printed, call)
    }),
  ]
  const shown = new Set(items.flatMap(({ text }) => toTokens(text)))
  return {
    items,
    tokens: new Set([...shown, ...items.flatMap(({ head }) => toTokens(head))]),
    shown,
    fields: fieldsOf(material),
  }
}

/** A text as quotations are compared: one space between words, straight quotation marks, lower case. */
export const toPlain = (text: string): string =>
  text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()

/** All of the evidence, or of the longest pieces the lines that share most words with the statements. */
export function toShown({ items }: Evidence, statements: readonly string[]): Shown[] {
  const wanted = new Set(statements.flatMap(toTokens))
  const from = items.length - MAX_SHOWN
  const kept = items
    .map(({ head, text }, index) => ({ number: index + 1, text: `${head}\n${text}` }))
    .filter(({ number }) => number === 1 || number > from)
    .sort((a, b) => a.text.length - b.text.length)
  let left = MOST_SHOWN
  const shown = kept.map(({ number, text }, index) => {
    const short = cut(text, Math.floor(left / (kept.length - index)), wanted)
    left -= short.length
    return { number, text: short }
  })
  return shown.sort((a, b) => a.number - b.number)
}

/** The first line, and of the others those that share most words with what is wanted. */
function cut(text: string, limit: number, wanted: ReadonlySet<string>): string {
  if (text.length <= limit) return text
  const lines = text.slice(0, limit * 50).split('\n')
  const scored = lines.map((line, index) => {
    const shared = toTokens(line.slice(0, 2_000)).filter((token) => wanted.has(token)).length
    return { index, line: line.slice(0, limit >> 1), score: index === 0 ? Number.POSITIVE_INFINITY : shared }
  })
  let left = limit
  const kept = scored
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .filter(({ line }) => {
      left -= left < 0 ? 0 : line.length + 1
      return left >= 0
    })
  return kept
    .sort((a, b) => a.index - b.index)
    .map(({ line }) => line)
    .join('\n')
}
