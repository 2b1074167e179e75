import type { CostFigure, StoredCostQuery } from '@svc/core'
import { fromKey } from '../keys.ts'
import { whereOf } from './summary-sql.ts'

/** How a store says in SQL: */
interface CostColumns {
  /** the first day of the period in which a run `r` was asked for, with `?` for the minutes ahead of UTC, */
  period: string
  /** the folder of a run `r`, empty where it is of none, */
  folder: string
  /** the model of what was used of one, `u`. */
  model: string
}

/**
 * The statement that adds up what runs `r` took, with `?` for its values: first the minutes ahead of UTC, then those of the
 * conditions, then how many figures are wanted.
 */
export function costSql(
  { by }: Pick<StoredCostQuery, 'by'>,
  { period, folder, model }: CostColumns,
  conditions: readonly string[],
): string {
  const [from, name, of] =
    by === 'model' ? ['runs AS r JOIN run_models AS u ON u.run = r.seq', model, 'u'] : ['runs AS r', folder, 'r']
  return `SELECT ${period} AS start, ${name} AS name, count(*) AS runs, sum(${of}.tokens) AS tokens, sum(${of}.cost) AS cost,
      count(*) - count(${of}.cost) AS unpriced
    FROM ${from} ${whereOf([`${of}.tokens > 0`, ...conditions])} GROUP BY 1, 2 ORDER BY 1, 2 LIMIT ?`
}

export const toCostFigure = ({
  start,
  name,
  runs,
  tokens,
  cost,
  unpriced,
}: Readonly<Record<string, unknown>>): CostFigure => ({
  start: fromKey(start),
  name: fromKey(name),
  runs: Number(runs),
  tokens: Number(tokens),
  costUsd: cost === null ? null : Number(cost),
  unpriced: Number(unpriced),
})
