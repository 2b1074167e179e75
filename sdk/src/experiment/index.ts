/** `@svc/sdk/experiment`: swap one component and measure what changes. */
export { defineExperiment } from './define-experiment.ts'
export type {
  Answered,
  ArmInput,
  ExperimentInput,
  OwnScorer,
  Scored,
  ScorerInput,
  TaskInput,
} from './experiment-schema.ts'
export {
  type ExperimentOptions,
  locateExperiment,
  type PreparedExperiment,
  prepareExperiment,
} from './prepare-experiment.ts'
export { AGAIN, type ArmDesign, BASE, type Cell, type ExperimentDesign, type TaskDesign } from './record.ts'
export * from './report/index.ts'
export {
  type ExperimentEstimate,
  type ExperimentOutcome,
  type ExperimentProgress,
  estimate,
  runExperiment,
} from './run-experiment.ts'
export { type DetectableEffect, detectableEffect } from './statistics/index.ts'
export * from './topology/index.ts'
export { readMeasured, toVerdicts, type WrittenReport, writeReports } from './write-reports.ts'
