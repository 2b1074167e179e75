import type { RunContext } from '../../contracts/index.ts'
import { CancelledError, type SvcError, toSvcError } from '../../errors.ts'

/** Why an execution stopped before its end. */
export interface Stop {
  code: string
  message: string
}

const LIMITS: ReadonlySet<string> = new Set([
  'budget_exhausted',
  'max_steps',
  'run_timeout',
  'loop_detected',
  'output_schema_mismatch',
])

/** Limits end a run with the best answer so far; everything else that stops it is an error. */
export const isLimit = ({ code }: Pick<SvcError, 'code'> | Stop): boolean => LIMITS.has(code)

/** Whether a limit is that of one step or one agent, which leaves the others alone. */
export function isOwnLimit(
  { code, details }: SvcError,
  agentId: string,
  { budget }: Pick<RunContext, 'budget'>,
): boolean {
  if (code === 'budget_exhausted') return budget.remaining(agentId) < budget.remaining()
  return details?.scope === 'step' || code === 'output_schema_mismatch'
}

/** Rejects when a signal aborts, with its reason where that is an error of svc; else as cancelled. */
export function whenAborted(signal: AbortSignal): { promise: Promise<never>; release: () => void } {
  let release = (): void => undefined
  const promise = new Promise<never>((_, reject) => {
    const abort = (): void => {
      const reason = signal.reason === undefined ? undefined : toSvcError(signal.reason)
      reject(
        reason !== undefined && reason.code !== 'internal_error'
          ? reason
          : new CancelledError('cancelled', 'the run was cancelled'),
      )
    }
    if (signal.aborted) abort()
    else {
      signal.addEventListener('abort', abort, { once: true })
      release = () => signal.removeEventListener('abort', abort)
    }
  })
  promise.catch(() => undefined) // a run that ends before the abort leaves nobody to hear it
  return { promise, release }
}
