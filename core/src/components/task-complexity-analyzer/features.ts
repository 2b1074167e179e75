/** The features of a task, each in [0, 1], read from its words alone. */
import type { Task } from '../../contracts/stages/task.ts'
import { decompose } from '../../text/task/decompose.ts'
import { kindOf } from '../../text/task/verbs.ts'
import {
  AMBIGUOUS_WORDS,
  CONSTRAINT,
  DOMAIN,
  effortOf,
  OUTPUT,
  PRODUCT,
  REASONING,
  SCOPE,
  TOOL_KINDS,
} from './lexicon.ts'

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
  /** Parts that can be done apart from each other, at least 1: items of a list, or what a model has found. */
  readonly items: number
  /** Whether anything is to be done: without it a text is a question or a story. */
  readonly isRequest: boolean
  /** Words that leave something open, each once, in order. */
  readonly ambiguous: readonly string[]
  /** Number of words. */
  readonly words: number
}

/** Two questions, or a second request behind "and" or "also": says that there is more than one part, not where they lie. */
const SECOND_REQUEST =
  /\?[^?]*\?|\b(?:and|also)\s+(?:then\s+|also\s+|please\s+)?(?:book|buy|calculate|check|compute|convert|create|describe|determine|estimate|explain|fetch|find|get|give|list|make|order|play|predict|recommend|retrieve|search|send|show|summari[sz]e|tell|translate|what|who|which|how|write)\b/i
/** From this figure on ("the 40 interviews") there is much to go through. */
const MANY = 12
/** "with login, payment and an admin page" names three things that the result has to have. */
const CONDITIONS = /\b(?:with|including|covering)\s([^.?!\n]{1,200})/i

/** Grows from 0 towards 1 and is one half at `half`. */
const saturate = (amount: number, half: number): number => 1 - 2 ** (-Math.max(0, amount) / half)

/** Reads a task. */
export function read({ description, tools, contextTokens = 0 }: Task): Reading {
  const all = description.toLowerCase().match(/\p{L}[\p{L}\p{N}'’-]*/gu) ?? []
  const different = [...new Set(all)]
  const count = (known: ReadonlySet<string>): number => different.filter((word) => known.has(word)).length
  const numbers = description.match(/\d[\d.,]*/g) ?? []
  const largest = Math.max(
    0,
    ...numbers
      .filter((number) => number.length < 7)
      .map(Number)
      .filter(Number.isFinite),
  )
  const ambiguous = different.filter((word) => AMBIGUOUS_WORDS.has(word))

  const { parts, by, verbs } = decompose(description)
  const instructions = verbs.filter((verb) => verb !== 'ask')
  const isRequest = parts.length > 1 || instructions.length > 0
  const waiting = parts.filter(({ dependsOn }) => dependsOn.length > 0).length
  const apart = parts.length - waiting
  const effort = instructions.reduce((sum, verb) => sum + effortOf(verb), 0)
  // Making and changing things goes over all that is named; looking things up does not.
  const isBig = instructions.some((verb) => effortOf(verb) >= (kindOf(verb) === 'find' ? 3 : 1))
  const makes = instructions.some((verb) => kindOf(verb) === 'make' || effortOf(verb) >= 3)
  const conditions = makes ? (CONDITIONS.exec(description)?.[1]?.split(/,\s+|\sand\s/).length ?? 0) : 0
  const calculation = numbers.length >= 2 && description.includes('?') ? 0.5 + numbers.length / 6 : 0
  const toolKinds = tools?.length ?? TOOL_KINDS.filter((kind) => count(kind) > 0).length
  const much = count(SCOPE) + (largest >= MANY && isBig ? 1 : 0)
  const some = Math.max(apart, SECOND_REQUEST.test(description) ? 2 : 1)
  const gate = isRequest ? 1 : 0
  const features: Features = {
    steps: gate * saturate(effort - 0.5 + conditions / 2, 3),
    reasoning: saturate(count(REASONING) + calculation, 2),
    breadth: 0.85 * saturate(some - 1, 1),
    tools: Math.min(1, Math.log2(1 + toolKinds) / Math.log2(17)),
    output: gate * saturate((isBig ? 2 * count(PRODUCT) : 0) + count(OUTPUT) / 2, 2),
    constraints: saturate(count(CONSTRAINT) + conditions, 4),
    domain: saturate(count(DOMAIN), 2),
    context: Math.min(1, Math.log10(1 + (all.length + contextTokens * 0.75 + 300 * gate * much) / 60) / 1.6),
    ambiguity: saturate(ambiguous.length, 2),
    seq: gate * saturate(waiting, 2),
  }
  return { features, items: by === 'list' ? apart : 1, isRequest, ambiguous, words: all.length }
}
