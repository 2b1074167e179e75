/** The verbs: hooks, gateways, runs, and the runtime that is assembled from plugins. */

export type { AgentFiles } from './agent-registry.ts'
export { toProfile } from './agent-registry.ts'
export { Ledger, type LedgerSettings, type Reservation } from './budget/ledger.ts'
export { AnswerFold, generateByCompleting } from './calls/model/answer-fold.ts'
export { createId } from './ids.ts'
export { describeGiven } from './pipeline/given-plan.ts'
export { AMEND, definePlugin } from './plugin.ts'
export { type ReloadableRuntime, startRuntime } from './runtime.ts'
export type { RuntimeSettings } from './runtime-settings.ts'
export {
  createRedactor,
  MARK as REDACTED,
  type Redactor,
  redact,
  redactError,
  redactShapes,
  secretsOfConfig,
  secretsOfVariables,
} from './secrets.ts'
export { createMemoryStore, type MemoryStoreSettings } from './stores/memory-store.ts'
export { checkLimit, found, unknownCursor } from './stores/paging.ts'
export {
  figuresOf,
  isWithin,
  type Measured,
  MOST_DURATIONS,
  type RunFigures,
  type RunGroup,
  toGroup,
  toSummary,
} from './stores/run-figures.ts'
export { traceOf } from './trace.ts'
export { readTraceparent, rootSpanOf, type TraceContext, toTraceparent, traceIdOf } from './trace-context.ts'
export { VERSION } from './version.ts'
