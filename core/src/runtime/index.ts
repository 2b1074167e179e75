/** The verbs: hooks, gateways, runs, and the runtime that is assembled from plugins. */

export type { AgentFiles } from './agent-registry.ts'
export { toProfile } from './agent-registry.ts'
export { Ledger, type LedgerSettings, type Reservation } from './budget/ledger.ts'
export { AnswerFold, generateByCompleting } from './calls/answer-fold.ts'
export { redact } from './describe.ts'
export { createId } from './ids.ts'
export type { TapTrace } from './pipeline/hooks.ts'
export { AMEND, definePlugin } from './plugin.ts'
export { startRuntime } from './runtime.ts'
export type { RuntimeSettings } from './runtime-settings.ts'
export { createMemoryStore, type MemoryStoreSettings } from './stores/memory-store.ts'
export { VERSION } from './version.ts'
