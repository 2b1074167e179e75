import type { MemoryRecord } from '../../../contracts/memory/memory.ts'
import { containment, toStems } from '../../../text/words.ts'
import { isWeighty } from './importance.ts'

const PINNED: ReadonlySet<string> = new Set(['pinned', 'system', 'task', 'open-question'])

/** Whether a record stays in working memory while its session lasts. */
export const isPinned = (record: MemoryRecord): boolean => record.tags.some((tag) => PINNED.has(tag))

/**
 * The records of one session's working memory from least to most worth keeping; pinned ones are left out.
 *
 * Worth = .4 rank by recency + .3 kind + .3 overlap with what is being worked on.
 *
 * @param records oldest first
 * @param focus what is being worked on
 */
export function byWorkingValue(records: readonly MemoryRecord[], focus: string): MemoryRecord[] {
  const focused = new Set(toStems(focus))
  const valued = records.map((record, index) => {
    const rank = records.length <= 1 ? 1 : index / (records.length - 1)
    const overlap = focused.size === 0 ? 0 : containment(focused, new Set(toStems(record.content)))
    return { record, value: 0.4 * rank + 0.3 * (isWeighty(record.kind) ? 1 : 0) + 0.3 * overlap }
  })
  return valued
    .filter(({ record }) => !isPinned(record))
    .sort((a, b) => a.value - b.value)
    .map(({ record }) => record)
}
