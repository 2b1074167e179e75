import type { Inspection, Issue } from '../../contracts/stages/inspection.ts'

/** By how much an open issue lowers the health. */
const PENALTY: Readonly<Record<Issue['severity'], number>> = { info: 0.02, warn: 0.1, critical: 0.35 }

/** Product of (1 - penalty) over the open issues. */
export function toScore(issues: readonly Issue[]): number {
  let score = 1
  for (const { severity } of issues) score *= 1 - PENALTY[severity]
  return Math.round(score * 1e6) / 1e6
}

export const toGrade = (score: number): Inspection['grade'] =>
  score >= 0.9 ? 'healthy' : score >= 0.7 ? 'degraded' : 'unhealthy'

const ADDED: ReadonlySet<string> = new Set(['runs', 'turns', 'tokens', 'toolCalls', 'openIssues', 'closedIssues'])

/** The worst of several runs with the issues of all: counts are added up, of other measures the largest is kept. */
export function mergeInspections(inspections: readonly Inspection[]): Inspection {
  const signals: Record<string, number> = { runs: 0, turns: 0, tokens: 0, toolCalls: 0, toolErrorShare: 0 }
  let errors = 0
  for (const { signals: own } of inspections) {
    for (const [name, value] of Object.entries(own)) {
      const before = signals[name] ?? 0
      signals[name] = ADDED.has(name) ? before + value : Math.max(before, value)
    }
    errors += (own.toolErrorShare ?? 0) * (own.toolCalls ?? 0)
  }
  const calls = signals.toolCalls ?? 0
  signals.toolErrorShare = calls === 0 ? 0 : errors / calls
  const score = Math.min(1, ...inspections.map((inspection) => inspection.score))
  return { grade: toGrade(score), score, issues: inspections.flatMap(({ issues }) => issues), signals }
}
