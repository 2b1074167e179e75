import type { MemoryRecord } from '../../../contracts/memory/memory.ts'

/** Mark of a record that decayed out of the hot index; "as of" queries still find it. */
export const ARCHIVED = 'archived'

/** Tag of a long-term record: the episode that it was made from. */
export const sourceTag = (id: string): string => `from:${id}`

/** Whether a tag names an episode. */
export const isSource = (tag: string): boolean => tag.startsWith('from:')

/** Whether a record holds what a run was asked, or what it answered. */
export const isRunSummary = ({ kind, source }: MemoryRecord): boolean =>
  kind === 'summary' && source.runId !== undefined

/** Whose records belong together: a thread, or everything outside of threads. */
export const spaceOf = (record: Pick<MemoryRecord, 'threadId'>): string =>
  record.threadId === undefined ? '' : `thread ${record.threadId}`

/** What was said in one go: texts of one session are each other's context. */
export const sessionOf = (record: MemoryRecord): string | undefined => record.threadId ?? record.source.runId

/** A record that can be handed out. */
export const copyRecord = (record: MemoryRecord): MemoryRecord => ({
  ...record,
  tags: [...record.tags],
  source: { ...record.source },
})
