/** The features of a task, each in [0, 1], read from its words alone. */
import type { Task } from '../../contracts/task.ts'
import { decompose } from '../../text/task/decompose.ts'
import { kindOf } from '../../text/task/verbs.ts'
import { effortOf, SIGN, TOOL_SIGNS } from './lexicon.ts'
import { type Parts, soundsLikeSeveral, toParts } from './parts.ts'
import { scan } from './scan.ts'

/** What a task is measured by. `seq` bears on the topology alone, never on the score. */
export const FEATURES = [
  'steps',
  'reasoning',
  'breadth',
  'tools',
  'output',
  'constraints',
  'domain',
  'context',
  'ambiguity',
  'seq',
] as const
export type Feature = (typeof FEATURES)[number]
export type Features = Record<Feature, number>

/** Features and what they were read from. */
export interface Reading {
  readonly features: Features
  readonly parts: Parts
  /** Words that leave something open, each once, in order. */
  readonly ambiguous: readonly string[]
  /** Number of words. */
  readonly words: number
}

/** Grows from 0 towards 1 and is one half at `half`. */
export const saturate = (amount: number, half: number): number => 1 - 2 ** (-Math.max(0, amount) / half)

const clamp = (value: number): number => Math.min(1, Math.max(0, value))
/** From this figure on ("the 40 interviews") there is much to go through. */
const MANY = 12
const CONDITIONS = /\b(?:with|including|covering)\s([^.?!\n]{1,200})/i

/** Reads a task. Linear in its length. */
export function read(task: Task): Reading {
  const { description, tools, contextTokens = 0 } = task
  const { words, numbers, largest, signs, count, ambiguous } = scan(description)
  const parts = toParts(decompose(description))
  const gate = parts.isRequest ? 1 : 0
  const effort = parts.verbs.reduce((sum, verb) => sum + (verb === 'ask' ? 0 : effortOf(verb)), 0)
  // Making and changing things goes over all that is named; looking things up does not.
  const isBig = parts.verbs.some((verb) => verb !== 'ask' && effortOf(verb) >= (kindOf(verb) === 'find' ? 3 : 1))
  const makes = parts.verbs.some((verb) => verb !== 'ask' && (kindOf(verb) === 'make' || effortOf(verb) >= 3))
  const conditions = makes ? countConditions(description) : 0
  const calculation = numbers >= 2 && description.includes('?') ? 0.5 + numbers / 6 : 0
  const toolKinds = tools?.length ?? TOOL_SIGNS.filter((sign) => (signs & sign) !== 0).length
  const much = gate * (count(SIGN.scope) + (largest >= MANY && isBig ? 1 : 0))
  const features: Features = {
    steps: clamp(gate * saturate(effort - 0.5 + conditions / 2, 3)),
    reasoning: clamp(saturate(count(SIGN.reasoning) + calculation, 2)),
    breadth: clamp(0.85 * saturate((parts.items === 1 && soundsLikeSeveral(description) ? 2 : parts.items) - 1, 1)),
    tools: clamp(Math.log2(1 + toolKinds) / Math.log2(17)),
    output: clamp(gate * saturate((isBig ? 2 * count(SIGN.product) : 0) + count(SIGN.output) / 2, 2)),
    constraints: clamp(saturate(count(SIGN.constraint) + conditions, 4)),
    domain: clamp(saturate(count(SIGN.domain), 2)),
    context: clamp(Math.log10(1 + (words + contextTokens * 0.75 + 300 * much) / 60) / 1.6),
    ambiguity: clamp(saturate(ambiguous.length, 2)),
    seq: clamp(gate * saturate(parts.waits, 2)),
  }
  return { features, parts, ambiguous, words }
}

/** "with login, payment and an admin page" names three things that the result has to have. */
function countConditions(text: string): number {
  const list = CONDITIONS.exec(text)?.[1]
  return list === undefined ? 0 : list.split(/,\s+(?:and\s+)?|(?<!\s)\s+and\s+/).length
}
