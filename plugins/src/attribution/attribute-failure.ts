import type { TraceMessage } from './trace.ts'
import { type Candidate, type StepSignals, toCandidates } from './trace-signals.ts'

/** A suspect with what speaks for it. A suspicion is no finding: a person has to check. */
export interface Suspect {
  agent: string
  /** Larger is more suspicious; comparable within one attribution only. */
  score: number
  reasons: string[]
}

export interface SuspectStep extends Suspect {
  /** Index into the history. */
  step: number
}

export interface Attribution {
  agents: Suspect[]
  steps: SuspectStep[]
}

/**
 * What each signal adds to the suspicion of a step: conditional logit with a ridge on the 85 failed runs of the
 * development half of Who&When, as `bench/quality/inspector.ts` learns and prints it, with the accuracy by leave-one-out.
 */
export const STEP_WEIGHTS: StepSignals = {
  failed: 0.9,
  first: 0.44,
  introduces: 0.63,
  lateness: -0.81,
  opening: -0.54,
  coordinates: -0.87,
}

/**
 * Suspects of a failed run: which agent, and in which message, by what can be seen without a model.
 *
 * Agents: by their share of the conversation, which nothing tried so far beats. Steps: early contributions that fail or
 * that bring up what the final answer repeats. The best published attribution with a model finds the agent in 53.5 % and
 * the step in 14.2 % of runs (Zhang et al., 2025, arXiv 2505.00212): never present one as a fact.
 *
 * @param history all messages of a run that failed, in order
 * @returns agents and steps with the most suspicious first; empty when no agent said anything
 */
export function attributeFailure(trace: { question: string; history: readonly TraceMessage[] }): Attribution {
  const candidates = toCandidates(trace.question, trace.history)
  const steps = candidates.map(({ step, agent, signals }): SuspectStep => {
    const names = Object.keys(STEP_WEIGHTS) as (keyof StepSignals)[]
    const score = names.reduce((sum, name) => sum + STEP_WEIGHTS[name] * signals[name], 0)
    const reasons = names.flatMap((name) => (signals[name] >= 0.5 ? (REASONS[name] ?? []) : []))
    return { step, agent, score, reasons }
  })
  return { agents: toAgents(candidates).sort(byScore), steps: steps.sort(byScore) }
}

function toAgents(candidates: readonly Candidate[]): Suspect[] {
  const all = Math.max(1, charsOf(candidates))
  return [...new Set(candidates.map(({ agent }) => agent))].map((agent) => {
    const score = charsOf(candidates.filter((candidate) => candidate.agent === agent)) / all
    return { agent, score, reasons: [`wrote ${Math.round(score * 100)} % of the conversation`] }
  })
}

const charsOf = (candidates: readonly Candidate[]): number => candidates.reduce((sum, { length }) => sum + length, 0)

const byScore = (a: Suspect, b: Suspect): number => b.score - a.score

const REASONS: { readonly [Name in keyof StepSignals]?: string } = {
  failed: 'what it asked for failed',
  first: 'the first contribution, which the others built on',
  introduces: 'brings up what the final answer repeats',
}
