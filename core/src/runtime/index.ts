/** The verbs: hooks, gateways, runs, and the runtime that is assembled from plugins. */

export { createId } from '../support/ids.ts'
export {
  createRedactor,
  MARK as REDACTED,
  type Redactor,
  redact,
  redactShapes,
  secretsOfConfig,
  secretsOfVariables,
} from '../support/secrets.ts'
export type { AgentFiles } from './assembly/agent-registry.ts'
export { toProfile } from './assembly/agent-registry.ts'
export { type ReloadableRuntime, startRuntime } from './assembly/runtime.ts'
export type { RuntimeSettings } from './assembly/runtime-settings.ts'
export { Ledger, type LedgerSettings, type Reservation } from './budget/ledger.ts'
export { AnswerFold, generateByCompleting } from './calls/model/answer-fold.ts'
export { defineTool, type ToolDefinition } from './calls/tools/define-tool.ts'
export { AMEND, definePlugin } from './hooks/plugin.ts'
export { traceOf } from './observe/trace.ts'
export { readTraceparent, rootSpanOf, type TraceContext, toTraceparent, traceIdOf } from './observe/trace-context.ts'
export { describeGiven } from './pipeline/given-plan.ts'
export { createMemoryStore, type MemoryStoreSettings } from './stores/memory-store.ts'
export { checkLimit, found, unknownCursor } from './stores/paging.ts'
export {
  figuresOf,
  isWithin,
  type Measured,
  MOST_DURATIONS,
  type ModelFigures,
  type RunFigures,
  type RunGroup,
  sumCosts,
  toGroup,
  toSummary,
} from './stores/run-figures.ts'
export { VERSION } from './version.ts'
