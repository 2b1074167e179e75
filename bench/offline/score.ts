import type { Project } from './project.ts'

/** A question and how an answer to it is judged, by facts that were found without the provider. */
export interface Question {
  kind: string
  text: string
  right: (answer: string) => boolean
  /** Whether the answer states something false. */
  wrong: (answer: string) => boolean
}

export type Score = 'right' | 'nothing' | 'beside' | 'wrong'

/** Lines of an answer in which what was asked must stand to be of use. */
const HEAD_LINES = 25

export function score(question: Question, answer: string, project: Project): { score: Score; why: string } {
  const altered = findAltered(answer, project)
  if (altered !== undefined) return { score: 'wrong', why: `not verbatim: ${altered}` }
  if (question.wrong(answer)) return { score: 'wrong', why: 'states what is not so' }
  if (/^I could not answer this/.test(answer)) return { score: 'nothing', why: '' }
  if (question.right(answer.split('\n').slice(0, HEAD_LINES).join('\n'))) return { score: 'right', why: '' }
  if (/^I (?:found (?:no|nothing)|cannot|could not)\b/.test(answer)) return { score: 'nothing', why: '' }
  return { score: 'beside', why: '' }
}

/** The first quotation of several words that does not stand in the lines that it cites. */
function findAltered(answer: string, { files }: Project): string | undefined {
  for (const line of answer.split('\n')) {
    const cited = /\(([^()\s]+:\d[^()]*)\)$/.exec(line.trim())?.[1]
    if (cited === undefined) continue
    const source = cited
      .split(', ')
      .map((cite) => /^(.*):(\d+)(?:-(\d+))?$/.exec(cite))
      .map((match) => {
        const file = files.find(({ path }) => path === match?.[1])
        return file?.lines.slice(Number(match?.[2]) - 1, Number(match?.[3] ?? match?.[2]))
      })
    if (source.some((lines) => lines === undefined)) continue
    const lines = source.flatMap((own) => own ?? [])
    const texts = [lines, lines.map(withoutMarks)].map((own) => squeeze(own.join(' ').replaceAll('\\"', '"')))
    for (const match of line.matchAll(/"([^"]+)"|“([^”]+)”/g)) {
      const said = squeeze(match[1] ?? match[2] ?? '')
      if (said.split(' ').length > 2 && !texts.some((text) => text.includes(said))) return said.slice(0, 80)
    }
  }
  return undefined
}

/** A line without the marks of comments, lists and headings at its start. */
const withoutMarks = (line: string): string =>
  line
    .replace(/^\s*(?:\/\*\*?|\*\/|\*(?!\*)|\/\/+|#+|>|[-+]|\d+[.)]|"""|''')\s*/, '')
    .replace(/\s*(?:\*\/|"""|''')\s*$/, '')

export const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The numbers of a text, thousands separators taken out. */
export const numbersOf = (text: string): number[] =>
  (text.replace(/\([^()]*:\d+[^()]*\)/g, ' ').match(/-?\d+(?:,\d{3})*(?:\.\d+)?/g) ?? []).map((item) =>
    Number(item.replaceAll(',', '')),
  )

/** An index below `count` that depends on the text alone. */
export function pick(text: string, count: number): number {
  let value = 0x811c9dc5
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value % Math.max(1, count)
}

export const choose = <T>(items: readonly T[], by: string): T | undefined => items[pick(by, items.length)]
