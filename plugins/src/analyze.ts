import { definePlugin, TaskComplexityAnalyzer, toTopology } from '@svc/core'

export interface AnalyzeOptions {
  /** Who answers. Default: a new `TaskComplexityAnalyzer` that falls back to the config's `defaultTopology`. */
  analyzer?: Pick<TaskComplexityAnalyzer, 'analyzeAsync'>
}

/**
 * Answers `analyze`: how hard is the task, and which topology suits it?
 * Leaves an earlier answer alone, so a plugin of yours that taps `analyze` replaces this one.
 */
export const analyze = definePlugin('analyze', ({ hooks, config }, options: AnalyzeOptions) => {
  const analyzer = options.analyzer ?? createAnalyzer(config.defaultTopology)
  hooks.analyze.tapPromise('analyze', async (answer, { task }, run) => answer ?? analyzer.analyzeAsync(task, run))
})

/** Any name of a topology is fine; AUTO, and what the config's own check has let pass, mean the analyzer's default. */
function createAnalyzer(word: string | undefined): TaskComplexityAnalyzer {
  const topology = word === undefined ? undefined : toTopology(word)
  return new TaskComplexityAnalyzer(topology === undefined || topology === 'AUTO' ? {} : { defaultTopology: topology })
}
