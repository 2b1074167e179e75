import type { Detector } from '../detector.ts'
import { SortedWindow } from '../sorted-window.ts'

const WINDOW = 64

/** A model call that took much longer than its agent's calls do. */
export const silence: Detector = {
  code: 'silence',
  on: ['model.completed'],
  watch(facts, { slowFactor, slowMinimumMs, slowMinimumCalls }) {
    const latencies = new Map<string, SortedWindow>()
    return (event) => {
      const { agentId = '', data } = event
      if (typeof data.latencyMs !== 'number' || data.cached === true) return undefined
      const window = latencies.get(agentId) ?? new SortedWindow(WINDOW)
      latencies.set(agentId, window)
      const usualMs = window.quantile(0.95)
      const isSlow = window.count >= slowMinimumCalls && data.latencyMs > Math.max(slowMinimumMs, slowFactor * usualMs)
      window.push(data.latencyMs)
      facts.raise('slowestCallMs', data.latencyMs)
      if (!isSlow) return undefined
      return {
        subject: agentId,
        severity: 'info',
        message: `a model call of ${agentId} took ${Math.round(data.latencyMs / 1000)} s, where ${Math.round(usualMs / 1000)} s are usual`,
        action: 'none',
        agentId: event.agentId,
        stepId: event.stepId,
      }
    }
  },
}
