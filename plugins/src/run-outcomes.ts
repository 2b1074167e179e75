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
  /** A promise until it is known, and then what it was. */
  #learnt: Learnt | Promise<Learnt> | undefined

  /** @param create makes an analyzer that has learnt nothing yet */
  constructor(log: OutcomeLog, create: () => TaskComplexityAnalyzer) {
    this.#log = log
    this.#create = create
  }

  /** Who knows what was known at the run's start; undefined, with the warning `outcomes_unavailable`, where that cannot be read. */
  async analyzerFor(run: RunContext): Promise<TaskComplexityAnalyzer | undefined> {
    try {
      this.#learnt ??= this.#learn()
      const { version, analyzer } = this.#learnt instanceof Promise ? await this.#known(this.#learnt) : this.#learnt
      const recorded = await run.record('analyze/version', async () => version)
      const isSame = recorded.calibrated === version.calibrated && recorded.added === version.added
      return isSame ? analyzer : (await this.#learn(recorded)).analyzer
    } catch (thrown) {
      this.#learnt = undefined
      warn(run, thrown)
      return undefined
    }
  }

  async #known(learning: Promise<Learnt>): Promise<Learnt> {
    const learnt = await learning
    if (this.#learnt === learning) this.#learnt = learnt
    return learnt
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
  async add(ended: Inputs['inspect'], run: RunContext): Promise<void> {
    const { task, complexity, plan, reflection } = ended
    const success = successOfRun(ended, run.view)
    if (success === undefined || !run.events().some(({ type }) => type === 'analysis.completed')) return
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
      const withOne = ({ version, analyzer }: Learnt): Learnt => ({
        version: { calibrated: version.calibrated, added: version.added + 1 },
        analyzer: analyzer.withOutcome(outcome),
      })
      const learnt = this.#learnt
      this.#learnt = learnt instanceof Promise ? learnt.then(withOne) : learnt && withOne(learnt)
      return true
    }
    try {
      await run.record('analyze/outcome', put)
    } catch (thrown) {
      warn(run, thrown)
    }
  }
}

/** @throws what was thrown, where the run has been ended */
function warn(run: RunContext, thrown: unknown): void {
  if (run.signal.aborted) throw thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  run.warn({ code: 'outcomes_unavailable', message: `the run went on without outcomes of earlier runs: ${message}` })
}
