import type { Inputs, RunContext, TaskComplexityAnalyzer } from '@svc/core'
import { successOfRun } from './run-success.ts'
import type { OutcomeLog } from './stores/outcomes.ts'

/** The newest; more take longer than the first run should have to wait. */
const MOST_LEARNT = 2000

/** Which outcomes of the log an analyzer knows: calibrated by so many, and so many added since. */
interface Version {
  calibrated: number
  added: number
}

interface Learnt {
  version: Version
  analyzer: TaskComplexityAnalyzer
}

/**
 * What an analysis learns from how runs ended.
 *
 * The version that a run was analyzed with is recorded with it, so that a replay comes to the same answer whatever was
 * learnt since; and its own outcome is recorded once, and by no replay.
 */
export class RunOutcomes {
  readonly #log: OutcomeLog
  readonly #create: () => TaskComplexityAnalyzer
  #learnt: Promise<Learnt> | undefined

  /** @param create makes an analyzer that has learnt nothing yet */
  constructor(log: OutcomeLog, create: () => TaskComplexityAnalyzer) {
    this.#log = log
    this.#create = create
  }

  /** Who knows what was known at the run's start; undefined, with the warning `outcomes_unavailable`, where that cannot be read. */
  analyzerFor(run: RunContext): Promise<TaskComplexityAnalyzer | undefined> {
    return guarded(run, async () => {
      this.#learnt ??= this.#learn()
      try {
        const { version, analyzer } = await this.#learnt
        const recorded = await run.record('analyze/version', async () => version)
        const isSame = recorded.calibrated === version.calibrated && recorded.added === version.added
        return isSame ? analyzer : (await this.#learn(recorded)).analyzer
      } catch (thrown) {
        this.#learnt = undefined
        throw thrown
      }
    })
  }

  async #learn(wanted?: Version): Promise<Learnt> {
    const outcomes = await this.#log.list()
    const version = wanted ?? { calibrated: outcomes.length, added: 0 }
    let analyzer = this.#create()
    analyzer.calibrate(outcomes.slice(0, version.calibrated).slice(-MOST_LEARNT))
    for (const outcome of outcomes.slice(version.calibrated, version.calibrated + version.added)) {
      analyzer = analyzer.withOutcome(outcome)
    }
    return { version, analyzer }
  }

  /** Adds how a run ended that was analyzed; one whose plan was given says nothing about an analysis. */
  async add({ task, complexity, plan, ...ends }: Inputs['inspect'], run: RunContext): Promise<void> {
    const success = successOfRun(ends, run.view)
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
      this.#learnt = this.#learnt?.then(({ version, analyzer }) => ({
        version: { ...version, added: version.added + 1 },
        analyzer: analyzer.withOutcome(outcome),
      }))
      return true
    }
    await guarded(run, () => run.record('analyze/outcome', put))
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
