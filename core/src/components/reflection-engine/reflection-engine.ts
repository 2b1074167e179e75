import { mustFit, SLUG } from '../../contracts/ids.ts'
import { noUsage } from '../../contracts/model/usage-sum.ts'
import type { Ports } from '../../contracts/run/run-context.ts'
import { type CheckResult, type Reflection, scoreOf } from '../../contracts/stages/reflection.ts'
import { ValidationError } from '../../errors.ts'
import { type Check, type Finding, type Found, failsAlone, NOT_APPLICABLE } from './check.ts'
import { FORM } from './form.ts'
import { type EvaluateInput, type Material, toMaterial } from './material.ts'
import { askReader } from './reader/ask-reader.ts'
import { findOf, isFirm, judgeStatements, RULE_CHECKS, toClaims } from './rules/judge-statements.ts'
import { toLessons, toRetry } from './what-next.ts'

export interface ReflectionEngineOptions {
  /** The checks to start with; default all of svc's own. */
  checks?: readonly Check[]
  /** An answer passes from this score; default .8. */
  passFrom?: number
}

const MAX_CONFIDENCE = 0.98
const DEFAULT_TRUST = 0.5

/**
 * Says whether an answer is good enough, and whether another try would help, by looking. Only when `evaluate` is asked
 * for a reader, and no critical check has failed for certain, does a model read what the rules left open or doubted.
 *
 * @example
 * const reflection = await new ReflectionEngine().evaluate({ task, output, events: [], attempt: 1 })
 */
export class ReflectionEngine {
  readonly #checks = new Map<string, Check>()
  readonly #passFrom: number

  /** @throws ValidationError `validation_failed` when `passFrom` is no fraction or two checks have one id */
  constructor({ checks = [...FORM, ...RULE_CHECKS], passFrom = 0.8 }: ReflectionEngineOptions = {}) {
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
    const { id } = check
    const isSlug = SLUG.test(id)
    const fault = isSlug ? 'a check of this id is registered, take another' : `must ${mustFit(SLUG.source)}`
    if (!isSlug || this.#checks.has(id)) throw new ValidationError('validation_failed', `check id "${id}": ${fault}`)
    this.#checks.set(id, check)
  }

  /**
   * Looks at an answer with every check.
   *
   * `pass` from a score of .8 without a critical failure; else `revise` when another try is worth it; else `escalate` at
   * a critical failure of a task of high or critical risk; else `fail`. When no check applies the verdict is `pass` with
   * score .5 and confidence 0: nothing is known.
   *
   * @param input with `reader` set, a model reads the statements that the rules left open; it counts only with words that
   *   stand in the evidence
   * @param ports of the run; its ledger must be able to pay another try. Without it money is no object and nobody is
   *   asked
   * @throws CancelledError when the run is cancelled while the reader is asked
   */
  async evaluate(input: EvaluateInput, ports?: Ports): Promise<Reflection> {
    const material = toMaterial(input)
    const ruled = await Promise.all([...this.#checks.values()].map((check) => lookSafely(check, material)))
    const { reader, attempt } = input
    const isAsked = reader !== undefined && !ruled.some((one) => failsAlone(one) && isFirm(one.check.id))
    const read = isAsked && ports !== undefined ? await askReader(material, { ...reader, attempt }, ports) : undefined
    const judged = read?.judged ?? (await judgeStatements(material))
    // A reader may have overruled what a rule found.
    const again = ruled.map((one) => (isFirm(one.check.id) ? one : toFound(one.check, findOf(one.check.id, judged))))
    const found = read === undefined ? ruled : [...again, read.found]
    const checks = found.map(toResult)
    const score = scoreOf(checks)
    const isCritical = found.some(({ result, critical }) => result === 'fail' && critical)
    const isUnknown = found.every(({ result }) => result === 'na')
    const passes = isUnknown || (score >= this.#passFrom && !found.some(failsAlone))
    const claims = [...toClaims(judged), ...found.flatMap((one) => one.claims ?? [])]
    const retry = passes || input.mayRetry === false ? undefined : toRetry(found, attempt, material, ports)
    const isRisky = input.task.riskLevel === 'high' || input.task.riskLevel === 'critical'

    return {
      verdict: passes ? 'pass' : retry !== undefined ? 'revise' : isCritical && isRisky ? 'escalate' : 'fail',
      score,
      confidence: toConfidence(found, passes ? 'pass' : 'fail'),
      checks,
      ...(claims.length === 0 ? {} : { claims }),
      ...(retry === undefined ? {} : { retry }),
      lessons: toLessons(found, material),
      usage: read?.usage ?? noUsage(),
    }
  }
}

/** A check that throws has found nothing out. */
async function lookSafely(check: Check, material: Material): Promise<Found> {
  try {
    return toFound(check, await check.look(material))
  } catch (error) {
    const evidence = `the check failed: ${error instanceof Error ? error.message : String(error)}`
    return toFound(check, { ...NOT_APPLICABLE, evidence })
  }
}

const toFound = (check: Check, found: Finding): Found => ({
  ...found,
  ...{ check, critical: found.critical ?? check.critical, by: 'rule' },
})

const toResult = ({ check: { id }, result, critical, evidence, by }: Found): CheckResult =>
  evidence === undefined ? { id, result, critical, by } : { id, result, critical, evidence, by }

/** How unlikely it is that all checks that speak for the verdict are wrong at once, taken as independent, halved per dissent. */
function toConfidence(found: readonly Found[], side: 'pass' | 'fail'): number {
  // A defect that was seen says more than one that was not: passing is worth half.
  const weight = side === 'pass' ? 0.5 : 1
  const agreeing = found.filter(({ result }) => result === side)
  const doubt = agreeing.reduce((left, { check: { trust = DEFAULT_TRUST } }) => left * (1 - trust * weight), 1)
  const dissent = side === 'pass' ? found.filter(({ result }) => result === 'fail').length : 0
  return Math.min(MAX_CONFIDENCE, (1 - doubt) * 0.5 ** dissent)
}
