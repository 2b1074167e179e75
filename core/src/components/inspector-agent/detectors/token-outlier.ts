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
      if (event.type !== 'model.completed') return undefined
      const { agentId = '' } = event
      const { inputTokens, outputTokens } = event.data.usage
      const tokens = inputTokens + outputTokens
      let window = windows.get(agentId)
      if (window === undefined) {
        window = new SortedWindow(WINDOW)
        windows.set(agentId, window)
      }
      const median = window.quantile(0.5)
      const isLarge = window.count >= outlierMinimumCalls && tokens > Math.max(outlierMinimumTokens, 2 * median)
      const isOutlier = isLarge && tokens > median + outlierDeviations * window.deviation
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
