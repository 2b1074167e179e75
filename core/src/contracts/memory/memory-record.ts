import { hasAnswer } from '../run/run-end.ts'
import type { MemoryRecord } from './memory.ts'

/** How the run ended that a record is of, and what its answer is worth; empty for a record that is of none. */
export const runStateOf = ({ outcome }: Pick<MemoryRecord, 'outcome'>): string =>
  outcome === undefined ? '' : `${outcome.status}${hasAnswer(outcome) ? `, ${outcome.verdict}` : ''}`

/**
 * What stands before a record that is quoted in a prompt: since when, who said it, whether it is trusted, how its run ended.
 * Of what a run left only the person's part is trusted.
 */
export function markOf(record: Pick<MemoryRecord, 'validFrom' | 'source' | 'trust' | 'outcome'>): string {
  const state = runStateOf(record)
  const run = state === '' ? '' : `, run ${state}`
  const part = state !== '' && record.trust === 'trusted' ? ': what was asked' : ''
  return `[${record.validFrom.slice(0, 10)}, ${record.source.origin}, ${record.trust}${part}${run}]`
}

/** Whether a person said it, outside of runs: what a run left is no evidence for another one. */
export const isSaidByPerson = ({ source }: Pick<MemoryRecord, 'source'>): boolean =>
  source.origin === 'user' && source.runId === undefined
