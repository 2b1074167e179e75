import type { Inputs, RunContext } from '@svc/core'

/**
 * Whether a run did what it was asked, for what learns from runs: it came to its end, its answer did not fail the
 * reflection, and the votes, where there were any, did not leave it open.
 *
 * @returns undefined where the run says nothing about that: a provider that is down would have failed any run, and what a
 *   person or a rule did not let happen, no run could have done
 */
export function successOfRun(
  { execution, reflection, consensus }: Pick<Inputs['inspect'], 'execution' | 'reflection' | 'consensus'>,
  { missingEffect }: RunContext['view'],
): boolean | undefined {
  if (execution.error?.code.startsWith('provider_') || missingEffect !== undefined) return undefined
  if (execution.status !== 'completed' || consensus?.decision === 'abstain') return false
  return reflection?.verdict !== 'fail' && reflection?.verdict !== 'escalate'
}
