import type { Inputs } from '@svc/core'

/**
 * Whether a run did what it was asked, for what learns from runs: it came to its end, its answer did not fail the
 * reflection, and the votes, where there were any, did not leave it open.
 *
 * @returns undefined where the run says nothing about that: a provider that is down would have failed any run
 */
export function successOfRun({
  execution,
  reflection,
  consensus,
}: Pick<Inputs['inspect'], 'execution' | 'reflection' | 'consensus'>): boolean | undefined {
  if (execution.error?.code.startsWith('provider_')) return undefined
  if (execution.status !== 'completed' || consensus?.decision === 'abstain') return false
  return reflection?.verdict !== 'fail' && reflection?.verdict !== 'escalate'
}
