import { type Inputs, type RunContext, type TaskComplexityAnalyzer, toTopology } from '@svc/core'
import { successOfRun } from '../run-success.ts'
import type { OutcomeLog } from './outcomes.ts'

/** The newest; more take longer than the first run should have to wait. */
const MOST_LEARNT = 2000

type Weights = TaskComplexityAnalyzer['weights']

interface Learnt {
  /** What the analyzer knows, as plain JSON. */
  weights: Weights
  analyzer: TaskComplexityAnalyzer
}

/**
 * What an analysis learns from how runs ended.
 *
 * What a run was analyzed with is recorded with it, so that a replay comes to the same answer, whatever was learnt since and on
 * any machine; and its own outcome is recorded once, and by no replay.
 */
export class RunOutcomes {
  readonly #log: OutcomeLog
  readonly #create: (weights?: Weights) => TaskComplexityAnalyzer
  #learnt: Promise<Learnt> | undefined

  /** @param create makes an analyzer that knows this; by default nothing */
  constructor(log: OutcomeLog, create: (weights?: Weights) => TaskComplexityAnalyzer) {
    this.#log = log
    this.#create = create
  }

  /** Who knows what was known at the run's start; undefined, with the warning `outcomes_unavailable`, where that cannot be read. */
  async analyzerFor(run: RunContext): Promise<TaskComplexityAnalyzer | undefined> {
    try {
      this.#learnt ??= this.#learn()
      const { weights, analyzer } = await this.#learnt
      const recorded = await run.record('analyze/weights', async () => weights, { effect: 'pure' })
      return recorded === weights ? analyzer : this.#create(recorded)
    } catch (thrown) {
      this.#learnt = undefined
      warn(run, thrown)
      return undefined
    }
  }

  async #learn(): Promise<Learnt> {
    const analyzer = this.#create()
    return { weights: analyzer.calibrate((await this.#log.list()).slice(-MOST_LEARNT)), analyzer }
  }

  /** Adds how a run ended that was analyzed; one whose plan was given says nothing about an analysis. */
  async add(ended: Inputs['inspect'], run: RunContext): Promise<void> {
    const { task, complexity, plan, reflection } = ended
    const success = successOfRun(ended, run.view)
    const topology = toTopology(plan.topology)
    if (topology === undefined || topology === 'AUTO' || success === undefined) return
    if (!run.events().some(({ type }) => type === 'analysis.completed')) return
    const isVerified = reflection?.checks.some(({ result }) => result !== 'na') === true
    const { inputTokens, outputTokens } = run.budget.spent()
    const outcome: Parameters<OutcomeLog['add']>[0] = {
      features: complexity.features,
      topology,
      ...(task.domain === undefined ? {} : { domain: task.domain }),
      success,
      // What failed is worth nothing, however many checks it passed; what nobody could check is taken as it is.
      ...(success && isVerified ? { quality: reflection.score } : {}),
      tokens: inputTokens + outputTokens,
    }
    const learn = async (): Promise<boolean> => {
      // It leaves with the end of the run, which waits for it.
      const added = this.#log.add(outcome, run.id, run.records)
      added.catch(() => {}) // who waits for what was put off hears of it
      run.defer(() => added)
      // The next run of this process is to know it as well; nobody has learnt anything before the first analysis.
      const withOne = ({ analyzer }: Learnt): Learnt => {
        const next = analyzer.withOutcome(outcome)
        return { weights: next.weights, analyzer: next }
      }
      this.#learnt = this.#learnt?.then(withOne)
      this.#learnt?.catch(() => {}) // the next run that needs it hears of it
      return true
    }
    try {
      await run.record('analyze/outcome', learn, { effect: 'pure' })
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
