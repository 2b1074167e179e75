/** What many outcomes teach: per topology, how likely work of some features succeeds, and how far to trust that. */
import { TOPOLOGIES, type Topology } from '../../contracts/words.ts'
import { FEATURES, type Features } from './features.ts'
import { fitIsotonic, type IsotonicCurve, readIsotonic } from './isotonic.ts'
import { fitLogistic, type LogisticModel, probabilityOf } from './logistic.ts'

/** Everything that was learnt from features, as plain JSON. */
export interface LearntModel {
  /** The order of each model's weights. */
  features: string[]
  topologies: Partial<Record<Topology, LogisticModel>>
  /** From said to observed success. */
  isotonic: IsotonicCurve
  /** How good it is on outcomes that it was not shown: five folds. */
  quality: {
    records: number
    /** Mean squared error of the probabilities; lower is better. */
    brier: number
    /** The same for the success rate of each topology, which knows no features. */
    baselineBrier: number
    /** Expected calibration error over ten bins. */
    ece: number
  }
}

/** An outcome, reduced to what is learnt from. */
export interface Lesson {
  topology: Topology
  row: readonly number[]
  /** In [0, 1]. */
  success: number
}

/** Fewer outcomes than these teach nothing that their rates do not say already. */
export const FEWEST_RECORDS = 200
export const FEWEST_PER_TOPOLOGY = 30
const RIDGE = 1
const FOLDS = 5
const BINS = 10

export const toRow = (features: Partial<Features>): number[] => FEATURES.map((feature) => features[feature] ?? 0)

/**
 * Learns from all outcomes at once.
 *
 * @returns `undefined` where there are too few, and where what was learnt says no more about unseen outcomes than the
 *   success rate of each topology does
 */
export function learn(lessons: readonly Lesson[]): LearntModel | undefined {
  if (lessons.length < FEWEST_RECORDS) return undefined
  const topologies = TOPOLOGIES.filter(
    (topology) => lessons.filter((lesson) => lesson.topology === topology).length >= FEWEST_PER_TOPOLOGY,
  )
  const usable = lessons.filter(({ topology }) => topologies.includes(topology))
  if (usable.length === 0) return undefined
  const foldOf = dealFolds(usable)
  const unseen = usable.map(() => ({ said: 0, rate: 0 }))
  for (let fold = 0; fold < FOLDS; fold++) {
    const training = usable.filter((_, index) => foldOf[index] !== fold)
    const models = fitAll(training, topologies)
    const rates = new Map(topologies.map((topology) => [topology, rateOf(training, topology)]))
    usable.forEach(({ topology, row }, index) => {
      const model = models[topology]
      if (foldOf[index] !== fold || model === undefined) return
      unseen[index] = { said: probabilityOf(model, row), rate: rates.get(topology) ?? 0 }
    })
  }
  const said = unseen.map((each) => each.said)
  const was = usable.map(({ success }) => success)
  const curves = Array.from({ length: FOLDS }, (_, fold) => {
    const isOther = (_value: number, index: number): boolean => foldOf[index] !== fold
    return fitIsotonic(said.filter(isOther), was.filter(isOther))
  })
  const judged = said.map((value, index) => {
    const curve = curves[foldOf[index] ?? 0]
    return curve === undefined ? value : readIsotonic(curve, value)
  })
  const quality = {
    records: usable.length,
    brier: brierOf(judged, was),
    baselineBrier: brierOf(
      unseen.map(({ rate }) => rate),
      was,
    ),
    ece: eceOf(judged, was),
  }
  if (quality.brier >= quality.baselineBrier) return undefined
  return {
    features: [...FEATURES],
    topologies: fitAll(usable, topologies),
    isotonic: fitIsotonic(said, was),
    quality,
  }
}

/** How likely work of these features succeeds under a topology; `undefined` where that was not learnt. */
export function successOf(model: LearntModel, topology: Topology, features: Features): number | undefined {
  const learnt = model.topologies[topology]
  return learnt === undefined ? undefined : readIsotonic(model.isotonic, probabilityOf(learnt, toRow(features)))
}

function fitAll(lessons: readonly Lesson[], topologies: readonly Topology[]): Partial<Record<Topology, LogisticModel>> {
  const models: Partial<Record<Topology, LogisticModel>> = {}
  for (const topology of topologies) {
    const own = lessons.filter((lesson) => lesson.topology === topology)
    models[topology] = fitLogistic(
      own.map(({ row }) => row),
      own.map(({ success }) => success),
      RIDGE,
    )
  }
  return models
}

/** Each topology's outcomes are dealt out in turn, so that every fold has some of each. */
function dealFolds(lessons: readonly Lesson[]): number[] {
  const dealt = new Map<Topology, number>()
  return lessons.map(({ topology }) => {
    const count = dealt.get(topology) ?? 0
    dealt.set(topology, count + 1)
    return count % FOLDS
  })
}

function rateOf(lessons: readonly Lesson[], topology: Topology): number {
  const own = lessons.filter((lesson) => lesson.topology === topology)
  return own.reduce((sum, { success }) => sum + success, 0) / own.length
}

const brierOf = (said: readonly number[], was: readonly number[]): number =>
  said.reduce((sum, value, index) => sum + (value - (was[index] ?? 0)) ** 2, 0) / said.length

function eceOf(said: readonly number[], was: readonly number[]): number {
  const bins = Array.from({ length: BINS }, () => 0)
  said.forEach((value, index) => {
    const bin = Math.min(BINS - 1, Math.floor(value * BINS))
    bins[bin] = (bins[bin] ?? 0) + value - (was[index] ?? 0)
  })
  return bins.reduce((sum, difference) => sum + Math.abs(difference), 0) / said.length
}
