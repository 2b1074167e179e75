import type { MemoryRecord } from '@svc/sdk/remote'

/** Records of one run follow the first of them, however far apart they stand. */
export function groupRuns<One extends MemoryRecord>(records: readonly One[]): { record: One; isSameRun: boolean }[] {
  const byRun = new Map<string, One[]>()
  for (const record of records) {
    const { id, source } = record
    const key = source.runId ?? id
    byRun.set(key, [...(byRun.get(key) ?? []), record])
  }
  return [...byRun.values()].flatMap((group) => group.map((record, index) => ({ record, isSameRun: index > 0 })))
}
