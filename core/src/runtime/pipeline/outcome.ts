import type { Claim } from '../../contracts/claim.ts'
import type { ErrorInfo } from '../../contracts/error-info.ts'
import { criticalFailures, type Reflection, verdictOf } from '../../contracts/reflection.ts'
import type { ExecutionResult, Verdict } from '../../contracts/result.ts'
import type { RunView, ToolCallView } from '../../contracts/run-view.ts'
import type { Warning } from '../../contracts/warning.ts'
import type { SvcError } from '../../errors.ts'
import type { PipelineAnswers } from './pipeline.ts'

/** How a run ended, and what its answer is worth. */
export interface Outcome {
  status: ExecutionResult['status']
  /** Why it is incomplete. */
  reason?: string
  error?: ErrorInfo
  verdict: Verdict
  claims: readonly Claim[]
  warnings: readonly Warning[]
}

/**
 * Decides how a run ended: an error of the pipeline first, then what the agents say, then what the log says about it.
 * An answer that needed what was denied, or that fails a critical check, is incomplete, whatever it says of itself.
 */
export function outcomeOf(answers: PipelineAnswers, thrown: SvcError | undefined, view: RunView): Outcome {
  const { execution, reflection } = answers
  const claims = reflection?.claims ?? []
  const found = { claims, warnings: [] as Warning[] }
  if (thrown !== undefined) {
    const error = thrown.toInfo()
    if (thrown.code === 'cancelled') return { ...found, status: 'cancelled', error, verdict: 'unverified' }
    if (thrown.exitCode !== 6) return { ...found, status: 'failed', error, verdict: 'fail' }
    return { ...found, status: 'incomplete', reason: thrown.code, error, verdict: 'unverified' }
  }
  const failed = criticalFailures(reflection)
  const warnings = failed.length === 0 ? [] : warningsOf(claims, failed)
  const verdict = verdictOf(reflection)
  if (execution === undefined) return { ...found, status: 'completed', verdict }
  const { status, reason, error } = execution
  if (status === 'failed') return { claims, warnings, status, verdict: 'fail', ...(error && { error }) }
  if (status === 'incomplete') {
    return { claims, warnings, status, verdict, reason: reason ?? error?.code ?? 'limit', ...(error && { error }) }
  }
  const denied = findMissingEffect(view)
  if (denied !== undefined) {
    const { by, reason: why } = denied.denied ?? { by: 'rule', reason: '' }
    if (by === 'rule') warnings.push({ code: 'policy_denied', message: `${denied.tool}: ${why}` })
    return {
      claims,
      warnings,
      status: 'incomplete',
      reason: by === 'rule' ? 'policy_denied' : 'approval_denied',
      verdict: failed.length > 0 ? 'fail' : 'unverified',
    }
  }
  if (failed.length > 0) return { claims, warnings, status: 'incomplete', reason: 'checks_failed', verdict }
  return { claims, warnings, status, verdict }
}

/** The warnings of an answer that failed its checks: the words it claims, with the evidence. */
function warningsOf(claims: readonly Claim[], failed: Reflection['checks']): Warning[] {
  const warnings = claims.flatMap(({ text, kind, verdict, evidence }): Warning[] => {
    if (verdict === 'supported' || (verdict === 'unsupported' && kind === 'figure')) return []
    const seen = evidence
      .map(({ seq, path, exitCode }) =>
        [path, exitCode === undefined ? '' : `exit code ${exitCode}`, seq === undefined ? '' : `event ${seq}`]
          .filter((part) => part !== undefined && part !== '')
          .join(', '),
      )
      .filter((part) => part !== '')
    const why = verdict === 'contradicted' ? 'the log says otherwise' : 'nothing in the log shows it'
    return [{ code: `claim_${verdict}`, message: `"${text}": ${why}${seen.length > 0 ? ` (${seen.join('; ')})` : ''}` }]
  })
  for (const { id, evidence } of failed) {
    const code = id === SCHEMA_CHECK ? 'output_schema_mismatch' : 'check_failed'
    if (code === 'output_schema_mismatch' || warnings.length === 0) {
      warnings.push({ code, message: `the check ${id} failed${evidence === undefined ? '' : `: ${evidence}`}` })
    }
  }
  return warnings
}

/** The check of the form that `outputSchema` asked for. */
const SCHEMA_CHECK = 'schema'

const ACTING: ReadonlySet<string> = new Set(['write', 'execute', 'destructive'])

/** The first denied call with an effect that no later call brought about on the same path, host or command. */
function findMissingEffect(view: RunView): ToolCallView | undefined {
  return view.toolCalls.find(
    (call, index) =>
      call.status === 'denied' &&
      ACTING.has(call.risk) &&
      !view.toolCalls.slice(index + 1).some((later) => later.status === 'completed' && hasSameEffect(call, later)),
  )
}

function hasSameEffect(denied: ToolCallView, later: ToolCallView): boolean {
  if (!ACTING.has(later.risk) && later.risk !== 'network') return false
  const targets = targetsOf(denied.args)
  if (targets.size === 0) return later.tool === denied.tool
  for (const target of targetsOf(later.args)) if (targets.has(target)) return true
  return false
}

const TARGET_NAME = /path|file|folder|dir|target|dest|url|host|command|script/i

/** What a call acts on: the paths, addresses and commands among its arguments. */
function targetsOf(args: unknown): Set<string> {
  if (typeof args !== 'object' || args === null) return new Set()
  return new Set(
    Object.entries(args).flatMap(([name, value]) => {
      if (!TARGET_NAME.test(name) || value === undefined) return []
      return [typeof value === 'string' ? value.replace(/^\.\//, '') : JSON.stringify(value)]
    }),
  )
}
