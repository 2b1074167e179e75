import { type Call, toPlainText } from '../../../text/calls/call.ts'
import { toTokens } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { fieldsOf } from '../rules/values.ts'

const LONGEST_ARGUMENT = 2_000
/** Of all pieces; what comes later of a long one cannot be quoted. */
const MOST_TEXT = 2_000_000
/** Signs that a reader is shown, about. */
const MOST_SHOWN = 24_000
/** Of more pieces the task and the last ones are shown. */
const MAX_SHOWN = 150
/** Of what was recalled, a record that no person has said. */
const REMEMBERED = /^- \[[\d-]{10}, (?!user, \w+\]).*$/gm

/** The task, the given texts and the calls of a run, as evidence. Results keep their line numbers. */
export const evidenceOf = (material: Material) =>
  material.once('evidence', () => {
    const { task, given, calls } = material
    const longest = Math.floor(MOST_TEXT / (1 + given.length + calls.length))
    const toItem = (head: string, all: string, call?: Call) => {
      const text = all.slice(0, longest)
      const bare = call === undefined || call.lastLine === 0 ? '' : call.text
      const remembered = call?.tool === 'recall' ? (call.text.match(REMEMBERED) ?? []) : []
      return {
        /** What was called and how it ended, or where the text comes from. */
        head,
        text,
        /** Both, as quotations are compared, with line numbers and without. */
        plain: [head, text, bare].map(toPlain).join(' '),
        /** Of it what the agent wrote or a model remembers, as quotations are compared. */
        own: toPlain([toPlainText(call?.args), ...remembered].join('\n')),
        call,
      }
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
    /** Words and numbers of all texts, and with those of the calls. */
    const shown = new Set(items.flatMap(({ text }) => toTokens(text)))
    const tokens = new Set([...shown, ...items.flatMap(({ head }) => toTokens(head))])
    return { items, shown, tokens, fields: fieldsOf(material) }
  })
export type Evidence = ReturnType<typeof evidenceOf>
export type EvidenceItem = Evidence['items'][number]

/** A text as quotations are compared: one space between words, straight quotation marks, lower case. */
export function toPlain(text: string): string {
  const straight = text.replace(/[“”„«»]/g, '"').replace(/[‘’]/g, "'")
  return straight.replace(/\s+/g, ' ').trim().toLowerCase()
}

/** Where a quotation leaves words out. */
export const LEFT_OUT = /\[?(?:…|\.{3})\]?|\[[^\]]{0,40}\]/

/** Whether words stand in a plain text, with others left out. */
export function isIn(words: string, plain: string): boolean {
  const parts = words.split(LEFT_OUT).map(toPlain).filter(Boolean)
  return parts.length > 0 && parts.every((part) => plain.includes(part))
}

/** All of the evidence, or of the longest pieces the lines that share most words with the statements. */
export function toShown({ items }: Evidence, statements: readonly string[]): { number: number; text: string }[] {
  const wanted = new Set(statements.flatMap(toTokens))
  let left = MOST_SHOWN
  return items
    .map(({ head, text }, index) => ({ number: index + 1, text: `${head}\n${text}` }))
    .filter(({ number }) => number === 1 || number > items.length - MAX_SHOWN)
    .sort((a, b) => a.text.length - b.text.length)
    .map(({ number, text }, index, { length }) => {
      const short = cut(text, Math.floor(left / (length - index)), wanted)
      left -= short.length
      return { number, text: short }
    })
    .sort((a, b) => a.number - b.number)
}

/** The first line, and of the others those that share most words with what is wanted. */
function cut(text: string, limit: number, wanted: ReadonlySet<string>): string {
  if (text.length <= limit) return text
  const [head = '', ...lines] = text
    .slice(0, limit * 50)
    .split('\n')
    .map((line) => line.slice(0, limit >> 1))
  const shares = lines.map((line) => toTokens(line).filter((token) => wanted.has(token)).length)
  let left = limit - head.length
  const kept = [...lines.entries()]
    .sort(([a], [b]) => (shares[b] ?? 0) - (shares[a] ?? 0))
    .filter(([, line]) => {
      left -= line.length + 1
      return left >= 0
    })
  return [head, ...kept.sort(([a], [b]) => a - b).map(([, line]) => line)].join('\n')
}
