import type { MemoryRecord } from '../../../contracts/memory/memory.ts'
import { taints } from '../../../contracts/tool/taints.ts'
import { nameOf } from '../../../support/ids.ts'
import { jaccard, toStems, toWords } from '../../../text/words.ts'
import { isRunSummary, spaceOf } from '../records/record-time.ts'
import type { ContextIndex } from './context-index.ts'

/** Share of words from which on two texts say the same. */
const SAME = 0.8
/** So many of the best hits are compared. */
const COMPARED = 100

type Told = Pick<MemoryRecord, 'content' | 'threadId' | 'outcome'>

/**
 * A long-term record of the same space, trust and taint that is true now and says the same as a text: in the same words,
 * or four fifths of them.
 */
export function findSame(
  content: string,
  like: Pick<MemoryRecord, 'threadId' | 'trust' | 'source'>,
  now: number,
  index: ContextIndex,
  get: (id: string) => MemoryRecord | undefined,
): MemoryRecord | undefined {
  const stems = new Set(toStems(content))
  const accepts = ({ layer, threadId }: { layer?: unknown; threadId?: unknown }) =>
    layer === 'long-term' && threadId === like.threadId
  for (const { id } of index.search(content, { limit: COMPARED, now, filter: { accepts } })) {
    const record = get(id)
    if (record === undefined || record.trust !== like.trust || taints(record) !== taints(like)) continue
    if (jaccard(stems, new Set(toStems(record.content))) >= SAME) return record
  }
  return undefined
}

/**
 * The same for records of one space that say the same, letter case, spaces and punctuation aside; for summaries of runs spaces
 * aside alone.
 */
export const wordingOf = (record: MemoryRecord): string =>
  isRunSummary(record)
    ? nameOf(16, spaceOf(record), 'run', withoutSpaces(record.content))
    : nameOf(16, spaceOf(record), toWords(record.content).join(' '))

/** Whether two records say the same to the letter, spaces aside, within one space, of runs that ended in the same way. */
export const isRepeated = (a: Told, b: Told): boolean =>
  a.threadId === b.threadId &&
  a.outcome?.status === b.outcome?.status &&
  a.outcome?.verdict === b.outcome?.verdict &&
  withoutSpaces(a.content) === withoutSpaces(b.content)

const withoutSpaces = (text: string): string => text.replace(/\s+/gu, ' ').trim()
