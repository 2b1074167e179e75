import type { Inspection } from '@svc/sdk/remote'
import { groupBy } from '../state/group-by.ts'

type Issue = Inspection['issues'][number]

/** Equal findings of several runs. */
export interface IssueGroup {
  newest: Issue
  /** How often it was seen. */
  count: number
  /** Events that show it, the newest first, each once. */
  evidence: readonly string[]
}

/** What differs between equal findings: numbers and ids. */
const shapeOf = ({ code, severity, message }: Issue): string =>
  `${severity} ${code} ${message.replaceAll(/\b\w+_[0-9A-HJKMNP-TV-Z]{26}\b/g, 'id').replaceAll(/\d+(?:[.,]\d+)*/g, '0')}`

/** Equal issues as one, the newest first. */
export function groupIssues(issues: readonly Issue[]): IssueGroup[] {
  const newestFirst = [...issues].sort((a, b) => b.firstAt - a.firstAt)
  return [...groupBy(newestFirst, shapeOf).values()].flatMap((group) => {
    const [newest] = group
    if (newest === undefined) return []
    const count = group.reduce((sum, issue) => sum + Math.max(1, issue.count), 0)
    return [{ newest, count, evidence: [...new Set(group.flatMap(({ evidence }) => evidence))] }]
  })
}
