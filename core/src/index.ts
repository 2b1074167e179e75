/** The public surface, in reading order: the nouns, the verbs, the seven components, the config. */

// biome-ignore-start assist/source/organizeImports: in reading order
export * from './contracts/index.ts'
export * from './errors.ts'
export * from './validate.ts'
export * from './runtime/index.ts'
export * from './components/task-complexity-analyzer/index.ts'
export * from './components/token-budget-allocator/index.ts'
export * from './components/adaptive-orchestrator/index.ts'
export * from './components/three-layer-memory/index.ts'
export * from './components/reflection-engine/index.ts'
export * from './components/consensus-checker/index.ts'
export * from './components/inspector-agent/index.ts'
export * from './globals.ts'
export * from './config/index.ts'
export * from './text/index.ts'
// biome-ignore-end assist/source/organizeImports: in reading order
