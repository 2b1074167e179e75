import type { PlanStep } from '../../contracts/index.ts'
import { findJson, toSentences } from '../../text/index.ts'
import { PART_OF } from '../../text/task/decompose.ts'
import { clip, oneLine } from './clip.ts'

/** Something that an output was to have and has not, with what was found instead. */
export interface FailedCheck {
  /** The sentence that was to hold. */
  check: string
  /** What was found instead. */
  evidence: string
}

/** Says what a step's output lacks; an empty list when nothing. */
export type StepCheck = (step: PlanStep, output: string) => readonly FailedCheck[] | Promise<readonly FailedCheck[]>

const MAX_NAME = 200

/** The acceptance of an answer that has a place for a part of the task. */
export const coverageOf = ({ id, objective }: Pick<PlanStep, 'id' | 'objective'>): string =>
  `covers ${id}: ${clip(oneLine(objective.split(PART_OF)[0] ?? ''), MAX_NAME)}`

/** The step that such an acceptance is about; `undefined` for any other. */
export const coveredBy = (acceptance: string): string | undefined => /^covers (\S{1,200}): /.exec(acceptance)?.[1]

const BOUND =
  /\b(at most|no more than|fewer than|at least|more than|exactly)\s+(\d{1,6})\s+(words?|sentences?|lines?|characters?|items?|bullets?)\b/i
const NAMED =
  /\b(?:contains?|includes?|mentions?|names?|quotes?)\s(?:the (?:word|text|phrase|figure|name)s?\s)?["“`]([^"“”`]{1,200})["”`]/i
const JSON_WORD = /\bjson\b/i

/**
 * What of a step's acceptance and format its output fails, as far as a rule can tell: bounds ("at most 50 words"), quoted
 * words that it has to contain, and JSON. Sentences that no rule understands pass: the judge of the whole answer reads
 * them. The default acceptance, which only repeats the objective, is not checked.
 */
export function failedAcceptance({ acceptance, outputFormat = '' }: PlanStep, output: string): FailedCheck[] {
  const sentences = acceptance.filter((line) => !line.startsWith('answers: ') && coveredBy(line) === undefined)
  const format = outputFormat === '' ? [] : [outputFormat]
  return [...sentences, ...format].flatMap((check) => {
    const evidence = failureOf(check, output)
    return evidence === undefined ? [] : [{ check, evidence }]
  })
}

function failureOf(check: string, output: string): string | undefined {
  const bound = BOUND.exec(check)
  if (bound !== null) {
    const [, word = '', figure = '', unit = ''] = bound
    const count = countOf(unit.toLowerCase(), output)
    return holds(word.toLowerCase(), count, Number(figure)) ? undefined : `it has ${count} ${unit}`
  }
  const named = NAMED.exec(check)?.[1]
  if (named !== undefined && !/\bnot\b/i.test(check)) {
    return output.toLowerCase().includes(named.toLowerCase()) ? undefined : `"${named}" is not in it`
  }
  if (JSON_WORD.test(check) && /\b(?:valid|only|format|object|array|is|as)\b|^json$/i.test(check.trim())) {
    return findJson(output).value === undefined ? 'it is not JSON' : undefined
  }
  return undefined
}

function holds(word: string, count: number, figure: number): boolean {
  if (word === 'exactly') return count === figure
  if (word === 'at least') return count >= figure
  if (word === 'more than') return count > figure
  return word === 'fewer than' ? count < figure : count <= figure
}

function countOf(unit: string, text: string): number {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (unit.startsWith('character')) return text.trim().length
  if (unit.startsWith('line')) return lines.length
  if (unit.startsWith('item') || unit.startsWith('bullet')) {
    return lines.filter((line) => /^\s*(?:[-*•]|\d{1,3}[.)])\s/.test(line)).length
  }
  if (unit.startsWith('sentence')) return toSentences(text).length
  return text.split(/\s+/).filter((word) => word !== '').length
}
