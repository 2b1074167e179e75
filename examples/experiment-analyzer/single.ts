import { definePlugin, TaskComplexityAnalyzer } from '@svc/core'

const analyzer = new TaskComplexityAnalyzer()

/** Answers `analyze` as the default does, but always with one agent. */
export default definePlugin('single', ({ hooks }) => {
  hooks.analyze.tap(
    'single',
    (answer, { task }) => answer ?? { ...analyzer.analyze(task), recommendedTopology: 'SINGLE', agents: 1 },
  )
})
