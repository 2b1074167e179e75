import { noUsage } from '../../contracts/model/usage-sum.ts'
import type { Ports } from '../../contracts/run/run-context.ts'
import { type CheckResult, type Reflection, scoreOf } from '../../contracts/stages/reflection.ts'
import { ValidationError } from '../../errors.ts'
import type { Check, Finding, Found } from './check.ts'
import { CHECKS } from './checks/index.ts'
import { askJudges, type Judgement } from './judge.ts'
import { toLessons } from './lessons.ts'
import { type EvaluateInput, Material } from './material.ts'
import { toRetry } from './retry.ts'
import { judgeStatements, toClaims } from './rules/judge-statements.ts'

export interface ReflectionEngineOptions {
  /** The checks to start with; default all of svc's own. */
  checks?: readonly Check[]
  /** An answer passes from this score; default .8. */
  passFrom?: number
}

const MAX_CONFIDENCE = 0.98
const DEFAULT_TRUST = 0.5
/** Judges see what rules cannot, and err more often. */
const JUDGE_TRUST = 0.4

/**
 * Says whether an answer is good enough, and whether another try would help, by looking. Only when `evaluate` is asked
 * for a judge, and no critical rule has failed, is a model asked as well.
 *
 * @example
 * const reflection = await new ReflectionEngine().evaluate({ task, output, events: [], attempt: 1 })
 */
export class ReflectionEngine {
  readonly #checks = new Map<string, Check>()
  readonly #passFrom: number

  /** @throws ValidationError `validation_failed` when `passFrom` is no fraction or two checks have one id */
  constructor({ checks = CHECKS, passFrom = 0.8 }: ReflectionEngineOptions = {}) {
    if (!(passFrom >= 0 && passFrom <= 1)) {
      throw new ValidationError('validation_failed', `passFrom is ${passFrom}: must be a number from 0 to 1`)
    }
    this.#passFrom = passFrom
    for (const check of checks) this.registerCheck(check)
  }

  /**
   * Adds a check of your own.
   *
   * @throws ValidationError `validation_failed` when its id is no slug or is taken
   */
  registerCheck(check: Check): void {
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(check.id)) {
      throw new ValidationError(
        'validation_failed',
        `check id "${check.id}": must be lower case letters, digits and hyphens`,
      )
    }
    if (this.#checks.has(check.id)) {
      throw new ValidationError(
        'validation_failed',
        `check id "${check.id}": a check of this id is registered, take another`,
      )
    }
    this.#checks.set(check.id, check)
  }

  /**
   * Looks at an answer with every check.
   *
   * `pass` from a score of .8 without a critical failure; else `revise` when another try is worth it; else `escalate` at
   * a critical failure of a task of high or critical risk; else `fail`. When no check applies the verdict is `pass` with
   * score .5 and confidence 0: nothing is known.
   *
   * @param input with `judge` set, a model answers the acceptance criteria after the rules; what it says counts beside
   *   them, and never against a critical failure
   * @param ports of the run; its ledger must be able to pay another try. Without it money is no object and nobody is
   *   asked
   * @throws CancelledError when the run is cancelled while a judge is asked
   */
  async evaluate(input: EvaluateInput, ports?: Ports): Promise<Reflection> {
    const material = new Material(input)
    const found = await Promise.all([...this.#checks.values()].map((check) => lookSafely(check, material)))
    const failed = found.filter(({ finding }) => finding.result === 'fail')
    const isLost = failed.some(({ check, finding }) => finding.critical ?? check.strict ?? check.critical)
    const strictFailure = failed.some(({ check, isCritical }) => check.strict ?? isCritical)

    const judgement =
      input.judge === undefined || ports === undefined || isLost
        ? undefined
        : await askJudges(material, input.attempt, input.judge, ports)
    const checks = [...found.map(toResult), ...(judgement?.rulings ?? []).map(({ check }) => check)]
    const score = scoreOf(checks)
    const criticalFailure = checks.some((check) => check.result === 'fail' && check.critical)
    const unknown = checks.every((check) => check.result === 'na')
    const passes = unknown || (score >= this.#passFrom && !criticalFailure && !strictFailure)
    const claims = [...toClaims(await judgeStatements(material)), ...found.flatMap(({ finding }) => finding.claims ?? [])]
    const retry =
      passes || input.mayRetry === false ? undefined : toRetry(toFailures(found, judgement), input, material, ports)
    const risky = input.task.riskLevel === 'high' || input.task.riskLevel === 'critical'

    return {
      verdict: passes ? 'pass' : retry !== undefined ? 'revise' : criticalFailure && risky ? 'escalate' : 'fail',
      score,
      confidence: toConfidence(found, judgement, passes ? 'pass' : 'fail'),
      checks,
      ...(claims.length === 0 ? {} : { claims }),
      ...(retry === undefined ? {} : { retry }),
      lessons: toLessons(found, input, material),
      usage: judgement?.usage ?? noUsage(),
    }
  }
}

/** A check that throws has found nothing out. */
async function lookSafely(check: Check, material: Material): Promise<Found> {
  try {
    const finding = await check.look(material)
    return { check, finding, isCritical: finding.critical ?? check.critical }
  } catch (error) {
    const evidence = `the check failed: ${error instanceof Error ? error.message : String(error)}`
    return { check, finding: { result: 'na', evidence }, isCritical: check.critical }
  }
}

const toResult = ({ check: { id }, finding: { result, evidence }, isCritical }: Found): CheckResult => ({
  id,
  result,
  critical: isCritical,
  ...(evidence === undefined ? {} : { evidence }),
  by: 'rule',
})

function toFailures(found: readonly Found[], judgement: Judgement | undefined): (Finding & { id: string })[] {
  const ruled = found.flatMap(({ check, finding }) => (finding.result === 'fail' ? [{ ...finding, id: check.id }] : []))
  const judged = (judgement?.rulings ?? []).flatMap(({ check: { id, result, evidence }, criterion }) =>
    result === 'fail' && evidence !== undefined
      ? [{ id, result, evidence, hint: `Make sure that this can be answered with yes: ${criterion}` }]
      : [],
  )
  return [...ruled, ...judged]
}

/** How unlikely it is that all checks that speak for the verdict are wrong at once, taken as independent, halved per dissent. */
function toConfidence(found: readonly Found[], judgement: Judgement | undefined, side: 'pass' | 'fail'): number {
  let doubt = 1
  let dissent = 0
  const count = (result: CheckResult['result'], trust: number): void => {
    if (result === 'na') return
    // A defect that was seen says more than one that was not: passing is worth half.
    if (result === side) doubt *= 1 - trust * (side === 'pass' ? 0.5 : 1)
    else if (side === 'pass') dissent++
  }
  for (const { check, finding } of found) count(finding.result, check.trust ?? DEFAULT_TRUST)
  if (judgement !== undefined) for (const { check } of judgement.rulings) count(check.result, JUDGE_TRUST)
  return Math.min(MAX_CONFIDENCE, (1 - doubt) * 0.5 ** dissent)
}
