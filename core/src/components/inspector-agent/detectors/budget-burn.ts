import type { Detector } from '../detector.ts'
import type { RunFacts } from '../run-facts.ts'

const LEAST_PROGRESS = 0.05

/** The budget goes faster than the work: share spent over share done, and where that leads. */
export const budgetBurn: Detector = {
  code: 'budget-burn',
  on: ['model.completed'],
  watch(facts, { burnWarn, burnCritical, burnFromShare }) {
    return () => {
      if (facts.softTokens <= 0) return undefined
      const spent = facts.tokens / facts.softTokens
      const progress = Math.max(LEAST_PROGRESS, progressOf(facts))
      const burn = spent / progress
      facts.signals.burn = Math.round(burn * 1000) / 1000
      const hard = facts.hardTokens > 0 ? facts.hardTokens : 2 * facts.softTokens
      const forecast = facts.tokens / progress
      const isCritical = burn > burnCritical || (burn > burnWarn && forecast > hard)
      if (spent < burnFromShare || burn <= burnWarn) return undefined
      return {
        subject: 'run',
        severity: isCritical ? 'critical' : 'warn',
        message: `${Math.round(spent * 100)} % of the budget is spent with ${Math.round(progress * 100)} % of the work done`,
        fix: 'Come to an end: answer with what is known.',
        action: 'nudge',
      }
    }
  },
}

/** Finished steps count whole, running ones half, each by its forecast. */
function progressOf({ steps, stepStatus }: RunFacts): number {
  if (steps.size === 0) return 0.5
  let done = 0
  let all = 0
  for (const [id, step] of steps) {
    const weight = Math.max(1, step.estimatedTokens)
    const status = stepStatus.get(id)
    all += weight
    if (status === 'completed' || status === 'skipped') done += weight
    else if (status === 'running') done += weight / 2
  }
  return done / all
}
