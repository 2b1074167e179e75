import type { MemoryRecord } from './memory.ts'

/** How the run ended that a record is of, and what its answer is worth; empty for a record that is of none. */
export const runStateOf = ({ outcome }: Pick<MemoryRecord, 'outcome'>): string =>
  outcome === undefined ? '' : `${outcome.status}, ${outcome.verdict}`

/** What stands before a record that is quoted in a prompt: since when, who said it, whether it is trusted, how its run ended. */
export function markOf(record: Pick<MemoryRecord, 'validFrom' | 'source' | 'trust' | 'outcome'>): string {
  const state = runStateOf(record)
  const run = state === '' ? '' : `, run ${state}`
  return `[${record.validFrom.slice(0, 10)}, ${record.source.origin}, ${record.trust}${run}]`
}

/** Whether a person said it, outside of runs: what a run left is no evidence for another one. */
export const isSaidByPerson = ({ source }: Pick<MemoryRecord, 'source'>): boolean =>
  source.origin === 'user' && source.runId === undefined
