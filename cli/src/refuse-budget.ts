import { TokenBudgetAllocator } from '@svc/core'
import type { Flags } from './flags.ts'
import type { Started } from './started.ts'

/**
 * Refuses a budget with which no agent can work before there is a run of it. Where a config puts its own code into the
 * stages, and of a server, only the run shows what is enough.
 *
 * @throws UsageError `budget_too_small`
 */
export function refuseBudget({ budget: total }: Flags, { loaded }: Started): void {
  if (total === undefined || loaded === undefined) return
  if (loaded.plugins.length > 0 || loaded.slots.allocate !== undefined) return
  new TokenBudgetAllocator().allocate('SINGLE', 0, 1, { total })
}
