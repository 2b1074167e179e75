/** `@svc/core/components`: the seven components, and the parts that they are made of. */
export * from './components/adaptive-orchestrator/index.ts'
export * from './components/consensus-checker/index.ts'
export * from './components/inspector-agent/index.ts'
export * from './components/reflection-engine/index.ts'
export * from './components/task-complexity-analyzer/index.ts'
export * from './components/three-layer-memory/index.ts'
export * from './components/token-budget-allocator/index.ts'
