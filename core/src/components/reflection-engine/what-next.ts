import type { Ports } from '../../contracts/run/run-context.ts'
import type { Reflection } from '../../contracts/stages/reflection.ts'
import { type Found, failsAlone } from './check.ts'
import type { Material } from './material.ts'

/** Execute is asked this often at most. */
const MAX_ATTEMPTS = 2
/** The ledger must hold this much of what the last attempt took. */
const RESERVE = 1.2

/**
 * Whether another try is worth it, and what it gets to know.
 *
 * Only with new information, that is, words that show what was wrong and that no earlier try has got; only once; and
 * only when the ledger can pay. Asking again on a bare feeling makes answers worse (Huang et al., 2024).
 */
export function toRetry(found: readonly Found[], attempt: number, { usage, earlier }: Material, ports?: Ports) {
  const left = ports?.budget.remaining() ?? Number.POSITIVE_INFINITY
  if (attempt >= MAX_ATTEMPTS || left < RESERVE * (usage.inputTokens + usage.outputTokens)) return undefined
  const known = new Set(earlier.flatMap(({ data }) => data.retry?.evidence ?? []))
  const fresh = found.filter(
    ({ result, evidence = '', isNew = true }) => result === 'fail' && isNew && evidence !== '' && !known.has(evidence),
  )
  if (fresh.length === 0) return undefined
  return {
    reason: `failed: ${fresh.map(({ check }) => check.id).join(', ')}`,
    hint: fresh.flatMap(({ hint }) => hint ?? []).join('\n') || 'Mend what the evidence shows.',
    evidence: fresh.map(({ evidence = '' }) => evidence),
  }
}

/**
 * What a reflection teaches: one lesson for each failed check that alone is enough not to pass, and for each check that
 * failed in an earlier attempt and passes now. Only rules teach here, never an opinion (after Reflexion, Shinn et al., 2023).
 */
export function toLessons(found: readonly Found[], { task, earlier, lastAnswerRef }: Material): Reflection['lessons'] {
  const last = earlier.at(-1)
  const lastRef = last && `${last.runId}:${last.seq ?? 0}`
  return found.flatMap((one) => {
    const { id, lesson } = one.check
    const isMended =
      one.result === 'pass' && last?.data.checks.some((before) => before.id === id && before.result === 'fail') === true
    if (lesson === undefined || !(failsAlone(one) || isMended)) return []
    const evidence = [isMended ? lastRef : undefined, lastAnswerRef].filter((ref) => ref !== undefined)
    const scope = task.domain === undefined ? {} : { scope: task.domain }
    return [{ ...lesson, evidence, ...scope, successes: 0, failures: 0 }]
  })
}
