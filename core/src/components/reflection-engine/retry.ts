import type { RunEvent } from '../../contracts/log/event.ts'
import type { Ports } from '../../contracts/run/run-context.ts'
import type { Reflection } from '../../contracts/stages/reflection.ts'
import type { Finding } from './check.ts'
import type { EvaluateInput, Material } from './material.ts'

/** Execute is asked this often at most. */
const MAX_ATTEMPTS = 2
/** The ledger must hold this much of what the last attempt took. */
const RESERVE = 1.2

interface Failure extends Finding {
  id: string
}

/**
 * Whether another try is worth it, and what it gets to know.
 *
 * Only with new information, that is, words that show what was wrong and that no earlier try has got; only once; and
 * only when the ledger can pay. Asking again on a bare feeling makes answers worse (Huang et al., 2024).
 */
export function toRetry(
  failures: readonly Failure[],
  { attempt, events }: Pick<EvaluateInput, 'attempt' | 'events'>,
  { usage }: Pick<Material, 'usage'>,
  ports: Pick<Ports, 'budget'> | undefined,
): Reflection['retry'] {
  if (attempt >= MAX_ATTEMPTS) return undefined
  const known = evidenceGiven(events)
  const fresh = failures.filter(({ evidence = '', isNew = true }) => isNew && evidence !== '' && !known.has(evidence))
  if (fresh.length === 0) return undefined
  if (ports !== undefined && ports.budget.remaining() < RESERVE * (usage.inputTokens + usage.outputTokens))
    return undefined
  return {
    reason: `failed: ${fresh.map(({ id }) => id).join(', ')}`,
    hint: fresh.flatMap(({ hint }) => (hint === undefined ? [] : [hint])).join('\n') || 'Mend what the evidence shows.',
    evidence: fresh.map(({ evidence }) => evidence ?? ''),
  }
}

function evidenceGiven(events: readonly RunEvent[]): Set<string> {
  const given = new Set<string>()
  for (const { type, data } of events)
    if (type === 'reflection.completed') for (const item of data.retry?.evidence ?? []) given.add(item)
  return given
}
