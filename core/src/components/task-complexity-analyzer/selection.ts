/** From features to a topology: what each topology is worth, and which one wins. */
import { type RiskLevel, TOPOLOGIES, type Topology } from '../../contracts/words.ts'
import { FEATURES, type Feature, type Features } from './features.ts'

/** How much each feature counts for the score. */
export const FEATURE_WEIGHTS: Readonly<Record<Feature, number>> = {
  steps: 0.22,
  reasoning: 0.16,
  breadth: 0.14,
  tools: 0.12,
  output: 0.09,
  constraints: 0.08,
  domain: 0.08,
  context: 0.07,
  ambiguity: 0.04,
  seq: 0,
}

/** Below this score nothing is worth a team. */
const LOWEST_SCORE = 0.15
/** A team has to beat one agent by this much. */
const LEAST_MARGIN = 0.03

/** These give the parts of a task to different agents. */
const DIVIDING: ReadonlySet<Topology> = new Set(['PARALLEL', 'CENTRALIZED', 'HYBRID'])

const RISK: Readonly<Record<RiskLevel, number>> = { low: 0, medium: 0.33, high: 0.67, critical: 1 }

/** The score of features under weights, in [0, 1). */
export const toScore = (features: Features, weights: Readonly<Record<Feature, number>>): number =>
  1 - Math.exp(-2 * FEATURES.reduce((sum, feature) => sum + weights[feature] * features[feature], 0))

/** What each topology is worth for a task of these features. */
export function toUtilities(features: Features, score: number, riskLevel: RiskLevel = 'low'): Record<Topology, number> {
  const { steps, reasoning, breadth, tools, output, ambiguity, seq } = features
  const parallel = breadth * (1 - 0.6 * seq)
  const chain = seq * (1 - 0.9 * breadth)
  const risk = RISK[riskLevel]
  return {
    SINGLE: 0.3 + 0.3 * (1 - score) + 0.05 * chain,
    SEQUENTIAL: 0.1 + 0.65 * chain + 0.4 * steps - 0.1 * (1 - score),
    PARALLEL: 0.12 + 0.95 * parallel + 0.1 * (1 - reasoning) - 0.2 * risk - 0.05 * steps,
    CENTRALIZED: -0.02 + 0.7 * parallel + 0.3 * steps + 0.2 * score + 0.25 * output - 0.1 * tools * (1 - parallel),
    DECENTRALIZED: -0.1 + 0.35 * ambiguity + 0.3 * reasoning + 0.25 * risk + 0.1 * parallel - 0.2 * chain,
    HYBRID: -0.25 + 0.45 * parallel + 0.3 * steps + 0.4 * risk + 0.25 * score + 0.1 * ambiguity,
  }
}

/** What was chosen, and what stood against it. */
export interface Choice {
  readonly topology: Topology
  /** The topologies, best first. */
  readonly ranking: readonly { topology: Topology; utility: number }[]
  readonly confidence: number
  /** Why the best utility was not followed, where it was not. */
  readonly fallback?: string
}

/**
 * The topology with the highest utility where the task has parts for several agents, or where outcomes of earlier runs have
 * moved the utilities; else the default, since words alone have seldom said rightly that a task needs a team.
 */
export function choose(
  utilities: Readonly<Record<Topology, number>>,
  score: number,
  defaultTopology: Topology,
  hasParts: boolean,
  isCalibrated: boolean,
): Choice {
  const ranking = TOPOLOGIES.map((topology) => ({ topology, utility: utilities[topology] })).sort(
    (a, b) => b.utility - a.utility,
  )
  const best = ranking[0]?.topology ?? defaultTopology
  const margin = Math.max(...Object.values(utilities)) - utilities.SINGLE
  const fallback =
    best === defaultTopology
      ? undefined
      : !hasParts && (DIVIDING.has(best) || !isCalibrated)
        ? 'no parts stand out that different agents could do'
        : score < LOWEST_SCORE
          ? `the score is below ${LOWEST_SCORE}`
          : margin < LEAST_MARGIN
            ? 'no team is clearly better than one agent'
            : undefined
  const [open, next] = hasParts ? ranking : ranking.filter(({ topology }) => !DIVIDING.has(topology))
  const difference = (open?.utility ?? 0) - (next?.utility ?? 0)
  const confidence = 1 / (1 + Math.exp(-difference / 0.08))
  return fallback === undefined
    ? { topology: best, ranking, confidence }
    : { topology: defaultTopology, ranking, confidence, fallback }
}
