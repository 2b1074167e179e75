/**
 * The plugins that answer by default, the providers and tools they use, and `createRuntime`, which assembles them.
 *
 * A default plugin has the same shape and the same imports as one of yours.
 */

export { type CassetteMode, type CassetteReport, type ReplayedRun, RunCassette } from '@svc/core/recordings'
export {
  type ConfiguredRuntime,
  type CreateRuntimeOptions,
  createRuntime,
  type DefaultPluginOptions,
  defaultPlugins,
} from './assembly/create-runtime.ts'
export { openCassette } from './assembly/open-cassette.ts'
export { type ReplayOptions, replayRun } from './assembly/replay-run.ts'
export { backUpStore, restoreStore } from './assembly/stores/backup.ts'
export { type Migrated, migrateStore } from './assembly/stores/migrate-store.ts'
export {
  type Attribution,
  attributeFailure,
  type Suspect,
  type SuspectStep,
} from './attribution/attribute-failure.ts'
export { type AttributionOptions, attribution } from './attribution/index.ts'
export { type Trace, type TraceMessage, toTrace } from './attribution/trace.ts'
export { type AuditLine, openAuditLog, readAuditLog } from './audit/audit-log.ts'
export { localCaller } from './audit/local-caller.ts'
export { type AllocateOptions, allocate } from './defaults/allocate.ts'
export { type AnalyzeOptions, analyze } from './defaults/analyze.ts'
export { type ConsensusOptions, consensus } from './defaults/consensus.ts'
export { type InspectOptions, inspect } from './defaults/inspect.ts'
export type { Learning } from './defaults/memory/learning.ts'
export { InMemoryLessons, type LessonStore, StoredLessons } from './defaults/memory/lessons.ts'
export { type MemoryOptions, memory } from './defaults/memory/memory.ts'
export { InMemoryOutcomes, type OutcomeLog, StoredOutcomes } from './defaults/memory/outcomes.ts'
export { type OrchestrateOptions, orchestrate } from './defaults/orchestrate.ts'
export { type ReflectOptions, reflect } from './defaults/reflect.ts'
export * from './mcp/index.ts'
export { createOfflineProvider } from './offline/index.ts'
export * from './providers/index.ts'
export { openRulesFile } from './rules/rules-file.ts'
export * from './stores/index.ts'
export type { Backup, Restored } from './stores/sqlite/file/backup.ts'
export { createCleaner } from './telemetry/clean-text.ts'
export * from './tools/index.ts'
