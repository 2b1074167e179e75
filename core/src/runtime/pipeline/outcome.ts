import type { ErrorInfo } from '../../contracts/error-info.ts'
import type { RunOutcome } from '../../contracts/run/result.ts'
import type { RunOptions } from '../../contracts/run/run.ts'
import type { RunView } from '../../contracts/run/run-view.ts'
import type { Claim } from '../../contracts/stages/claim.ts'
import type { Execution } from '../../contracts/stages/execution.ts'
import { criticalFailures, type Reflection, verdictOf } from '../../contracts/stages/reflection.ts'
import type { Warning } from '../../contracts/warning.ts'
import type { SvcError } from '../../errors.ts'
import { suggestRule } from '../calls/policy/suggest-rule.ts'

/** How a run ended, and what is said of it. */
export interface Outcome extends RunOutcome {
  error?: ErrorInfo
  claims: readonly Claim[]
  warnings: readonly Warning[]
}

/**
 * Decides how a run ended: an error of the pipeline first, then what the agents say, then what the log says about it.
 * An answer that needed what was denied, or that fails a critical check, is incomplete, whatever it says of itself; with
 * `strict` so is one that could not be verified.
 */
export function outcomeOf(
  { execution, reflection }: { execution?: Execution; reflection?: Reflection | undefined },
  thrown: SvcError | undefined,
  view: RunView,
  { strict = false }: Pick<RunOptions, 'strict'> = {},
): Outcome {
  const claims = reflection?.claims ?? []
  const found = { claims, warnings: [] as Warning[] }
  if (thrown !== undefined) {
    const error = thrown.toInfo()
    if (thrown.code === 'cancelled') return { ...NO_ANSWER, status: 'cancelled', error }
    if (thrown.exitCode !== 6) return { ...NO_ANSWER, status: 'failed', error }
    return { ...found, status: 'incomplete', reason: thrown.code, error, verdict: 'unverified' }
  }
  const failed = criticalFailures(reflection)
  const warnings = failed.length === 0 ? [] : warningsOf(claims, failed)
  const verdict = verdictOf(reflection)
  if (execution === undefined) return { ...found, status: 'completed', verdict }
  const { status, reason, error } = execution
  if (status === 'failed') return { ...NO_ANSWER, warnings, status, ...(error && { error }) }
  if (status === 'incomplete') {
    if (reason === CHECKS_FAILED || error?.code === SCHEMA_MISMATCH) {
      // The agents have seen it, and no check has to look again.
      if (failed.length === 0 && error) warnings.push({ code: SCHEMA_MISMATCH, message: error.message })
      return { claims, warnings, status, verdict: 'fail', reason: CHECKS_FAILED, ...(error && { error }) }
    }
    // what passed says no more than that nothing was answered
    const worth = reason === NOT_FOUND && verdict === 'pass' ? 'unverified' : verdict
    return {
      claims,
      warnings,
      status,
      verdict: worth,
      reason: reason ?? error?.code ?? 'limit',
      ...(error && { error }),
    }
  }
  const denied = view.missingEffect
  if (denied !== undefined) {
    const { by, reason: why, allowedBy } = denied.denied ?? { by: 'rule', reason: '' }
    if (by === 'rule')
      warnings.push({ code: 'policy_denied', message: suggestRule(`${denied.tool}: ${why}`, allowedBy) })
    return {
      claims,
      warnings,
      status: 'incomplete',
      reason: by === 'rule' ? 'policy_denied' : 'approval_denied',
      verdict: failed.length > 0 ? 'fail' : 'unverified',
    }
  }
  if (failed.length > 0) return { claims, warnings, status: 'incomplete', reason: CHECKS_FAILED, verdict }
  if (strict && verdict !== 'pass') return { claims, warnings, status: 'incomplete', reason: NOT_VERIFIED, verdict }
  return { claims, warnings, status, verdict }
}

/** What is said of a run without an answer: its error is no statement that could be held. */
const NO_ANSWER = { claims: [], warnings: [], verdict: 'unverified' } as const

/** The warnings of an answer that failed its checks: the words it claims, with the evidence, each once. */
function warningsOf(claims: readonly Claim[], failed: Reflection['checks']): Warning[] {
  const warnings = claims.flatMap(({ text, verdict, why = 'the log says otherwise', evidence }): Warning[] => {
    if (verdict !== 'contradicted') return []
    const seen = evidence
      .map(({ seq, path, exitCode }) =>
        [path, exitCode === undefined ? '' : `exit code ${exitCode}`, seq === undefined ? '' : `event ${seq}`]
          .filter((part) => part !== undefined && part !== '')
          .join(', '),
      )
      .filter((part) => part !== '')
    const message = `"${text}": ${why}${seen.length > 0 ? ` (${seen.join('; ')})` : ''}`
    return [{ code: 'claim_contradicted', message }]
  })
  for (const { id, evidence } of failed) {
    const code = id === SCHEMA_CHECK ? SCHEMA_MISMATCH : 'check_failed'
    if (code === SCHEMA_MISMATCH || warnings.length === 0) {
      warnings.push({ code, message: `the check ${id} failed${evidence === undefined ? '' : `: ${evidence}`}` })
    }
  }
  return warnings.filter(({ message }, index) => warnings.findIndex((other) => other.message === message) === index)
}

/** The reason of an answer that fails a critical check, or leaves out a part of its task. */
const CHECKS_FAILED = 'checks_failed'
/** The check of the form that `outputSchema` asked for, and the code of an answer that breaks it. */
const SCHEMA_CHECK = 'schema'
const SCHEMA_MISMATCH = 'output_schema_mismatch'
/** The reason of a strict run whose answer could not be verified in full. */
const NOT_VERIFIED = 'not_verified'
/** The reason of an execution whose answer says that it does not answer. */
const NOT_FOUND = 'not_found'
