import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { estimateTokens, type ModelAnswer, type Ports, toText } from '@svc/core'

/** What a careful person read of a statement: `[number of the piece, its words]`. */
interface Reading {
  readonly verdict: 'held' | 'refuted'
  readonly quotes: readonly (readonly [evidence: number, words: string])[]
  readonly working?: readonly string[]
}
/** The readings of a case by statement; those left open are absent. */
export type CaseReadings = Readonly<Record<string, Reading>>

const FIGURE = /\d+(?:\.\d+)?/g
const CONTROL = /^\[\d+\] has the words: (.*)$/

/** The readings of an author's cases, by case. */
export const readReadings = (author: string): Readonly<Record<string, CaseReadings>> =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'readings', `${author}.json`), 'utf8')) as Record<string, CaseReadings>

/**
 * A model that answers as a careful person did who read the evidence of a case. Of a statement that only had a figure changed
 * it says that the words which held it refute it.
 *
 * @param onAsked gets the tokens of the prompt and the number of statements
 */
export function scriptedReader(readings: CaseReadings, onAsked?: (tokens: number, statements: number) => void): Ports {
  const byText = new Map(Object.entries(readings).map(([text, reading]) => [flat(text), reading]))
  const model = async ({ messages }: Parameters<Ports['model']>[0]): Promise<Partial<ModelAnswer>> => {
    const prompt = messages.map(({ content }) => toText(content)).join('\n')
    const [evidence = '', asked = ''] = prompt.split('\n<statements>\n')
    const statements = (asked.split('\n</statements>')[0] ?? '').split('\n').map((line) => line.replace(/^\d+\. /, ''))
    const inputTokens = estimateTokens(prompt)
    onAsked?.(inputTokens, statements.length)
    const found = statements.map((text, index) => ({ statement: index + 1, ...read(text, flat(evidence), statements, byText) }))
    return { text: JSON.stringify({ readings: found }), usage: { inputTokens, outputTokens: 0, estimated: true } }
  }
  return { model, budget: { remaining: () => Number.POSITIVE_INFINITY, exhausted: false } } as unknown as Ports
}

function read(text: string, evidence: string, all: readonly string[], byText: ReadonlyMap<string, Reading>): object {
  const line = CONTROL.exec(text)?.[1]
  if (line !== undefined) {
    if (!evidence.includes(line)) return { verdict: 'refuted', quotes: [] }
    return { verdict: 'held', quotes: [{ evidence: Number(/\d+/.exec(text)?.[0]), words: line }] }
  }
  const reading = byText.get(text)
  if (reading !== undefined) return toJson(reading, reading.verdict)
  const before = [...byText].find(([other]) => !all.includes(other) && blank(other) === blank(text))?.[1]
  return before === undefined ? { verdict: 'open' } : toJson(before, 'refuted')
}

const toJson = ({ quotes, working }: Reading, verdict: Reading['verdict']): object => ({
  verdict,
  quotes: quotes.map(([evidence, words]) => ({ evidence, words })),
  ...(working && { working }),
})
const flat = (text: string): string => text.replace(/\s+/g, ' ')
const blank = (text: string): string => text.replace(FIGURE, '#')
