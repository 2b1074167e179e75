export { toTopologyMarkdown } from './to-topology-markdown.ts'
export { toTopologyReport } from './to-topology-report.ts'
export type { Regret, TopologyReport } from './topology-report.ts'
