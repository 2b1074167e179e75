import { definePlugin, type Inspection } from '@svc/core'

interface Count {
  worked: number
  failed: number
}

/** Stands in `components.inspect`: a run is as healthy as the share of its tool calls that worked. */
export const tally = definePlugin('tally', ({ hooks, events, inspection }) => {
  const counts = new Map<string, Count>()
  const report = (runId?: string): Inspection => {
    const chosen = [...counts].filter(([id]) => runId === undefined || id === runId).map(([, count]) => count)
    const sum = (name: keyof Count): number => chosen.reduce((total, count) => total + count[name], 0)
    const [worked, failed] = [sum('worked'), sum('failed')]
    const score = worked + failed === 0 ? 1 : worked / (worked + failed)
    return { grade: gradeOf(score), score, issues: [], signals: { worked, failed } }
  }
  events.on('event', ({ type, runId }) => {
    if (type !== 'tool.completed' && type !== 'tool.failed') return
    const count = counts.get(runId) ?? { worked: 0, failed: 0 }
    count[type === 'tool.completed' ? 'worked' : 'failed']++
    counts.set(runId, count)
  })
  inspection.provide({ report })
  hooks.inspect.tap('tally', (answer, _input, run) => answer ?? report(run.id))
})

const gradeOf = (score: number): Inspection['grade'] =>
  score >= 0.9 ? 'healthy' : score >= 0.7 ? 'degraded' : 'unhealthy'
