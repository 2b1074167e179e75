import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { estimateTokens, type ModelAnswer, type Ports, toText } from '@svc/core'

/** What a careful person read of a statement: `held` or `refuted`, `<number of a piece>: <its words>`, `= <a working>`. */
type Reading = readonly [verdict: string, ...words: string[]]
/** The readings of a case by statement; those left open are absent. */
export type CaseReadings = Readonly<Record<string, Reading>>

const FIGURE = /\d+(?:\.\d+)?/g
const CONTROL = /^\[(\d+)\] has the words: (.*)$/

/** The readings of an author's cases, by case. */
export const readReadings = (author: string): Readonly<Record<string, CaseReadings>> =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'readings', `${author}.json`), 'utf8')) as Record<
    string,
    CaseReadings
  >

/** A piece of the evidence as the reader is shown it. */
export interface Piece {
  readonly number: number
  readonly text: string
}
/** What a reader says of each statement, in their order. */
export type Answers = (statements: readonly string[], pieces: readonly Piece[]) => readonly object[]

/** The ports of a run whose model is a reader that gives these answers. */
export function readerPorts(answers: Answers, onAsked?: (tokens: number, statements: number) => void): Ports {
  const model = async ({ messages }: Parameters<Ports['model']>[0]): Promise<Partial<ModelAnswer>> => {
    const prompt = messages.map(({ content }) => toText(content)).join('\n')
    const [evidence = '', asked = ''] = prompt
      .slice(prompt.indexOf('<evidence>\n') + 11)
      .split('\n</evidence>\n\n<statements>\n')
    const pieces = evidence.split(/\n\n(?=\[\d+\] )/).map((text) => {
      const [mark = '', number = ''] = /^\[(\d+)\] /.exec(text) ?? []
      return { number: Number(number), text: text.slice(mark.length) }
    })
    const lines = (asked.split('\n</statements>')[0] ?? '').split('\n')
    const statements = lines.map((line) => line.replace(/^\d+\. (?:\[under ".*?"\] )?/, ''))
    const inputTokens = estimateTokens(prompt)
    onAsked?.(inputTokens, statements.length)
    const readings = answers(statements, pieces).map((said, index) => ({ statement: index + 1, ...said }))
    return { text: JSON.stringify({ readings }), usage: { inputTokens, outputTokens: 0, estimated: true } }
  }
  return { model, budget: { remaining: () => Number.POSITIVE_INFINITY, exhausted: false } } as unknown as Ports
}

/**
 * Answers as a careful person did who read the evidence of a case. Of a statement that only had a figure changed it says that
 * the words which held it refute it.
 */
export function carefulAnswers(readings: CaseReadings): Answers {
  const byText = new Map(Object.entries(readings).map(([text, reading]) => [flat(text), reading]))
  return (statements, pieces) =>
    statements.map((text) => {
      const known = readControl(text, pieces)
      if (known !== undefined) return known
      const reading = byText.get(text)
      if (reading !== undefined) return toJson(reading, reading[0])
      const before = [...byText].find(([other]) => !statements.includes(other) && blank(other) === blank(text))?.[1]
      return before === undefined ? { verdict: 'open' } : toJson(before, 'refuted')
    })
}

/** The right answer to a statement on the words of a piece. */
export function readControl(
  text: string,
  pieces: readonly Piece[],
): { verdict: 'held' | 'refuted'; quotes: { evidence: number; words: string }[] } | undefined {
  const [, number, line] = CONTROL.exec(text) ?? []
  if (number === undefined || line === undefined) return undefined
  const isThere = pieces.some((piece) => piece.number === Number(number) && flat(piece.text).includes(line))
  return isThere
    ? { verdict: 'held', quotes: [{ evidence: Number(number), words: line }] }
    : { verdict: 'refuted', quotes: [] }
}

export const toQuotes = ([, ...words]: Reading): { evidence: number; words: string }[] =>
  words.flatMap((word) => {
    const at = word.indexOf(': ')
    return word.startsWith('= ') ? [] : [{ evidence: Number(word.slice(0, at)), words: word.slice(at + 2) }]
  })
const toJson = (reading: Reading, verdict: string): object => ({
  verdict,
  quotes: toQuotes(reading),
  working: reading.flatMap((word) => (word.startsWith('= ') ? [word.slice(2)] : [])),
})
const flat = (text: string): string => text.replace(/\s+/g, ' ')
const blank = (text: string): string => text.replace(FIGURE, '#')
