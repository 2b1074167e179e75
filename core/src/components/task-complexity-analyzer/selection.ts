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
export const LOWEST_SCORE = 0.15
/** A team has to beat one agent by this much. */
export const LEAST_MARGIN = 0.03
/** Where one agent alone succeeds at least this often, a team has to be clearly better (Kim et al., 2025). */
export const SINGLE_SUCCESS = 0.45
export const CLEAR_MARGIN = 0.1

/** These give the parts of a task to different agents. */
const DIVIDING: ReadonlySet<Topology> = new Set(['PARALLEL', 'CENTRALIZED', 'HYBRID'])

const RISK: Readonly<Record<RiskLevel, number>> = { low: 0, medium: 0.33, high: 0.67, critical: 1 }

/** The score of features under weights, in [0, 1). */
export function toScore(features: Features, weights: Readonly<Record<Feature, number>>): number {
  let sum = 0
  for (const feature of FEATURES) sum += weights[feature] * features[feature]
  return 1 - Math.exp(-2 * sum)
}

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
 * The topology with the highest utility, unless a rule speaks for the default.
 *
 * @param hasParts whether it has parts that can be given to different agents
 * @param singleSuccess measured share of such tasks that one agent alone solved, where known
 */
export function choose(
  utilities: Readonly<Record<Topology, number>>,
  score: number,
  defaultTopology: Topology,
  hasParts: boolean,
  singleSuccess?: number,
): Choice {
  const ranking = TOPOLOGIES.map((topology) => ({ topology, utility: utilities[topology] })).sort(
    (a, b) => b.utility - a.utility,
  )
  const [first] = ranking
  const [open, next] = hasParts ? ranking : ranking.filter(({ topology }) => !DIVIDING.has(topology))
  if (first === undefined || open === undefined || next === undefined) {
    throw new RangeError('there are at least three topologies that divide nothing')
  }
  const confidence = 1 / (1 + Math.exp(-Math.abs(open.utility - next.utility) / 0.08))
  const margin = first.utility - utilities.SINGLE
  const fallback = whyFallBack(first.topology, margin, score, defaultTopology, hasParts, singleSuccess)
  return fallback === undefined
    ? { topology: first.topology, ranking, confidence }
    : { topology: defaultTopology, ranking, confidence, fallback }
}

function whyFallBack(
  best: Topology,
  margin: number,
  score: number,
  defaultTopology: Topology,
  hasParts: boolean,
  singleSuccess: number | undefined,
): string | undefined {
  if (best === defaultTopology) return undefined
  if (!hasParts && DIVIDING.has(best)) return 'no parts stand out that different agents could do'
  if (score < LOWEST_SCORE) return `the score is below ${LOWEST_SCORE}`
  if (margin < LEAST_MARGIN) {
    return best === 'SINGLE'
      ? 'no team beats one agent, and another default was set'
      : `${best} is better than one agent by less than ${LEAST_MARGIN}`
  }
  if (singleSuccess !== undefined && singleSuccess >= SINGLE_SUCCESS && margin < CLEAR_MARGIN) {
    return `one agent alone solved ${Math.round(singleSuccess * 100)} % of such tasks and ${best} is not clearly better`
  }
  return undefined
}
