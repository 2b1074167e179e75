/** What a sentence of a task asks for. */
import { AUXILIARIES, BOUND, kindOf, LEADS, QUESTION_WORDS } from './verbs.ts'

/** The words of a text in lower case, punctuation at the edges taken off. */
export const plainWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+/u, '').replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, ''))
    .filter((word) => word !== '')

/** The first of them; empty where there is none. */
const firstPlainWord = (text: string): string =>
  (/[\p{L}\p{N}]\S*/u.exec(text)?.[0] ?? '').toLowerCase().replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, '')

/** How a request is wrapped politely; the verb stands behind. */
const FRAME =
  /^(?:(?:can|could|would|will) you(?: please| kindly| also)?(?: help me(?: to)?)?|(?:i|we)(?: also| would|'d)?(?: would)? (?:want|need|like|wish)(?: you)?(?: also)? to|help me(?: to)?|you (?:need|have) to|your (?:task|job) is to)\s+(?=\S)/i

/** A request without its polite words: "Could you please find X?" is "find X?". */
export function withoutFrame(sentence: string): string {
  const words = sentence.trimStart().split(/(?<=\s)(?=\S)/)
  const first = words.findIndex((word) => !LEADS.has(firstPlainWord(word)))
  return first === -1 ? sentence : words.slice(first).join('').replace(FRAME, '')
}

/** The verb that a sentence starts with when it is an instruction, polite words and words such as "then" left aside. */
export function imperativeOf(sentence: string): string | undefined {
  const verb = firstPlainWord(withoutFrame(sentence.slice(0, 200)))
  return kindOf(verb) === undefined ? undefined : verb
}

export const isQuestion = (sentence: string): boolean => sentence.trimEnd().endsWith('?')

/** Whether a text opens like a question, with or without its mark. */
export function opensQuestion(text: string): boolean {
  const [first = '', second = ''] = plainWords(text.slice(0, 100)).filter((word) => !LEADS.has(word))
  return QUESTION_WORDS.has(first) && (AUXILIARIES.has(second) || /^(?:many|much|long|far|old|tall|big)$/.test(second))
}

/** Whether a sentence limits other work: its form, its length, its bounds. */
export const isBound = (sentence: string): boolean => BOUND.test(sentence.trim())

/** Whether a sentence asks for work, not only limits it ("Use at most 100 words."). */
export const isRequirement = (sentence: string): boolean =>
  isQuestion(sentence) || (imperativeOf(sentence) !== undefined && !isBound(sentence))

/** What stands at the start of what a verb is done to: "the exports", "README.md", but not "and build scripts". */
const OBJECT =
  /^(?:(?:the|an?|all|each|every|any|some|its|their|his|her|it|them|this|that|these|those|what|which|how|why|whether|whom?|for|up|at|my|our|your|one|two|three|me|us)\b|[\p{Lu}\p{N}"'`“./\ue100-\ue107]|\w[\w-]*[./]\w)/u
const JOINT = /;\s+|(?:,|(?<!\s))\s+(?:and\s+)?then\s+|,\s+(?:and\s+|but\s+)?|(?<!\s)\s+and\s+/gi

/**
 * The instructions inside one sentence: cut at `;`, at `then`, and at `and` or a comma before a verb with an object
 * ("list the exports and explain why they exist", but not "list the test and build scripts").
 */
export function toClauses(sentence: string): string[] {
  const clauses: string[] = []
  let start = 0
  for (const { 0: joint, index } of sentence.matchAll(JOINT)) {
    const rest = sentence.slice(index + joint.length, index + joint.length + 100)
    const isMarked = /;|then/i.test(joint)
    if (!opensQuestion(rest) && !opensInstruction(rest, isMarked)) continue
    const clause = sentence.slice(start, index)
    if (imperativeOf(clause) === undefined && !opensQuestion(clause)) continue
    // "Read and summarise notes.md": a verb without an object shares that of the next one.
    if (plainWords(withoutFrame(clause)).length < 2) continue
    clauses.push(clause.trim())
    // The word `then` stays with what it introduces: it says that the clause waits.
    start = index + (/then/i.test(joint) ? joint.search(/then/i) : joint.length)
  }
  return [...clauses, sentence.slice(start).trim()]
}

function opensInstruction(rest: string, isMarked: boolean): boolean {
  const plain = withoutFrame(rest)
  const [verb = '', ...behind] = plain.split(/\s+/)
  return /^[a-z]/.test(verb) && imperativeOf(plain) !== undefined && (isMarked || OBJECT.test(behind.join(' ')))
}
