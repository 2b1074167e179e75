import { type StepSignals, type TraceMessage, toCandidates } from './trace-signals.ts'

/** A suspect, best first, with what speaks for it. A suspicion is no finding: have a person look. */
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

/** What each signal adds to the suspicion of a step. Round numbers, chosen for their meaning; not fitted. */
export const STEP_WEIGHTS = {
  assumes: 1,
  failed: 0.5,
  first: 0.5,
  unsupported: 0.5,
  introduces: 1,
  lateness: -1,
  opening: -0.5,
  closing: -2,
  coordinates: -2,
} as const

/** Half a share of the conversation for what failed first; code that was run names its author beyond doubt. */
const FIRST_FAILURE = 0.5
const RAN_OWN_CODE = 1
const ONLY_COORDINATED = -1

/**
 * Suspects of a failed run: which agent, and in which message, by what can be seen without a model.
 *
 * Agents: those who did most of the talking and whose action failed first; a coordinator only where its own code was
 * run. Steps: early contributions that assume, fail, claim without having looked, or bring up what the final answer
 * repeats. The best published attribution with a model finds the agent in 53.5 % and the step in 14.2 % of runs (Zhang et
 * al., 2025): never present one as a fact.
 *
 * @param history all messages of a run that failed, in order
 * @returns agents and steps with the most suspicious first; empty when nobody said anything
 */
export function attributeFailure({
  question,
  history,
}: {
  question: string
  history: readonly TraceMessage[]
}): Attribution {
  const candidates = toCandidates(question, history)
  const steps = candidates.map(({ step, agent, signals }): SuspectStep => {
    let score = 0
    for (const [name, weight] of Object.entries(STEP_WEIGHTS)) score += weight * signals[name as keyof StepSignals]
    return { step, agent, score, reasons: reasonsOf(signals) }
  })
  const chars = candidates.reduce((sum, { length }) => sum + length, 0)
  const firstFailed = candidates.find(({ signals }) => signals.failed === 1)?.agent
  const agents = [...new Set(candidates.map(({ agent }) => agent))].map((agent): Suspect => {
    const own = candidates.filter((candidate) => candidate.agent === agent)
    const share = own.reduce((sum, { length }) => sum + length, 0) / Math.max(1, chars)
    const reasons = [`wrote ${Math.round(share * 100)} % of the conversation`]
    let score = share
    if (own.some(({ signals }) => signals.coordinates === 1)) {
      const ran = own.some(({ isRun }) => isRun)
      score += ran ? RAN_OWN_CODE : ONLY_COORDINATED
      reasons.push(ran ? 'coordinated, and its own code was run' : 'only coordinated')
    } else if (agent === firstFailed) {
      score += FIRST_FAILURE
      reasons.push('its action was the first to fail')
    }
    return { agent, score, reasons }
  })
  return { agents: agents.sort(byScore), steps: steps.sort(byScore) }
}

const byScore = (a: Suspect, b: Suspect): number => b.score - a.score

const REASONS: { readonly [Name in keyof StepSignals]?: string } = {
  assumes: 'rests on an assumption or a made-up example',
  failed: 'what it asked for failed',
  first: 'the first contribution, which the others built on',
  unsupported: 'claims something although nothing had been looked up successfully',
  introduces: 'brings up what the final answer repeats',
}

const reasonsOf = (signals: StepSignals): string[] =>
  Object.entries(REASONS).flatMap(([name, reason]) => (signals[name as keyof StepSignals] >= 0.5 ? [reason] : []))
