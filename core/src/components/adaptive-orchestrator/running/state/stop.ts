import type { ErrorInfo, RunContext } from '../../../../contracts/index.ts'
import type { SvcError } from '../../../../errors.ts'

/** Why an execution starts nothing more. */
export type Stop = ErrorInfo

const LIMITS: ReadonlySet<string> = new Set([
  'budget_exhausted',
  'max_steps',
  'run_timeout',
  'loop_detected',
  'output_schema_mismatch',
])

/** Limits end a run with the best answer so far; everything else that stops it is an error. */
export const isLimit = ({ code }: { readonly code: string }): boolean => LIMITS.has(code)

/** Whether a limit is that of one step or one agent, which leaves the others alone. */
export function isOwnLimit(
  { code, details }: SvcError,
  agentId: string,
  { budget }: Pick<RunContext, 'budget'>,
): boolean {
  if (code === 'budget_exhausted') return budget.remaining(agentId) < budget.remaining()
  return details?.scope === 'step' || code === 'output_schema_mismatch'
}
