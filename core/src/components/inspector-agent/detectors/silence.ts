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
      if (event.type !== 'model.completed' || event.data.cached) return undefined
      const { agentId = '' } = event
      const { latencyMs } = event.data
      let window = latencies.get(agentId)
      if (window === undefined) {
        window = new SortedWindow(WINDOW)
        latencies.set(agentId, window)
      }
      const usualMs = window.quantile(0.95)
      const isSlow = window.count >= slowMinimumCalls && latencyMs > Math.max(slowMinimumMs, slowFactor * usualMs)
      window.push(latencyMs)
      facts.raise('slowestCallMs', latencyMs)
      if (!isSlow) return undefined
      return {
        subject: agentId,
        severity: 'info',
        message: `a model call of ${agentId} took ${Math.round(latencyMs / 1000)} s, where ${Math.round(usualMs / 1000)} s are usual`,
        action: 'none',
        agentId: event.agentId,
        stepId: event.stepId,
      }
    }
  },
}
