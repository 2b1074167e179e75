export { bootstrap } from './bootstrap.ts'
export { type Cluster, toClusters } from './cluster.ts'
export {
  canShow,
  type DetectableEffect,
  type DetectableEffectOptions,
  detectableEffect,
  powerFactor,
} from './detectable-effect.ts'
export { isEquivalent } from './equivalence.ts'
export { type Estimate, type EstimateOptions, estimate, type Interval } from './estimate.ts'
export { holm } from './holm.ts'
export { mcnemar } from './mcnemar.ts'
export { type Frontier, type Priced, toFrontier } from './pareto.ts'
export { quantile } from './quantile.ts'
export { seeded } from './seeded.ts'
export { signFlip } from './sign-flip.ts'
export { studentProbability, studentQuantile } from './student.ts'
