import { signal } from '@preact/signals'
import { isTerminal } from '@svc/core/client'
import type { RunRow } from '../run-list.ts'

/** Runs that are chosen, by their ids, as they were last seen. They stay chosen while one looks at other views. */
export type Chosen = ReadonlyMap<string, RunRow>

export const chosen = signal<Chosen>(new Map())

/** Chooses runs, or no longer. */
export function withChosen(before: Chosen, runs: readonly RunRow[], isChosen: boolean): Chosen {
  const next = new Map(before)
  for (const run of runs) {
    if (isChosen) next.set(run.id, run)
    else next.delete(run.id)
  }
  return next
}

/** The rows from one to another, whichever comes first; the other alone where the one is not there. */
export function rowsBetween(rows: readonly RunRow[], from: string | undefined, to: string): readonly RunRow[] {
  const [one, other] = [rows.findIndex(({ id }) => id === from), rows.findIndex(({ id }) => id === to)]
  if (other === -1) return []
  return one === -1 ? rows.slice(other, other + 1) : rows.slice(Math.min(one, other), Math.max(one, other) + 1)
}

/** What many runs are asked at once. */
export type BulkAct = 'cancel' | 'delete'

/** Whether it can be done about a run as it stands. */
export const isFor = (act: BulkAct, { status }: Pick<RunRow, 'status'>): boolean =>
  act === 'delete' ? isTerminal(status) : !isTerminal(status) && status !== 'cancelling'
