import type { Answered, TaskInput } from '../design/experiment-schema.ts'

/** An answer that is to be scored. */
export interface Scorable extends Answered {
  input: TaskInput
  /** The folder that the run worked in, where it had a copy of its own. */
  workspace: string | undefined
  signal: AbortSignal
}

/** What a scorer found. */
export interface Score {
  /** 0 to 1. */
  score: number
  evidence?: string
  /** What a judge took, apart from the run. */
  judge?: { inputTokens: number; outputTokens: number; costUsd: number | null }
}

/** Scores answers. */
export interface Scorer {
  /** In words, such as `contains, ignoring case`. */
  readonly about: string
  /** `provider/model` that it asks; absent: none, or that of the base. */
  readonly model?: string | undefined
  /** Whether trying it costs something: it is then not tried on every task before the first run. */
  readonly isCostly?: boolean
  /** What is wrong with a task, or undefined. */
  check(task: TaskInput): string | undefined
  score(answered: Scorable): Score | Promise<Score>
  close?(): Promise<void>
}

const LONGEST_EVIDENCE = 300

/** A piece of a text, short enough for a report. */
export const clip = (text: string): string =>
  text.length > LONGEST_EVIDENCE ? `${text.slice(0, LONGEST_EVIDENCE - 3)}...` : text

/** What an answer says: its structured output as JSON, else its text. */
export const answerOf = ({ result: { output, summary } }: Pick<Answered, 'result'>): string =>
  output === undefined ? summary : typeof output === 'string' ? output : JSON.stringify(output)

/** Texts that a task expects: one or several. */
export const textsOf = (expected: unknown): string[] | undefined => {
  const list = Array.isArray(expected) ? expected : [expected]
  const texts = list.flatMap((item) =>
    typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean' ? [String(item)] : [],
  )
  return texts.length === list.length && texts.length > 0 && texts.every((text) => text.trim() !== '')
    ? texts
    : undefined
}
