/**
 * The public surface, in reading order: the nouns, the verbs, the seven components, the config.
 *
 * Every type is here. Values that few need stand in subpaths: `@svc/core/schema` (a schema for each shape), `/text`,
 * `/support`, `/components` (the parts of the components), `/config` (loading), `/testing`, `/client` (what needs no Node).
 */

// biome-ignore-start assist/source/organizeImports: in reading order
export type * from './contracts/index.ts'
export { DEFAULT_PROGRAM_MEMORY_MB, SLOTS } from './contracts/config.ts'
export { isEphemeral, isTerminalEvent } from './contracts/log/event.ts'
export { textMessage, toText } from './contracts/model/message-text.ts'
export { CONTINUE_REQUEST } from './contracts/model/continue-request.ts'
export { NO_ANSWER } from './contracts/run/no-answer.ts'
export { isTerminal } from './contracts/run/run-end.ts'
export { RunView } from './contracts/run/run-view.ts'
export { STAGES } from './contracts/stages/stages.ts'
export { taints } from './contracts/tool/taints.ts'
export { addUsage, noUsage } from './contracts/model/usage-sum.ts'
export { TOPOLOGIES, toTopology } from './contracts/words.ts'
export { toUri, toWrittenFile } from './contracts/tool/written-file.ts'
export * from './errors.ts'
export * from './validate.ts'
export * from './runtime/index.ts'
export { definePlan } from './plan/define-plan.ts'
export type * from './components.ts'
export { TaskComplexityAnalyzer } from './components/task-complexity-analyzer/index.ts'
export { TokenBudgetAllocator } from './components/token-budget-allocator/index.ts'
export { AdaptiveOrchestrator } from './components/adaptive-orchestrator/index.ts'
export { ThreeLayerMemory } from './components/three-layer-memory/index.ts'
export { ReflectionEngine } from './components/reflection-engine/index.ts'
export { ConsensusChecker } from './components/consensus-checker/index.ts'
export { InspectorAgent } from './components/inspector-agent/index.ts'
export * from './globals.ts'
export type * from './config/index.ts'
export { defineConfig } from './config/define-config.ts'
export type * from './text/index.ts'
export { estimateTokens } from './text/estimate-tokens.ts'
// biome-ignore-end assist/source/organizeImports: in reading order
