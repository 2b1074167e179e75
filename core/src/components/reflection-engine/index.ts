export type { Call } from '../../text/calls/call.ts'
export type { Check, Finding } from './check.ts'
export type { EvaluateInput, Material, ReaderOptions } from './material.ts'
export * from './reflection-engine.ts'
