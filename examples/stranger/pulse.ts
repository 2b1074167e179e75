import { definePlugin, type Inspection } from '@svc/core'

/** Stands in the slot of inspect: a run is as healthy as the share of its tool calls that worked. */
export const pulse = definePlugin('pulse', ({ hooks, events, inspection }) => {
  const runs = new Map<string, { worked: number; failed: number }>()
  const report = (runId?: string): Inspection => {
    const counts = [...runs].filter(([id]) => runId === undefined || id === runId).map(([, count]) => count)
    const worked = counts.reduce((sum, count) => sum + count.worked, 0)
    const failed = counts.reduce((sum, count) => sum + count.failed, 0)
    const score = worked + failed === 0 ? 1 : worked / (worked + failed)
    const grade = score >= 0.9 ? 'healthy' : score >= 0.7 ? 'degraded' : 'unhealthy'
    return { grade, score, issues: [], signals: { worked, failed } }
  }
  events.on('event', ({ type, runId }) => {
    if (type !== 'tool.completed' && type !== 'tool.failed') return
    const count = runs.get(runId) ?? { worked: 0, failed: 0 }
    if (type === 'tool.completed') count.worked++
    else count.failed++
    runs.set(runId, count)
  })
  inspection.provide({ report })
  hooks.inspect.tap('pulse', (answer, _input, run) => answer ?? report(run.id))
})
