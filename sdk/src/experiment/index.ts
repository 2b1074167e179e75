/** `@svc/sdk/experiment`: swap one component and measure what changes. */
export { defineExperiment } from './design/define-experiment.ts'
export type {
  Answered,
  ArmInput,
  ExperimentInput,
  OwnScorer,
  Scored,
  ScorerInput,
  TaskInput,
} from './design/experiment-schema.ts'
export {
  type ExperimentOptions,
  type PreparedExperiment,
  prepareExperiment,
} from './design/prepare-experiment.ts'
export * from './report/index.ts'
export { AGAIN, type ArmDesign, BASE, type Cell, type ExperimentDesign, type TaskDesign } from './run/record.ts'
export {
  type ExperimentEstimate,
  type ExperimentOutcome,
  type ExperimentProgress,
  estimate,
  runExperiment,
} from './run/run-experiment.ts'
export { toVerdicts, type WrittenReport, writeReports } from './run/write-reports.ts'
export { type DetectableEffect, detectableEffect } from './statistics/index.ts'
