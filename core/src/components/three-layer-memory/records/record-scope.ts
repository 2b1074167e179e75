import type { MemoryQuery, MemoryRecord, MemoryScope } from '../../../contracts/memory/memory.ts'
import type { Layer } from '../../../contracts/words.ts'
import { ValidationError } from '../../../errors.ts'
import type { IndexFilter } from '../search/indexed-text.ts'
import { ARCHIVED } from './record-time.ts'

/** What decides whether a query may see a record. */
export interface RecordGroup {
  layer: Layer
  threadId: string | undefined
  agentId: string | undefined
  runId: string | undefined
  archived: boolean
}

/** The group of a record. */
export const groupOf = ({ layer, threadId, source, tags }: MemoryRecord) => ({
  layer,
  threadId,
  agentId: source.agentId,
  runId: source.runId,
  archived: tags.includes(ARCHIVED),
})

/** What a query may see. @throws ValidationError `validation_failed` for an `asOf` that is no time */
export function filterOf({ asOf, scope, layers }: MemoryQuery): IndexFilter {
  return {
    key: JSON.stringify([asOf !== undefined, layers, scope]),
    accepts: (group) =>
      (asOf !== undefined || group.archived !== true) &&
      (layers === undefined || layers.some((layer) => layer === group.layer)) &&
      inScope(group, scope),
    ...(asOf === undefined ? {} : { at: momentOf(asOf, 'asOf') }),
    ...(scope?.threadId ? { session: scope.threadId } : {}),
  }
}

export function inScope(
  group: Partial<Pick<RecordGroup, 'threadId' | 'agentId' | 'runId'>>,
  scope: MemoryScope = {},
): boolean {
  const { threadId, agentId, runId } = scope
  return (
    (threadId === undefined || (group.threadId ?? '') === threadId) &&
    (agentId === undefined || (group.agentId ?? '') === agentId) &&
    (runId === undefined || (group.runId ?? '') === runId)
  )
}

/** @throws ValidationError `validation_failed` for what is no time */
export function momentOf(text: string, field: string): number {
  const timeMs = Date.parse(text)
  if (!Number.isNaN(timeMs)) return timeMs
  const message = `${field} is ${JSON.stringify(text)}; it must be a time such as 2026-01-31T12:00:00.000Z`
  throw new ValidationError('validation_failed', message, { errors: [{ path: `/${field}`, message }] })
}
