import type { RunRow, SvcError } from '@svc/core'
import { fromKey, textOf, toKey } from './keys.ts'

type Row = Readonly<Record<string, unknown>>

/** The newest format of a journal that this svc reads. */
export const FORMAT = 2

/** Fields that stand in columns, and not in a body. */
const IN_COLUMNS = ['id', 'format', 'status', 'mode', 'version', 'lastSeq', 'createdAt', 'threadId'] as const

/** What a state says beside fields of the row; no field of a row has such a name. */
const GONE = '-gone'
export const RESULT_SEQ = '-result'

/** Fields of a run's row that have changed since the run was made. */
export type RunState = Readonly<Record<string, unknown>>

/** Lowest first is the order in which runs are offered. */
export const rankOf = ({ create: { priority = 0 } }: RunRow): number => -priority

/** Whose runs take turns with those of others: those of one key of a server, else those of one folder. */
export const tenantOf = ({ owner, space = '' }: RunRow): string => (owner === undefined ? space : `${space}\n${owner}`)

/** What runs of an owner are found by, among the tags: no tag of a person's is kept like this, with a `"` before and none behind. */
export const ownerTag = (owner: string): string => `"owner ${toKey(owner)}.`

/** What a run is found by: its tags, and its owner. */
export const tagsOf = ({ tags = [], owner }: RunRow): string[] => [
  ...new Set([...tags.map(toKey), ...(owner === undefined ? [] : [ownerTag(owner)])]),
]

/** Where a run stands in that order: its rank, then its number. */
export type QueuePosition = readonly [rank: number, seq: number]

/** Before all others. */
export const FIRST: QueuePosition = [-1_000, 0]

export const placeOf = (row: Row | undefined): QueuePosition => [Number(row?.rank), Number(row?.seq)]

/** What of a new run's row is never written again. */
export function requestOf(row: RunRow): Record<string, unknown> {
  const request: Record<string, unknown> = { ...row }
  for (const field of IN_COLUMNS) delete request[field]
  if (request.task === row.create.task) delete request.task
  // The column holds a key, which only a lookup reads.
  if (row.threadId !== undefined) request.threadId = row.threadId
  return request
}

/**
 * The state after a commit.
 *
 * @param fields as JSON; undefined for one that was taken away
 * @param resultSeq number of the event that holds the row's result
 */
export function changeState(
  state: RunState,
  fields: readonly (readonly [string, string | undefined])[],
  resultSeq: number | undefined,
): RunState {
  const { [GONE]: before = [], ...next }: Record<string, unknown> = state
  const gone = new Set(before as string[])
  for (const [name, json] of fields) {
    if (name === 'result') delete next[RESULT_SEQ]
    if (json === undefined) {
      delete next[name]
      gone.add(name)
    } else {
      next[name] = JSON.parse(json)
      gone.delete(name)
    }
  }
  if (resultSeq !== undefined) next[RESULT_SEQ] = resultSeq
  return gone.size === 0 ? next : { ...next, [GONE]: [...gone] }
}

/** A run's row, put together from its columns, what it was asked for, and what has changed since. */
export function toRunRow(
  found: Row,
  asked: Record<string, unknown>,
  state: RunState,
  resultAt: (seq: number) => unknown,
): RunRow {
  const { [GONE]: gone = [], [RESULT_SEQ]: resultSeq, ...changed } = state
  const { task = (asked.create as RunRow['create'] | undefined)?.task, ...rest } = asked
  const row: Record<string, unknown> = {
    id: fromKey(found.id),
    status: textOf(found.status),
    mode: textOf(found.mode),
    task,
    ...rest,
    version: Number(found.version),
    createdAt: textOf(found.created_at),
    lastSeq: Number(found.last_seq),
    format: found.format,
    ...changed,
  }
  for (const field of gone as string[]) delete row[field]
  if (resultSeq !== undefined) row.result = resultAt(Number(resultSeq))
  return row as unknown as RunRow
}

/** What is left of a run that cannot be read, so that a list shows it and it can be removed. */
export function unreadableRow(found: Row, error: SvcError): RunRow {
  return {
    id: fromKey(found.id),
    status: 'failed',
    mode: textOf(found.mode) as RunRow['mode'],
    task: '',
    recoveries: 0,
    version: Number(found.version),
    createdAt: textOf(found.created_at),
    lastSeq: Number(found.last_seq),
    agents: [],
    usage: { inputTokens: 0, outputTokens: 0, estimated: true, modelCalls: 0 },
    costUsd: null,
    error: error.toInfo(),
    links: {},
    format: 1,
    create: { task: '' },
    configHash: '',
  }
}
