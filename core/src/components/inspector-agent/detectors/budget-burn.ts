import type { Detector } from '../detector.ts'
import type { RunFacts } from '../run-facts.ts'

const LEAST_PROGRESS = 0.05

/** The budget goes faster than the work: share spent over share done, and where that leads. */
export const budgetBurn: Detector = {
  code: 'budget-burn',
  on: ['model.completed'],
  watch(facts, { burnWarn, burnCritical, burnFromShare }) {
    return () => {
      const { view } = facts
      const soft = view.allocation?.total ?? 0
      const { inputTokens, outputTokens } = view.usage
      const tokens = inputTokens + outputTokens
      // How far a single step has come is not known before its end.
      if (facts.steps.size < 2 || soft <= 0 || tokens < burnFromShare * soft) return undefined
      const spent = tokens / soft
      const progress = Math.max(LEAST_PROGRESS, progressOf(facts))
      const burn = spent / progress
      facts.raise('burn', Math.round(burn * 1000) / 1000)
      if (burn <= burnWarn) return undefined
      const hard = facts.hardTokens > 0 ? facts.hardTokens : 2 * soft
      return {
        subject: 'run',
        severity: burn > burnCritical || tokens / progress > hard ? 'critical' : 'warn',
        message: `${Math.round(spent * 100)} % of the budget is spent with ${Math.round(progress * 100)} % of the work done`,
        fix: 'Finish now: answer with what is known.',
        action: 'nudge',
      }
    }
  },
}

/** Finished steps count whole, running ones half, each by its forecast. */
function progressOf({ steps, view }: RunFacts): number {
  let done = 0
  let all = 0
  for (const [id, step] of steps) {
    const weight = Math.max(1, step.estimatedTokens)
    const status = view.steps.get(id)?.status
    all += weight
    if (status === 'completed' || status === 'skipped') done += weight
    else if (status === 'running' || status === 'waiting') done += weight / 2
  }
  return done / all
}
