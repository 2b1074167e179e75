/** What recorded outcomes teach: per domain and topology, how often the work succeeded (a Beta distribution each). */
import { TOPOLOGIES, type Topology } from '../../contracts/words.ts'
import { ValidationError } from '../../errors.ts'
import { FEATURES, type Feature, type Features } from './features.ts'
import { FEATURE_WEIGHTS } from './selection.ts'

/** How a task of some features went under some topology. */
export interface Outcome {
  features: Partial<Features>
  topology: Topology
  /** The task's domain; default `general`. */
  domain?: string
  success: boolean
  /** In [0, 1], where it is known more precisely than success. */
  quality?: number
  /** Tokens that the run took. */
  tokens?: number
}

/** Successes and failures; fractions where quality was recorded. */
export interface Tally {
  successes: number
  failures: number
}

/** Everything that can be learnt, as plain JSON: store it and hand it to the next analyzer. */
export interface AnalyzerWeights {
  version: 1
  /** How much each feature counts for the score. */
  features: Record<Feature, number>
  /** By domain, then topology. */
  outcomes: Record<string, Partial<Record<Topology, Tally>>>
}

/** How many observations the prior is worth. */
const PRIOR_STRENGTH = 8
/** How much of the learnt difference reaches the utility. */
const LEARNING_SHARE = 0.5
const NO_DOMAIN = 'general'

const invalid = (message: string): ValidationError => new ValidationError('validation_failed', message)

/** Default weights with what is given laid over them. */
export function toWeights({ features = {}, outcomes = {} }: Given = {}): AnalyzerWeights {
  for (const feature of FEATURES) {
    const value = features[feature] ?? 0
    if (!Number.isFinite(value) || value < 0) {
      throw invalid(`weights.features.${feature} must be a number of at least 0, not ${value}`)
    }
  }
  const copy: AnalyzerWeights['outcomes'] = JSON.parse(JSON.stringify(outcomes))
  return { version: 1, features: { ...FEATURE_WEIGHTS, ...features }, outcomes: copy }
}

interface Given {
  features?: Partial<Record<Feature, number>>
  outcomes?: AnalyzerWeights['outcomes']
}

/** The weights with an outcome more. What is given is not changed: analyses at work may hold it. */
export function withOutcome(weights: AnalyzerWeights, outcome: Outcome): AnalyzerWeights {
  const { topology, quality, success } = outcome
  if (!TOPOLOGIES.includes(topology)) {
    throw invalid(`outcome.topology must be one of ${TOPOLOGIES.join(', ')}, not "${topology}"`)
  }
  const worth = quality ?? (success ? 1 : 0)
  if (!(worth >= 0 && worth <= 1)) throw invalid(`outcome.quality must lie between 0 and 1, not ${quality}`)
  const tallies = talliesOf(weights, outcome.domain)
  const { successes, failures } = tallies[topology] ?? NO_RUNS
  const tally = { successes: successes + worth, failures: failures + 1 - worth }
  // A domain is a name from outside: as a computed key of a literal it reaches nothing that objects inherit.
  return {
    ...weights,
    outcomes: { ...weights.outcomes, [toDomain(outcome.domain)]: { ...tallies, [topology]: tally } },
  }
}

const NO_RUNS: Tally = Object.freeze({ successes: 0, failures: 0 })

/**
 * Moves each utility by half of what the outcomes of the domain add to the rate that the utility itself implies.
 *
 * @returns the new utilities, and whether any outcome was there
 */
export function calibrateUtilities(
  utilities: Readonly<Record<Topology, number>>,
  weights: AnalyzerWeights,
  domain: string | undefined,
): { utilities: Record<Topology, number>; isCalibrated: boolean } {
  const tallies = talliesOf(weights, domain)
  const moved = { ...utilities }
  for (const topology of TOPOLOGIES) {
    const { successes, failures } = tallies[topology] ?? NO_RUNS
    const prior = Math.min(0.95, Math.max(0.05, utilities[topology]))
    const mean = (PRIOR_STRENGTH * prior + successes) / (PRIOR_STRENGTH + successes + failures)
    moved[topology] += LEARNING_SHARE * (mean - prior)
  }
  return { utilities: moved, isCalibrated: Object.keys(tallies).length > 0 }
}

const toDomain = (domain: string | undefined): string => domain?.trim().toLowerCase() || NO_DOMAIN

function talliesOf({ outcomes }: AnalyzerWeights, domain: string | undefined): Partial<Record<Topology, Tally>> {
  const name = toDomain(domain)
  return (Object.hasOwn(outcomes, name) ? outcomes[name] : undefined) ?? {}
}
