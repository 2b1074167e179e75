/** One lazily made instance of each component, for those who want state shared across the process. */
import { AdaptiveOrchestrator } from './components/adaptive-orchestrator/index.ts'
import { ConsensusChecker } from './components/consensus-checker/index.ts'
import { InspectorAgent } from './components/inspector-agent/index.ts'
import { ReflectionEngine } from './components/reflection-engine/index.ts'
import { TaskComplexityAnalyzer } from './components/task-complexity-analyzer/index.ts'
import { ThreeLayerMemory } from './components/three-layer-memory/index.ts'
import { TokenBudgetAllocator } from './components/token-budget-allocator/index.ts'

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The process's analyzer: what it learns from outcomes, everyone who asks for it shares. */
export const getGlobalTaskComplexityAnalyzer = once(() => new TaskComplexityAnalyzer())

/** The process's allocator. */
export const getGlobalTokenBudgetAllocator = once(() => new TokenBudgetAllocator())

/** The process's orchestrator, with the agents registered on it. */
export const getGlobalAdaptiveOrchestrator = once(() => new AdaptiveOrchestrator())

/** The process's memory. */
export const getGlobalThreeLayerMemory = once(() => new ThreeLayerMemory())

/** The process's reflection engine, with the checks registered on it. */
export const getGlobalReflectionEngine = once(() => new ReflectionEngine())

/** The process's consensus checker. */
export const getGlobalConsensusChecker = once(() => new ConsensusChecker())

/** The process's inspector, which has seen whatever was shown to it. */
export const getGlobalInspectorAgent = once(() => new InspectorAgent())
