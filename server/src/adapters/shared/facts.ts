import type { ExecutionResult, Run, Verdict, Warning } from '@svc/core'

/** What clients of every protocol learn of a run beside its answer. */
export interface RunFacts {
  status: Run['status']
  verdict?: Verdict
  /** Why it is incomplete: `limit`, `checks_failed`, `approval_denied`, ... */
  reason?: string
  /** What its person is to know: turns that were left out, what was denied, ... */
  warnings?: Warning[]
}

const MOST_WARNINGS = 20

/** The facts of a run as it stands. */
export const factsOf = ({ status, verdict, incomplete, result }: Run): RunFacts =>
  toFacts(status, verdict, incomplete, isExecuted(result) ? result.warnings : undefined)

/** The facts of a run that has ended. */
export const resultFacts = ({ status, verdict, incomplete, warnings }: ExecutionResult): RunFacts =>
  toFacts(status, verdict, incomplete, warnings)

const toFacts = (
  status: Run['status'],
  verdict: Verdict | undefined,
  incomplete: Run['incomplete'],
  warnings: readonly Warning[] = [],
): RunFacts => ({
  status,
  ...(verdict !== undefined && { verdict }),
  ...(incomplete && { reason: incomplete.reason }),
  ...(warnings.length > 0 && { warnings: warnings.slice(0, MOST_WARNINGS) }),
})

/** Whether a result is that of a run that went to its end, and not to a plan or an analysis alone. */
export const isExecuted = (result: Run['result']): result is ExecutionResult =>
  typeof result === 'object' && result !== null && 'verdict' in result
