/** The features of a task, each in [0, 1], read from its words alone. */
import type { Task } from '../../contracts/task.ts'
import {
  AMBIGUOUS_WORDS,
  CONSTRAINT_WORDS,
  DOMAIN_WORDS,
  OUTPUT_WORDS,
  PARALLEL_WORDS,
  REASONING_WORDS,
  SEQUENCE_WORDS,
  TOOL_WORDS,
} from './lexicon.ts'
import { isJoining, type Parts, toParts } from './parts.ts'
import { type Sentence, toSentences } from './tokens.ts'

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
  /** Number of distinct verbs that ask for work. */
  readonly verbs: number
  /** Words that leave something open, each once, in order. */
  readonly ambiguous: readonly string[]
  /** Number of words. */
  readonly words: number
}

/** Grows from 0 towards 1 and is one half at `half`. */
export const saturate = (amount: number, half: number): number => 1 - 2 ** (-Math.max(0, amount) / half)

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/** Reads a task. Linear in its length. */
export function read(task: Task): Reading {
  const sentences = toSentences(task.description)
  const parts = toParts(sentences)
  const words = sentences.flatMap(({ tokens }) => tokens.filter(({ kind }) => kind === 'word').map(({ text }) => text))
  const count = (lexicon: ReadonlySet<string>): number => countDistinct(words, lexicon)
  const verbs = new Set(parts.work.filter(({ counting }) => !counting).map(({ verb }) => verb))
  const repeats = parts.work.filter(({ counting }) => !counting).length - verbs.size
  const gate = parts.isRequest ? 1 : 0
  const ambiguous = [...new Set(words.filter((word) => Object.hasOwn(AMBIGUOUS_WORDS, word)))]
  const features: Features = {
    steps: gate * saturate(verbs.size - 1 + repeats / 2, 3),
    reasoning: saturate(count(REASONING_WORDS) + calculation(sentences), 2),
    breadth: gate * either(0.85 * saturate(parts.items - 1, 1), 0.5 * saturate(count(PARALLEL_WORDS), 2)),
    tools: Math.log2(1 + (task.tools?.length ?? countTools(words))) / Math.log2(17),
    output: gate * saturate(count(OUTPUT_WORDS) + (parts.items > 1 ? 2 * parts.work.filter(isJoining).length : 0), 2),
    constraints: saturate(count(CONSTRAINT_WORDS), 4),
    domain: saturate(count(DOMAIN_WORDS), 2),
    context: Math.log10(1 + (words.length + (task.contextTokens ?? 0) * 0.75) / 60) / 1.6,
    ambiguity: saturate(ambiguous.length, 2) + (words.length < 6 ? 0.3 : 0),
    seq: gate * saturate(countSequence(sentences, parts), 2),
  }
  for (const feature of FEATURES) features[feature] = clamp(features[feature])
  return { features, parts, verbs: verbs.size, ambiguous, words: words.length }
}

/** Either of two independent signs (noisy-or). */
const either = (a: number, b: number): number => 1 - (1 - a) * (1 - b)

function countDistinct(words: readonly string[], lexicon: ReadonlySet<string>): number {
  const found = new Set<string>()
  for (const word of words) if (lexicon.has(word)) found.add(word)
  return found.size
}

function countTools(words: readonly string[]): number {
  return Object.values(TOOL_WORDS).filter((lexicon) => words.some((word) => lexicon.has(word))).length
}

/** A question among two or more numbers is a calculation. */
function calculation(sentences: readonly Sentence[]): number {
  if (!sentences.some(({ question }) => question)) return 0
  const numbers = sentences.reduce((sum, { tokens }) => sum + tokens.filter(({ kind }) => kind === 'number').length, 0)
  return numbers >= 2 ? 0.5 + numbers / 6 : 0
}

/** Signs that one piece of work waits for another: "then", "until", "depends on", and objects that an earlier piece makes. */
function countSequence(sentences: readonly Sentence[], { work }: Parts): number {
  const asking = new Set(work.map(({ sentence }) => sentence))
  let signs = work.filter(({ dependent }) => dependent).length
  for (const index of asking) {
    const tokens = sentences[index]?.tokens ?? []
    for (let at = 0; at < tokens.length; at++) {
      const { text } = tokens[at] ?? { text: '' }
      if (SEQUENCE_WORDS.has(text)) signs++
      else if (/^(?:depends?|based|relies|building)$/.test(text) && /^(?:on|upon)$/.test(tokens[at + 1]?.text ?? ''))
        signs++
    }
  }
  return signs
}
