import type { MemoryRecord } from '@svc/sdk/remote'
import { groupBy } from '../state/group-by.ts'

/** Records of one run follow the first of them, however far apart they stand. */
export const groupRuns = <One extends MemoryRecord>(records: readonly One[]): { record: One; isSameRun: boolean }[] =>
  [...groupBy(records, ({ id, source }) => source.runId ?? id).values()].flatMap((group) =>
    group.map((record, index) => ({ record, isSameRun: index > 0 })),
  )
