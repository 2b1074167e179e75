import {
  definePlugin,
  type RunContext,
  TaskComplexityAnalyzer,
  type TaskComplexityAnalyzerOptions,
  toTopology,
} from '@svc/core'
import type { OutcomeLog } from './memory/outcomes.ts'
import { RunOutcomes } from './memory/run-outcomes.ts'

export interface AnalyzeOptions {
  /**
   * Who answers. Default: a new `TaskComplexityAnalyzer` that falls back to the config's `defaultTopology` and learns
   * from `outcomes`. One of yours knows what you have taught it.
   */
  analyzer?: Pick<TaskComplexityAnalyzer, 'analyzeAsync'>
  /**
   * Whether the run's model reads the task as well, in one call, where its words leave the analyzer unsure or it looks
   * hard. Default false; never with a deterministic model, nor where the run may make fewer than three model calls.
   * Where the call fails, the words alone decide and the run has the warning `analyzer_llm_unavailable`.
   */
  llm?: boolean
  /**
   * How earlier runs went, which the analysis is calibrated by, and where each run that was analyzed is added when it has
   * ended. Default none. Runs of deterministic models neither learn nor teach.
   */
  outcomes?: OutcomeLog
}

/** A run that may make fewer model calls needs them for its work. */
const FEWEST_CALLS = 3
/** After every other plugin that looks at the end of a run. */
const LATE = 900

/**
 * Answers `analyze`: how hard is the task, and which topology suits it?
 * Leaves an earlier answer alone, so a plugin of yours that taps `analyze` replaces this one.
 */
export const analyze = definePlugin('analyze', ({ hooks, config, topologies }, options: AnalyzeOptions) => {
  const { llm = false, analyzer, outcomes } = options
  const create = (weights?: TaskComplexityAnalyzer['weights']) =>
    createAnalyzer(config.defaultTopology, { llm, ...(weights && { weights }) })
  const uncalibrated = analyzer ?? create()
  const learnt = outcomes === undefined ? undefined : new RunOutcomes(outcomes, create)

  hooks.analyze.tapPromise('analyze', async (answer, { task }, run) => {
    if (answer !== undefined) return answer
    const isTaught = analyzer === undefined && learnt !== undefined && !run.deterministic
    const calibrated = isTaught ? await learnt.analyzerFor(run) : undefined
    const complexity = await (calibrated ?? uncalibrated).analyzeAsync(task, maySpend(run) ? run : undefined)
    const own = toTopology(config.defaultTopology ?? 'SINGLE', topologies.ids())
    const isOwn = own !== undefined && topologies.get(own) !== undefined
    return isOwn && complexity.recommendedTopology === 'SINGLE'
      ? { ...complexity, recommendedTopology: own }
      : complexity
  })
  if (learnt === undefined) return
  hooks.inspect.tapPromise({ name: 'analyze', stage: LATE }, async (_answer, input, run) => {
    if (!run.deterministic) await learnt.add(input, run)
    return undefined
  })
})

const maySpend = ({ options }: RunContext): boolean =>
  (options.budget?.maxSteps ?? Number.POSITIVE_INFINITY) >= FEWEST_CALLS

/** Any name of a topology is fine; AUTO, and what the config's own check has let pass, mean the analyzer's default. */
function createAnalyzer(word: string | undefined, options: TaskComplexityAnalyzerOptions): TaskComplexityAnalyzer {
  const topology = word === undefined ? undefined : toTopology(word)
  const isNamed = topology !== undefined && topology !== 'AUTO'
  return new TaskComplexityAnalyzer(isNamed ? { ...options, defaultTopology: topology } : options)
}
