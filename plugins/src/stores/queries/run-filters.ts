import type { Page, RunFilters, Store } from '@svc/core'
import { toKey } from '../keys.ts'
import { ownerTag } from '../run-row.ts'

/** A condition on the table of runs `r`, with `?` for its values. */
interface Condition<V> {
  condition: string
  values: V[]
}

/** Conditions that all have to hold, each with `?` for its values, which stand in the same order. */
export interface Conditions<V> {
  conditions: string[]
  values: V[]
}

/**
 * What a query asks of the table of runs.
 *
 * @param leases finds runs by who holds them
 * @param columns the condition of runs of a space, and of none; when a run was made; and whether tags, agents and models are looked
 *   up for each run, which are few, instead of runs for each tag
 */
export function conditionsOf<V>(
  query: Omit<RunFilters, 'q'>,
  leases: Record<'left' | 'late', () => Condition<V>>,
  { isOf, createdAt, areFew = false }: { isOf: string; createdAt: string; areFew?: boolean },
): Conditions<V | string | number> {
  const { status, threadId, agent, mode, createdAfter, createdBefore, tag, space, owner, left, late } = query
  const { verdict, model } = query
  const has = (table: string, column: string): string =>
    areFew
      ? `EXISTS (SELECT 1 FROM ${table} WHERE ${column} = ? AND run = r.seq)`
      : `r.seq IN (SELECT run FROM ${table} WHERE ${column} = ?)`
  const asked: [string, string | number | undefined][] = [
    ['r.status = ?', status],
    ['r.mode = ?', mode],
    ['r.verdict = ?', verdict],
    [isOf, space && toKey(space)],
    ['r.thread = ?', threadId && toKey(threadId)],
    [`${createdAt} >= ?`, createdAfter],
    [`${createdAt} < ?`, createdBefore],
    [has('run_tags', 'tag'), tag && toKey(tag)],
    [has('run_tags', 'tag'), owner && ownerTag(owner)],
    [has('run_agents', 'agent'), agent && toKey(agent)],
    [has('run_models', 'model'), model && toKey(model)],
    ['r.tokens >= ?', query.minTokens],
    ['r.tokens <= ?', query.maxTokens],
    ['r.cost >= ?', query.minCostUsd],
    ['r.cost <= ?', query.maxCostUsd],
    ['r.duration >= ?', query.minDurationMs],
    ['r.duration <= ?', query.maxDurationMs],
  ]
  const given = givenOf(asked)
  const held = [...(left === true ? [leases.left()] : []), ...(late === true ? [leases.late()] : [])]
  return {
    conditions: [...held.map(({ condition }) => condition), ...given.conditions],
    values: [...held.flatMap(({ values }) => values), ...given.values],
  }
}

/**
 * What a query asks of a table of approvals `r`.
 *
 * @param run the number of the run that is asked for
 * @param isOf the condition of runs `u` of a space, and of none
 */
export function approvalConditions(
  { status, space, owner }: NonNullable<Parameters<Store['approvals']['list']>[0]>,
  run: number | undefined,
  isOf: string,
): Conditions<string | number> {
  // A version before this one left questions of runs that had ended.
  const isOpen =
    status === 'pending' ? ' AND EXISTS (SELECT 1 FROM runs AS e WHERE e.seq = r.run AND e.ended_at IS NULL)' : ''
  return givenOf([
    [`r.status = ?${isOpen}`, status],
    ['r.run = ?', run],
    [`EXISTS (SELECT 1 FROM runs AS u WHERE u.seq = r.run AND ${isOf})`, space && toKey(space)],
    ['r.run IN (SELECT run FROM run_tags WHERE tag = ?)', owner && ownerTag(owner)],
  ])
}

/** Conditions that have a value. */
function givenOf(asked: readonly [string, string | number | undefined][]): Conditions<string | number> {
  const given = asked.filter((pair): pair is [string, string | number] => pair[1] !== undefined)
  return { conditions: given.map(([condition]) => condition), values: given.map(([, value]) => value) }
}

/** A page of what its rows hold. */
export function toPage<R, T>(
  { rows, hasMore }: { rows: readonly R[]; hasMore: boolean },
  read: (row: R) => [string, T],
): Page<T> {
  const items = rows.map(read)
  const last = hasMore ? items.at(-1) : undefined
  return {
    data: items.map(([, item]) => item),
    hasMore,
    ...(last === undefined ? {} : { nextCursor: last[0] }),
  }
}
