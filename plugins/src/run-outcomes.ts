import { type AnalyzerWeights, type Inputs, type RunContext, TaskComplexityAnalyzer } from '@svc/core'
import { successOfRun } from './run-success.ts'
import type { OutcomeLog } from './stores/outcomes.ts'

/** The newest; more take longer than the first run should have to wait. */
const MOST_LEARNT = 2000

/**
 * What an analysis learns from how runs ended.
 *
 * The weights that a run was analyzed with are recorded with it, so that a replay comes to the same answer whatever was
 * learnt since; and its own outcome is recorded once, and by no replay.
 */
export class RunOutcomes {
  readonly #log: OutcomeLog
  readonly #learner = new TaskComplexityAnalyzer()
  #calibrated: Promise<unknown> | undefined

  constructor(log: OutcomeLog) {
    this.#log = log
  }

  /** What is known at the run's start; undefined, with the warning `outcomes_unavailable`, where it cannot be read. */
  weightsFor(run: RunContext): Promise<AnalyzerWeights | undefined> {
    return guarded(run, async () => {
      const read = async (): Promise<AnalyzerWeights> => {
        this.#calibrated ??= this.#log.list().then((outcomes) => this.#learner.calibrate(outcomes.slice(-MOST_LEARNT)))
        try {
          await this.#calibrated
        } catch (thrown) {
          this.#calibrated = undefined
          throw thrown
        }
        return this.#learner.weights
      }
      return run.record === undefined ? read() : run.record('analyze/weights', read)
    })
  }

  /** Adds how a run ended that was analyzed; one whose plan was given says nothing about an analysis. */
  async add({ task, complexity, plan, ...ends }: Inputs['inspect'], run: RunContext): Promise<void> {
    const success = successOfRun(ends)
    if (success === undefined || !run.events().some(({ type }) => type === 'analysis.completed')) return
    const { reflection } = ends
    const isVerified = reflection?.checks.some(({ result }) => result !== 'na') === true
    const { inputTokens, outputTokens } = run.budget.spent()
    const outcome: Parameters<OutcomeLog['add']>[0] = {
      features: complexity.features,
      topology: plan.topology,
      ...(task.domain === undefined ? {} : { domain: task.domain }),
      success,
      // What failed is worth nothing, however many checks it passed; what nobody could check is taken as it is.
      ...(success && isVerified ? { quality: reflection.score } : {}),
      tokens: inputTokens + outputTokens,
    }
    const put = async (): Promise<boolean> => {
      await this.#log.add(outcome, run.id)
      // The next run of this process is to know it as well; nobody has learnt anything before the first analysis.
      if (this.#calibrated !== undefined) this.#learner.record(outcome)
      return true
    }
    await guarded(run, () => (run.record === undefined ? put() : run.record('analyze/outcome', put)))
  }
}

async function guarded<T>(run: RunContext, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (thrown) {
    if (run.signal.aborted) throw thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    run.warn({ code: 'outcomes_unavailable', message: `the run went on without outcomes of earlier runs: ${message}` })
    return undefined
  }
}
