import { definePlugin, TaskComplexityAnalyzer } from '@svc/core'

const analyzer = new TaskComplexityAnalyzer()

/** Answers `analyze` by counting list items and question marks: from two on, the parts are done at once. */
export default definePlugin('count-parts', ({ hooks }) => {
  hooks.analyze.tap('count-parts', (answer, { task }) => {
    if (answer) return answer
    const parts = task.description.match(/^\s*(?:[-*]|\d+\.)\s|\?/gm)?.length ?? 0
    const isTeam = parts >= 2
    return {
      ...analyzer.analyze(task),
      recommendedTopology: isTeam ? 'PARALLEL' : 'SINGLE',
      agents: isTeam ? Math.min(parts, 6) : 1,
    }
  })
})
