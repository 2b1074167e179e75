import type { Run } from '../../../contracts/run/run.ts'
import type { RunRow } from '../../../contracts/store/store.ts'

/** A run as it is listed: its row without what only the runtime needs. Field by field, because it is made for every look at a run. */
export function toRun(row: RunRow): Run {
  const run: Run = {
    id: row.id,
    status: row.status,
    mode: row.mode,
    task: row.task,
    recoveries: row.recoveries,
    version: row.version,
    createdAt: row.createdAt,
    lastSeq: row.lastSeq,
    agents: row.agents,
    usage: row.usage,
    costUsd: row.costUsd,
    links: row.links,
  }
  if (row.space !== undefined) run.space = row.space
  if (row.threadId !== undefined) run.threadId = row.threadId
  if (row.parentRunId !== undefined) run.parentRunId = row.parentRunId
  if (row.startedAt !== undefined) run.startedAt = row.startedAt
  if (row.finishedAt !== undefined) run.finishedAt = row.finishedAt
  if (row.topology !== undefined) run.topology = row.topology
  if (row.waiting !== undefined) run.waiting = row.waiting
  if (row.error !== undefined) run.error = row.error
  if (row.incomplete !== undefined) run.incomplete = row.incomplete
  if (row.result !== undefined) run.result = row.result
  if (row.tags !== undefined) run.tags = row.tags
  return run
}
