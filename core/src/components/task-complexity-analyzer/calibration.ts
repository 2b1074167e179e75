/** What recorded outcomes teach: per domain and topology, how often the work succeeded (a Beta distribution each). */
import { TOPOLOGIES, type Topology } from '../../contracts/words.ts'
import { ValidationError } from '../../errors.ts'
import { FEATURES, type Feature, type Features } from './features.ts'
import { type LearntModel, learn, successOf, toRow } from './learn.ts'
import { checkModel } from './model-schema.ts'
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
  /** What features say about success, learnt by `calibrate` from 200 outcomes on. */
  model?: LearntModel
}

/** How many observations the prior is worth. */
const PRIOR_STRENGTH = 8
/** How much of the learnt difference reaches the utility. */
const LEARNING_SHARE = 0.5
/** Fewer runs of one agent than this say nothing about how often it succeeds. */
const FEWEST_RUNS = 5
const NO_DOMAIN = 'general'

export const defaultWeights = (): AnalyzerWeights => ({ version: 1, features: { ...FEATURE_WEIGHTS }, outcomes: {} })

/** Default weights with what is given laid over them. */
export function toWeights(given: Partial<AnalyzerWeights> | undefined): AnalyzerWeights {
  const weights = defaultWeights()
  if (given === undefined) return weights
  for (const feature of FEATURES) {
    const value = given.features?.[feature]
    if (value === undefined) continue
    if (!Number.isFinite(value) || value < 0) {
      throw new ValidationError(
        'validation_failed',
        `weights.features.${feature} must be a number of at least 0, not ${value}`,
      )
    }
    weights.features[feature] = value
  }
  for (const [domain, tallies] of Object.entries(given.outcomes ?? {})) {
    const copy: Partial<Record<Topology, Tally>> = {}
    for (const topology of TOPOLOGIES) {
      const tally = tallies[topology]
      if (tally !== undefined) copy[topology] = { successes: tally.successes, failures: tally.failures }
    }
    setDomain(weights, domain, copy)
  }
  if (given.model !== undefined) weights.model = checkModel(given.model)
  return weights
}

/** Weights learnt anew from outcomes alone: their tallies, and what their features say where they are many. */
export function learnWeights(features: AnalyzerWeights['features'], outcomes: readonly Outcome[]): AnalyzerWeights {
  let weights = toWeights({ features })
  for (const outcome of outcomes) weights = withOutcome(weights, outcome)
  const model = learn(
    outcomes.map(({ topology, features: own, quality, success }) => ({
      topology,
      row: toRow(own),
      success: quality ?? (success ? 1 : 0),
    })),
  )
  return model === undefined ? weights : { ...weights, model }
}

/** The weights with an outcome more. What is given is not changed: analyses at work may hold it. */
export function withOutcome(weights: AnalyzerWeights, outcome: Outcome): AnalyzerWeights {
  if (!TOPOLOGIES.includes(outcome.topology)) {
    throw new ValidationError(
      'validation_failed',
      `outcome.topology must be one of ${TOPOLOGIES.join(', ')}, not "${outcome.topology}"`,
    )
  }
  const success = outcome.quality ?? (outcome.success ? 1 : 0)
  if (!(success >= 0 && success <= 1)) {
    throw new ValidationError('validation_failed', `outcome.quality must lie between 0 and 1, not ${outcome.quality}`)
  }
  const domain = toDomain(outcome.domain)
  const tallies = domainOf(weights, domain) ?? {}
  const { successes, failures } = tallies[outcome.topology] ?? { successes: 0, failures: 0 }
  const tally = { successes: successes + success, failures: failures + 1 - success }
  const next = { ...weights, outcomes: { ...weights.outcomes } }
  setDomain(next, domain, { ...tallies, [outcome.topology]: tally })
  return next
}

const NO_RUNS: Tally = Object.freeze({ successes: 0, failures: 0 })

/**
 * Moves each utility by half of what outcomes add to the rate that the utility itself implies: first what work of such
 * features came to, where that was learnt, then how the domain's own runs went.
 *
 * @returns the new utilities, and whether any outcome was there
 */
export function calibrateUtilities(
  utilities: Readonly<Record<Topology, number>>,
  weights: AnalyzerWeights,
  domain: string | undefined,
  features: Features,
): { utilities: Record<Topology, number>; isCalibrated: boolean } {
  const tallies = domainOf(weights, toDomain(domain)) ?? {}
  const { model } = weights
  const moved = { ...utilities }
  let isCalibrated = false
  for (const topology of TOPOLOGIES) {
    const { successes, failures } = tallies[topology] ?? NO_RUNS
    const learnt = model === undefined ? undefined : successOf(model, topology, features)
    if (successes + failures === 0 && learnt === undefined) continue
    const implied = Math.min(0.95, Math.max(0.05, utilities[topology]))
    const prior = learnt ?? implied
    const mean = (PRIOR_STRENGTH * prior + successes) / (PRIOR_STRENGTH + successes + failures)
    moved[topology] += LEARNING_SHARE * (mean - implied)
    isCalibrated = true
  }
  return { utilities: moved, isCalibrated }
}

/** Measured share of a domain's tasks that one agent alone solved; `undefined` below five runs. */
export function singleSuccessOf(weights: AnalyzerWeights, domain: string | undefined): number | undefined {
  const tally = domainOf(weights, toDomain(domain))?.SINGLE
  if (tally === undefined) return undefined
  const runs = tally.successes + tally.failures
  return runs >= FEWEST_RUNS ? tally.successes / runs : undefined
}

const toDomain = (domain: string | undefined): string => domain?.trim().toLowerCase() || NO_DOMAIN

/** A domain is a name from outside: it must not reach what every object inherits. */
function domainOf(weights: AnalyzerWeights, domain: string): Partial<Record<Topology, Tally>> | undefined {
  return Object.hasOwn(weights.outcomes, domain) ? weights.outcomes[domain] : undefined
}

function setDomain(weights: AnalyzerWeights, domain: string, tallies: Partial<Record<Topology, Tally>>): void {
  Object.defineProperty(weights.outcomes, domain, {
    value: tallies,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}
