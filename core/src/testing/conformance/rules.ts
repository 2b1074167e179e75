import { SvcError } from '../../errors.ts'

/** What became of one rule of a contract. */
export interface RuleResult {
  /** Names the rule, such as `defers`. */
  readonly rule: string
  /** What the contract asks, as a sentence. */
  readonly says: string
  readonly result: 'ok' | 'failed' | 'not applicable'
  /** What breaks it, one sentence each; empty unless it failed. */
  readonly findings: readonly string[]
  /** Why it does not apply. */
  readonly why?: string
}

/** Beside what a check returns: what became of each of its rules, in their order. */
export interface RuleOptions {
  onRule?: (result: RuleResult) => void
}

/** Collects what was found, by rule. */
export class RuleBook<Rule extends string> {
  readonly #says: Readonly<Record<Rule, string>>
  readonly #found = new Map<string, string[]>()
  readonly #skipped = new Map<string, string>()

  /** @param says the rules in their order, each with what it asks */
  constructor(says: Readonly<Record<Rule, string>>) {
    this.#says = says
  }

  /** The same sentence counts once. */
  add(rule: Rule, ...findings: readonly string[]): void {
    const known = this.#found.get(rule) ?? []
    this.#found.set(rule, [...new Set([...known, ...findings])])
  }

  failed(rule: Rule): boolean {
    return (this.#found.get(rule)?.length ?? 0) > 0
  }

  /** The rule does not apply, unless it failed. */
  skip(rule: Rule, why: string): void {
    this.#skipped.set(rule, why)
  }

  /** Hands each rule over. @returns what is wrong, each sentence with its rule in front */
  end({ onRule }: RuleOptions): string[] {
    const all: string[] = []
    for (const [rule, says] of Object.entries<string>(this.#says)) {
      const findings = this.#found.get(rule) ?? []
      const why = this.#skipped.get(rule)
      all.push(...findings.map((finding) => `${rule}: ${finding}`))
      if (findings.length > 0) onRule?.({ rule, says, result: 'failed', findings })
      else if (why !== undefined) onRule?.({ rule, says, result: 'not applicable', findings, why })
      else onRule?.({ rule, says, result: 'ok', findings })
    }
    return all
  }
}

/** What was thrown, in words. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const [message] = thrown.message.split('\n')
  return `${thrown.name}${SvcError.isInstance(thrown) ? ` ${thrown.code}` : ''} (${message})`
}

/** Tries that a loaded machine has before something counts as slow. */
const TRIES = 3

/**
 * Says of what went on after an abort for too long, in each of three tries, how long that was.
 *
 * @param measure milliseconds; infinite for what had no end, undefined for what was not aborted
 */
export async function findSlow(
  withinMs: number,
  measure: () => Promise<number | undefined>,
): Promise<string | undefined> {
  let took: number | undefined
  for (let tries = 0; tries < TRIES; tries++) {
    took = await measure()
    if (took === undefined || took <= withinMs) return undefined
  }
  return `it went on for ${Number.isFinite(took) ? `${Math.round(took ?? 0)} ms, more than ${withinMs}` : 'without an end'}`
}
