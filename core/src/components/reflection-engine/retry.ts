import type { Ports } from '../../contracts/run/run-context.ts'
import type { Reflection } from '../../contracts/stages/reflection.ts'
import type { Found } from './check.ts'
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
export function toRetry(
  found: readonly Found[],
  attempt: number,
  { usage, earlier }: Pick<Material, 'usage' | 'earlier'>,
  ports: Pick<Ports, 'budget'> | undefined,
): Reflection['retry'] {
  if (attempt >= MAX_ATTEMPTS) return undefined
  const known = new Set(earlier.flatMap(({ data }) => data.retry?.evidence ?? []))
  const fresh = found.filter(
    ({ finding: { result, evidence = '', isNew = true } }) =>
      result === 'fail' && isNew && evidence !== '' && !known.has(evidence),
  )
  if (fresh.length === 0) return undefined
  if (ports !== undefined && ports.budget.remaining() < RESERVE * (usage.inputTokens + usage.outputTokens))
    return undefined
  return {
    reason: `failed: ${fresh.map(({ check }) => check.id).join(', ')}`,
    hint: fresh.flatMap(({ finding: { hint } }) => hint ?? []).join('\n') || 'Mend what the evidence shows.',
    evidence: fresh.map(({ finding: { evidence } }) => evidence ?? ''),
  }
}
