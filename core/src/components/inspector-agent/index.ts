export type { Detector, Resolution as SightingResolution, Sighting, Watch } from './detector.ts'
export * from './inspector-agent.ts'
export type { Action as ToolAction, RunFacts } from './run-facts.ts'
export { THRESHOLDS, type Thresholds } from './thresholds.ts'
