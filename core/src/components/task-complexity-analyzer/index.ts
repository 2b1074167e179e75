import type { Complexity } from '../../contracts/complexity.ts'
import type { Ports } from '../../contracts/run-context.ts'
import { Task } from '../../contracts/task.ts'
import { TOPOLOGIES, type Topology } from '../../contracts/words.ts'
import { ValidationError } from '../../errors.ts'
import { parse } from '../../validate.ts'
import {
  type AnalyzerWeights,
  addOutcome,
  calibrateUtilities,
  type Outcome,
  singleSuccessOf,
  toWeights,
} from './calibration.ts'
import { explain, toOpenQuestions } from './explanation.ts'
import { FEATURES, type Reading, read } from './features.ts'
import { choose, toScore, toUtilities } from './selection.ts'

export type { AnalyzerWeights, Outcome, Tally } from './calibration.ts'
export { type DagNode, toTopologyOfDag } from './dag.ts'
export type { Feature, Features } from './features.ts'

export interface TaskComplexityAnalyzerOptions {
  /** What was learnt before, from `weights` of another analyzer. Default: the published proposal, no outcomes. */
  weights?: Partial<AnalyzerWeights>
  /** What is recommended where nothing speaks clearly for another topology. Default `SINGLE`. */
  defaultTopology?: Topology
}

/** Fewest and most agents that a team is recommended to have (Anthropic, 2025: 2 to 4 for a comparison). */
const FEWEST_AGENTS = 2
const MOST_AGENTS = 4

/**
 * How hard is a task, and which topology suits it?
 *
 * Reads the structure of the wording: what is asked for, how many independent parts it has, what waits for what. How
 * hard the work inside a part is cannot be read from words, so that is learnt from recorded outcomes instead. One agent
 * is the default, as controlled comparisons advise (Kim et al., Towards a Science of Scaling Agent Systems, 2025,
 * arXiv 2512.08296); a team has to be clearly better. English wording; lists and numbers in any language. Linear in
 * the length of the text; reads no clock and no random number.
 */
export class TaskComplexityAnalyzer {
  readonly #weights: AnalyzerWeights
  readonly #defaultTopology: Topology

  /** @throws ValidationError `validation_failed` for a negative weight or an unknown default topology */
  constructor({ weights, defaultTopology = 'SINGLE' }: TaskComplexityAnalyzerOptions = {}) {
    if (!TOPOLOGIES.includes(defaultTopology)) {
      throw new ValidationError(
        'validation_failed',
        `defaultTopology must be one of ${TOPOLOGIES.join(', ')}, not "${defaultTopology}"`,
      )
    }
    this.#weights = toWeights(weights)
    this.#defaultTopology = defaultTopology
  }

  /** What has been learnt so far, as plain JSON for the next analyzer. */
  get weights(): AnalyzerWeights {
    return structuredClone(this.#weights)
  }

  /**
   * @param task its description is 1 to 200 000 characters
   * @throws ValidationError `validation_failed` naming the field
   */
  analyze(task: Task): Complexity {
    const { id, riskLevel, domain } = parse(Task, task, 'task')
    const reading = read(task)
    const { features } = reading
    const score = toScore(features, this.#weights.features)
    const contributions: Record<string, number> = {}
    for (const feature of FEATURES) contributions[feature] = this.#weights.features[feature] * features[feature]
    const { utilities, isCalibrated } = calibrateUtilities(
      toUtilities(features, score, riskLevel),
      this.#weights,
      domain,
    )
    const choice = choose(utilities, score, this.#defaultTopology, singleSuccessOf(this.#weights, domain))
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
      openQuestions: toOpenQuestions(reading),
      source: isCalibrated ? 'calibrated' : 'lexical',
    }
  }

  /**
   * The same answer, for callers that await one.
   *
   * @throws ValidationError `validation_failed` naming the field; CancelledError is the caller's matter, no call is made
   */
  async analyzeAsync(task: Task, _ports?: Ports): Promise<Complexity> {
    return this.analyze(task)
  }

  /**
   * Learns from one finished run.
   *
   * @throws ValidationError `validation_failed` for an unknown topology or a quality outside [0, 1]
   */
  record(outcome: Outcome): void {
    addOutcome(this.#weights, outcome)
  }

  /**
   * Learns anew from these outcomes alone, forgetting recorded ones; the weights of the features stay.
   *
   * @returns what was learnt, as plain JSON
   */
  calibrate(outcomes: readonly Outcome[]): AnalyzerWeights {
    const learnt = toWeights({ features: this.#weights.features })
    for (const outcome of outcomes) addOutcome(learnt, outcome)
    this.#weights.outcomes = learnt.outcomes
    return this.weights
  }
}

function toAgents(topology: Topology, { parts, verbs }: Reading): number {
  if (topology === 'SINGLE') return 1
  const wanted = parts.items > 1 ? parts.items : verbs
  return Math.min(MOST_AGENTS, Math.max(FEWEST_AGENTS, wanted))
}

/** Turns grow faster than agents: 2.72 (n + 0.5)^1.724 (Kim et al., 2025). */
const toEstimatedTurns = (agents: number): number => Math.round(27.2 * (agents + 0.5) ** 1.724) / 10
