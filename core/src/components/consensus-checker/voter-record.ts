/** How often voters of one family were right. */
export interface VoterOutcome {
  /** As `Vote.family`: a model, or a model with its prompt. */
  readonly family: string
  /** Which tasks it was seen on, as `Task.domain`; default any. */
  readonly domain?: string
  readonly right: number
  readonly total: number
}

/** From this many outcomes on a family's record counts. */
const LEAST_OUTCOMES = 30
/** Bounds of the log-odds. */
const LEAST_WEIGHT = 0.2
const MOST_WEIGHT = 3

/** What is known of the voters, family by family. */
export class VoterRecord {
  readonly #outcomes: readonly VoterOutcome[]

  constructor(outcomes: readonly VoterOutcome[] = []) {
    this.#outcomes = outcomes
  }

  /**
   * What a family's vote weighs: the log-odds of the Beta mean of its accuracy, clipped to [.2, 3]. A family that is not
   * known weighs what the known ones do on average.
   *
   * The record in the domain counts where it has thirty outcomes, else that of all domains.
   *
   * @returns `undefined` where no family has thirty outcomes: then all votes weigh the same
   */
  weights(domain: string | undefined): ((family: string) => number) | undefined {
    const known = new Map<string, number>()
    for (const [family, sum] of this.#sums(undefined)) if (sum.total >= LEAST_OUTCOMES) known.set(family, logOdds(sum))
    if (domain !== undefined) {
      for (const [family, sum] of this.#sums(domain)) if (sum.total >= LEAST_OUTCOMES) known.set(family, logOdds(sum))
    }
    if (known.size === 0) return undefined
    const average = [...known.values()].reduce((sum, weight) => sum + weight, 0) / known.size
    return (family) => known.get(family) ?? average
  }

  /** Outcomes of each family in a domain, or in all. */
  #sums(domain: string | undefined): Map<string, { right: number; total: number }> {
    const sums = new Map<string, { right: number; total: number }>()
    for (const outcome of this.#outcomes) {
      if (domain !== undefined && outcome.domain !== domain) continue
      const sum = sums.get(outcome.family) ?? { right: 0, total: 0 }
      sums.set(outcome.family, { right: sum.right + outcome.right, total: sum.total + outcome.total })
    }
    return sums
  }
}

/** Of the mean of the Beta posterior with a uniform prior. */
const logOdds = ({ right, total }: { right: number; total: number }): number =>
  Math.min(MOST_WEIGHT, Math.max(LEAST_WEIGHT, Math.log((right + 1) / (total - right + 1))))
