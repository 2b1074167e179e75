import type { Usage } from '../../../contracts/usage.ts'
import type { Detector } from '../detector.ts'
import { SortedWindow } from '../sorted-window.ts'

const WINDOW = 64

/** One model call that took far more tokens than the others of its agent: median and five absolute deviations. */
export const tokenOutlier: Detector = {
  code: 'token-outlier',
  on: ['model.completed'],
  watch(facts, { outlierDeviations, outlierMinimumCalls, outlierMinimumTokens }) {
    const windows = new Map<string, SortedWindow>()
    return (event) => {
      const { agentId = '', data } = event
      const usage = data.usage as Partial<Usage> | undefined
      const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
      const window = windows.get(agentId) ?? new SortedWindow(WINDOW)
      windows.set(agentId, window)
      const median = window.quantile(0.5)
      const bound = Math.max(outlierMinimumTokens, 2 * median, median + outlierDeviations * window.deviation)
      const isOutlier = window.count >= outlierMinimumCalls && tokens > bound
      window.push(tokens)
      facts.raise('largestCallTokens', tokens)
      if (!isOutlier) return undefined
      return {
        subject: agentId,
        severity: 'info',
        message: `a model call of ${agentId} took ${tokens} tokens, where ${median} are usual`,
        fix: 'Ask tools for less at once.',
        action: 'none',
        agentId: event.agentId,
        stepId: event.stepId,
      }
    }
  },
}
