import type { Complexity } from '../../contracts/stages/complexity.ts'
import { Task } from '../../contracts/stages/task.ts'
import { TOPOLOGIES, type Topology } from '../../contracts/words.ts'
import { ValidationError } from '../../errors.ts'
import { parse } from '../../validate.ts'
import { type AnalyzerPorts, assist, blend, toFallback, wantsAssistance } from './assist.ts'
import { type AnalyzerWeights, calibrateUtilities, type Outcome, toWeights, withOutcome } from './calibration.ts'
import { explain, MOST_QUESTIONS, toOpenQuestions } from './explanation.ts'
import { FEATURES, type Reading, read } from './features.ts'
import { choose, toScore, toUtilities } from './selection.ts'

export type { AnalyzerPorts } from './assist.ts'
export type { AnalyzerWeights, Outcome, Tally } from './calibration.ts'
export type { Feature, Features } from './features.ts'

export interface TaskComplexityAnalyzerOptions {
  /** What was learnt before, from `weights` of another analyzer. Default: the published proposal, no outcomes. */
  weights?: Partial<AnalyzerWeights>
  /** What is recommended where nothing speaks clearly for another topology. Default `SINGLE`. */
  defaultTopology?: Topology
  /** Whether `analyzeAsync` may ask a model where the words leave it unsure or the task looks hard. Default false. */
  llm?: boolean
}

/** Fewest and most agents that a team is recommended to have (Anthropic, 2025: 2 to 4 for a comparison). */
const FEWEST_AGENTS = 2
const MOST_AGENTS = 4

/**
 * How hard is a task, and which topology suits it?
 *
 * Reads the structure of the wording: what is asked for, how many independent parts it has, what waits for what. One agent
 * is the default, as controlled comparisons advise (Kim et al., Towards a Science of Scaling Agent Systems, 2025,
 * arXiv 2512.08296); a team is recommended only for the items of a list, or for parts that a model has found. How a
 * topology did in a domain is learnt from recorded outcomes. English wording; lists and numbers in any language. Reads no
 * clock and no random number.
 */
export class TaskComplexityAnalyzer {
  #weights: AnalyzerWeights
  readonly #defaultTopology: Topology
  readonly #llm: boolean

  /** @throws ValidationError `validation_failed` for a negative weight or an unknown default topology */
  constructor({ weights, defaultTopology = 'SINGLE', llm = false }: TaskComplexityAnalyzerOptions = {}) {
    if (!TOPOLOGIES.includes(defaultTopology)) {
      throw new ValidationError(
        'validation_failed',
        `defaultTopology must be one of ${TOPOLOGIES.join(', ')}, not "${defaultTopology}"`,
      )
    }
    this.#weights = toWeights(weights)
    this.#defaultTopology = defaultTopology
    this.#llm = llm
  }

  /** What has been learnt so far, as plain JSON for the next analyzer. */
  get weights(): AnalyzerWeights {
    return toWeights(this.#weights)
  }

  /**
   * @param task its description is 1 to 200 000 characters
   * @throws ValidationError `validation_failed` naming the field
   */
  analyze(task: Task): Complexity {
    return this.#conclude(parse(Task, task, 'task'), read(task))
  }

  /**
   * The same answer; with the option `llm` and a run, a model reads the task as well where the words leave it unsure
   * (confidence below .70) or it looks hard (score of .25 or more). The model supplies features, never the topology:
   * .7 of the model's and .3 of the words' go through the same rule, and the answer's source is `llm+lexical`. Where the
   * call fails or its answer does not fit, the words alone decide and the run is warned with `analyzer_llm_unavailable`.
   *
   * @param ports a `RunContext` fits; without it, and with a deterministic model, no call is made
   * @throws ValidationError `validation_failed` naming the field; CancelledError and whatever else aborted the run
   */
  async analyzeAsync(task: Task, ports?: AnalyzerPorts): Promise<Complexity> {
    const weights = this.#weights
    const lexical = this.analyze(task)
    if (!this.#llm || ports === undefined || ports.deterministic === true || !wantsAssistance(lexical)) return lexical
    try {
      const { questions, ...reading } = blend(read(task), await assist(task, ports))
      const complexity = this.#conclude(task, reading, weights)
      const openQuestions = [...new Set([...questions, ...complexity.openQuestions])].slice(0, MOST_QUESTIONS)
      return { ...complexity, openQuestions, source: 'llm+lexical' }
    } catch (thrown) {
      const reason = toFallback(thrown, ports)
      ports.warn?.({
        code: 'analyzer_llm_unavailable',
        message: `the task was analysed by its words alone: ${reason}`,
      })
      return lexical
    }
  }

  /** The rule: from what was read to what is recommended. */
  #conclude(task: Task, reading: Reading, weights = this.#weights): Complexity {
    const { id, riskLevel, domain } = task
    const { features } = reading
    const score = toScore(features, weights.features)
    const contributions: Record<string, number> = {}
    for (const feature of FEATURES) contributions[feature] = weights.features[feature] * features[feature]
    const plain = toUtilities(features, score, riskLevel)
    const { utilities, isCalibrated } = calibrateUtilities(plain, weights, domain)
    const choice = choose(utilities, score, this.#defaultTopology, reading.items > 1, isCalibrated)
    const agents = toAgents(choice.topology, reading)
    return {
      taskId: id,
      score,
      recommendedTopology: choice.topology,
      confidence: choice.confidence,
      agents,
      features: { ...features },
      contributions,
      utilities,
      alternatives: choice.ranking.filter(({ topology }) => topology !== choice.topology),
      estimatedTurns: toEstimatedTurns(agents),
      explanation: explain(task, reading, contributions, score, choice),
      openQuestions: toOpenQuestions(task, reading),
      source: isCalibrated ? 'calibrated' : 'lexical',
    }
  }

  /**
   * Learns from one finished run.
   *
   * @throws ValidationError `validation_failed` for an unknown topology or a quality outside [0, 1]
   */
  record(outcome: Outcome): void {
    this.#weights = withOutcome(this.#weights, outcome)
  }

  /**
   * Another analyzer that knows one outcome more, while this one stays as it is: for those who have to say later which of them
   * answered. It shares what both know.
   *
   * @throws ValidationError `validation_failed` for an unknown topology or a quality outside [0, 1]
   */
  withOutcome(outcome: Outcome): TaskComplexityAnalyzer {
    const next = new TaskComplexityAnalyzer({ defaultTopology: this.#defaultTopology, llm: this.#llm })
    next.#weights = withOutcome(this.#weights, outcome)
    return next
  }

  /**
   * Learns anew from these outcomes alone, forgetting recorded ones; the weights of the features stay.
   *
   * @returns what was learnt, as plain JSON
   * @throws ValidationError `validation_failed` for an unknown topology or a quality outside [0, 1]
   */
  calibrate(outcomes: readonly Outcome[]): AnalyzerWeights {
    this.#weights = outcomes.reduce(withOutcome, toWeights({ features: this.#weights.features }))
    return this.weights
  }
}

const toAgents = (topology: Topology, { items }: Reading): number =>
  topology === 'SINGLE' ? 1 : Math.min(MOST_AGENTS, Math.max(FEWEST_AGENTS, items))

/** Turns grow faster than agents: 2.72 (n + 0.5)^1.724 (Kim et al., 2025). */
const toEstimatedTurns = (agents: number): number => Math.round(27.2 * (agents + 0.5) ** 1.724) / 10
