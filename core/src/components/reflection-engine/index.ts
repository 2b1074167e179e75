export type { Check, Finding } from './check.ts'
export { type Judged, keepBest, ruleScore } from './keep-best.ts'
export type { Call, EvaluateInput, Material } from './material.ts'
export * from './reflection-engine.ts'
