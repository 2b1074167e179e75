import type { ExperimentInput } from './experiment-schema.ts'

/** Returns the experiment unchanged; its type lets an editor complete every field. */
export const defineExperiment = (experiment: ExperimentInput): ExperimentInput => experiment
