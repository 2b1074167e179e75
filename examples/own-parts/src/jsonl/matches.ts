import { isWithin, type RunQuery, type RunRow } from '@svc/core'
import { toRunWords, toSearchText } from '@svc/core/text'

/** Whether a list of runs that is narrowed so holds this one. */
export function matches(row: RunRow, query: RunQuery): boolean {
  const { status, threadId, agent, mode, createdAfter, createdBefore, q, tag } = query
  const agents = [
    ...row.agents.map(({ id }) => id),
    ...(row.create.agents ?? []).map((named) => (typeof named === 'string' ? named : named.id)),
  ]
  return (
    (status === undefined || row.status === status) &&
    (threadId === undefined || row.threadId === threadId) &&
    (agent === undefined || agents.includes(agent)) &&
    (mode === undefined || row.mode === mode) &&
    (createdAfter === undefined || row.createdAt >= createdAfter) &&
    (createdBefore === undefined || row.createdAt < createdBefore) &&
    (q === undefined || toRunWords(row).includes(toSearchText(q))) &&
    (tag === undefined || row.tags?.includes(tag) === true) &&
    isOf(row, query) &&
    isWithin(row, query)
  )
}

/** Whether a run is of a folder, or of none, and of an owner. */
export const isOf = (
  row: Pick<RunRow, 'space' | 'owner'> | undefined,
  { space, owner }: Pick<RunQuery, 'space' | 'owner'>,
): boolean =>
  (space === undefined || row?.space === undefined || row.space === space) &&
  (owner === undefined || row?.owner === owner)
