import { definePlugin, type RunContext, TaskComplexityAnalyzer, toTopology } from '@svc/core'

export interface AnalyzeOptions {
  /** Who answers. Default: a new `TaskComplexityAnalyzer` that falls back to the config's `defaultTopology`. */
  analyzer?: Pick<TaskComplexityAnalyzer, 'analyzeAsync'>
  /**
   * Whether the run's model reads the task as well, in one call, where its words leave the analyzer unsure or it looks
   * hard. Default false; never with a deterministic model, nor where the run may make fewer than three model calls.
   * Where the call fails, the words alone decide and the run has the warning `analyzer_llm_unavailable`.
   */
  llm?: boolean
}

/** A run that may make fewer model calls needs them for its work. */
const FEWEST_CALLS = 3

/**
 * Answers `analyze`: how hard is the task, and which topology suits it?
 * Leaves an earlier answer alone, so a plugin of yours that taps `analyze` replaces this one.
 */
export const analyze = definePlugin('analyze', ({ hooks, config }, options: AnalyzeOptions) => {
  const { llm = false, analyzer = createAnalyzer(config.defaultTopology, llm) } = options
  hooks.analyze.tapPromise(
    'analyze',
    async (answer, { task }, run) => answer ?? analyzer.analyzeAsync(task, maySpend(run) ? run : undefined),
  )
})

const maySpend = ({ options }: RunContext): boolean =>
  (options.budget?.maxSteps ?? Number.POSITIVE_INFINITY) >= FEWEST_CALLS

/** Any name of a topology is fine; AUTO, and what the config's own check has let pass, mean the analyzer's default. */
function createAnalyzer(word: string | undefined, llm: boolean): TaskComplexityAnalyzer {
  const topology = word === undefined ? undefined : toTopology(word)
  return new TaskComplexityAnalyzer(
    topology === undefined || topology === 'AUTO' ? { llm } : { llm, defaultTopology: topology },
  )
}
