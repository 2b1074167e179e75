/**
 * The plugins that answer by default, the providers and tools they use, and `createRuntime`, which assembles them.
 *
 * A default plugin has the same shape and the same imports as one of yours.
 */
export { type AllocateOptions, allocate } from './allocate.ts'
export { type AnalyzeOptions, analyze } from './analyze.ts'
export {
  type Attribution,
  attributeFailure,
  type Suspect,
  type SuspectStep,
} from './attribution/attribute-failure.ts'
export { type AttributionOptions, attribution } from './attribution/index.ts'
export { type Trace, type TraceMessage, toTrace } from './attribution/trace.ts'
export { type ConsensusOptions, consensus } from './consensus.ts'
export { type InspectOptions, inspect } from './inspect.ts'
export { type MemoryOptions, memory } from './memory.ts'
export { createOfflineProvider } from './offline/index.ts'
export { type OrchestrateOptions, orchestrate } from './orchestrate.ts'
export * from './providers/index.ts'
export { type ReflectOptions, reflect } from './reflect.ts'
export {
  type ConfiguredRuntime,
  type CreateRuntimeOptions,
  createRuntime,
  type DefaultPluginOptions,
  defaultPlugins,
} from './runtime/create-runtime.ts'
export { type ReplayedRun, type ReplayOptions, replayRun } from './runtime/replay-run.ts'
export * from './stores/index.ts'
export { createCleaner } from './telemetry/clean-text.ts'
export * from './tools/index.ts'
