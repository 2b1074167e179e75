export type { ConsolidationReport } from './consolidate.ts'
export {
  ContextIndex,
  type IndexedText,
  type IndexFilter,
  RANKING,
  type RankedText,
  type RankingConstants,
} from './context-index.ts'
export { type Fact, factsOf } from './facts.ts'
export { importanceOf } from './importance.ts'
export { createMemoryBackend, type MemoryBackend } from './memory-backend.ts'
export { MemoryInput } from './memory-input.ts'
export { quoteHits } from './quote-hits.ts'
export { type MemoryLimits, ThreeLayerMemory, type ThreeLayerMemoryOptions } from './three-layer-memory.ts'
