import { type Outcome, ratio } from './outcome.ts'

/** How often voters of one family were right. */
export interface VoterOutcome extends Outcome {
  /** As `Vote.family`: a model, or a model with its prompt. */
  readonly family: string
}

/** From this many outcomes on a family's record counts. */
const LEAST_OUTCOMES = 30
/** Outcomes that the record in all domains counts for in one of them. */
const DOMAIN_STRENGTH = 10
/** Wrong answers that a voter could have given as well, where answers are open; of two labels there is one. */
const WRONG_ANSWERS = 3
const LEAST_WEIGHT = 0.2
const MOST_WEIGHT = 3
/** Votes are correlated, so their evidence adds up to less than its sum. */
const TEMPER = 0.6

/** What is known of the voters, family by family. */
export class VoterRecord {
  readonly #outcomes: readonly VoterOutcome[]

  constructor(outcomes: readonly VoterOutcome[] = []) {
    this.#outcomes = outcomes
  }

  /**
   * What a family's vote weighs, relative to an unseen answer: the log-odds of its accuracy against `wrong` answers,
   * clipped to [.2, 3] and tempered for correlation. `undefined` where no family has thirty outcomes yet: then all weigh
   * the same. A family without a record of its own weighs what the average one does.
   */
  weights(domain: string | undefined, wrong = WRONG_ANSWERS): ((family: string) => number) | undefined {
    const accuracies = this.accuracies(domain)
    if (accuracies === undefined) return undefined
    return (family) => {
      const accuracy = accuracies(family)
      const logOdds = Math.log((accuracy * wrong) / (1 - accuracy))
      return TEMPER * Math.min(MOST_WEIGHT, Math.max(LEAST_WEIGHT, logOdds))
    }
  }

  /** Mean of the Beta posterior of each family's accuracy in a domain; `undefined` as for `weights`. */
  accuracies(domain: string | undefined): ((family: string) => number) | undefined {
    const everywhere = new Map<string, { right: number; total: number }>()
    const here = new Map<string, { right: number; total: number }>()
    for (const outcome of this.#outcomes) {
      add(everywhere, outcome)
      if (domain !== undefined && outcome.domain === domain) add(here, outcome)
    }
    const known = [...everywhere].filter(([, { total }]) => total >= LEAST_OUTCOMES)
    if (known.length === 0) return undefined
    const average = ratio(
      known.reduce((sum, [, { right }]) => sum + right, 0) + 1,
      known.reduce((sum, [, { total }]) => sum + total, 0) + 2,
    )
    const learnt = new Map(
      known.map(([family, { right, total }]) => {
        const mean = ratio(right + 1, total + 2)
        const own = here.get(family)
        return [
          family,
          own === undefined ? mean : ratio(own.right + DOMAIN_STRENGTH * mean, own.total + DOMAIN_STRENGTH),
        ]
      }),
    )
    return (family) => learnt.get(family) ?? average
  }
}

function add(sums: Map<string, { right: number; total: number }>, { family, right, total }: VoterOutcome): void {
  const sum = sums.get(family) ?? { right: 0, total: 0 }
  sums.set(family, { right: sum.right + right, total: sum.total + total })
}
