/** The analysis in sentences, for people. */
import type { Task } from '../../contracts/stages/task.ts'
import type { Feature, Reading } from './features.ts'
import { AMBIGUOUS_WORDS } from './lexicon.ts'
import type { Choice } from './selection.ts'

export const MOST_QUESTIONS = 5

const MEANING: Readonly<Record<Feature, string>> = {
  steps: 'several kinds of work are asked for',
  reasoning: 'it calls for reasoning',
  breadth: 'it has parts that do not wait for each other',
  tools: 'it needs tools',
  output: 'it wants a made thing as its result',
  constraints: 'it sets conditions',
  domain: 'it belongs to a specialist field',
  context: 'there is much to read',
  ambiguity: 'it leaves things open',
  seq: 'its parts wait for each other',
}

const MEANINGFUL = Object.keys(MEANING) as Feature[]

/** Why the score is what it is, and why the topology was chosen. */
export function explain(
  task: Task,
  reading: Reading,
  contributions: Readonly<Record<string, number>>,
  score: number,
  choice: Choice,
): string[] {
  const sentences = [`The score is ${score.toFixed(2)}: ${toReasons(reading, contributions)}.`]
  const { items, isRequest, features } = reading
  if (!isRequest) sentences.push('It asks for no work that could be divided, only for an answer.')
  else if (items > 1) sentences.push(`It falls into ${items} parts that do not wait for each other.`)
  if (isRequest && features.seq >= 0.25) sentences.push('Some of its work waits for an earlier piece.')
  const [first, second] = choice.ranking
  if (first !== undefined && second !== undefined) {
    const worth = `${first.topology} is worth ${first.utility.toFixed(2)}, ${second.topology} ${second.utility.toFixed(2)}`
    sentences.push(
      choice.fallback === undefined
        ? `${choice.topology} is recommended: ${worth}.`
        : `${choice.topology} is recommended although ${worth}: ${choice.fallback}.`,
    )
  }
  if (task.riskLevel !== undefined && task.riskLevel !== 'low') {
    sentences.push(`The risk is ${task.riskLevel}, which bears on the topology and on checking, not on the score.`)
  }
  return sentences
}

function toReasons({ features }: Reading, contributions: Readonly<Record<string, number>>): string {
  const strongest = MEANINGFUL.filter((feature) => (contributions[feature] ?? 0) >= 0.005)
    .sort((a, b) => (contributions[b] ?? 0) - (contributions[a] ?? 0))
    .slice(0, 3)
  if (strongest.length === 0) return 'nothing in its wording makes it hard'
  return strongest.map((feature) => `${MEANING[feature]} (${feature} ${features[feature].toFixed(2)})`).join(', ')
}

/** What a person would have to say before the task is clear; at most five questions. */
export function toOpenQuestions({ description }: Task, { ambiguous, isRequest, words }: Reading): string[] {
  const questions = ambiguous.map((word) => AMBIGUOUS_WORDS.get(word) ?? '')
  const verb = OPEN_OBJECT.exec(description)?.[1]
  if (verb !== undefined && words < 12)
    questions.unshift(`What does the object of "${verb.toLowerCase()}" refer to? Nothing before it says so.`)
  else if (words > 0 && words < 3 && isRequest) questions.unshift('What exactly should it be applied to?')
  return questions.slice(0, MOST_QUESTIONS)
}

/** "Fix it" */
const OPEN_OBJECT = /^\s*(?:please\s+)?(\p{L}+)\s+(?:it|them|this|that)\b/iu
