import type { PlanStep, RunEvent } from '../../contracts/index.ts'

/** A statement of an output that the log of the run refutes. */
export interface Refutation {
  /** The words of the output; empty where no single place says it. */
  text: string
  /** What the log shows instead. */
  evidence: string
}

/** What a step is judged by: its output and what its agent had in hand. */
export interface StepRecord {
  step: PlanStep
  output: string
  /** Events of the step, and of the steps that it builds on. */
  events: readonly RunEvent[]
  /** Text that its agent was given: results of other steps, material of the run. */
  given: readonly string[]
}

/** Says what the log refutes of an output. Contract: asks no model, and must not throw. */
export type StepReview = (record: StepRecord) => readonly Refutation[] | Promise<readonly Refutation[]>

const OPENING = "[refuted by the run's log: "

export const isMarked = (output: string): boolean => output.includes(OPENING)

/** The output with a mark behind each statement that is refuted; at the end where the output has no such place. */
export function markRefuted(output: string, refutations: readonly Refutation[]): string {
  const isJson = /^\s*[[{]/.test(output)
  const rest: string[] = []
  let marked = output
  for (const { text, evidence } of refutations) {
    const mark = `${OPENING}${evidence.replaceAll(']', ')')}]`
    const at = isJson || text === '' ? -1 : marked.indexOf(text)
    if (at === -1) rest.push(text === '' ? mark : `"${text}" ${mark}`)
    else marked = `${marked.slice(0, at + text.length)} ${mark}${marked.slice(at + text.length)}`
  }
  return [marked, ...rest].join('\n')
}
