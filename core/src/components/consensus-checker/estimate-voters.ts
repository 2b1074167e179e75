import { ValidationError } from '../../errors.ts'
import { type Fit, fitErrors, fitMajority, type NumberedVotes } from './voter-models.ts'

/** What a voter said of an item. */
export interface CrowdVote {
  readonly item: string
  readonly voter: string
  /** One of a few labels that all items share. */
  readonly label: string
}

export interface EstimatedVoter {
  /** How often the voter is estimated to be right. */
  readonly accuracy: number
  /** Votes that this rests on. */
  readonly votes: number
}

export interface EstimatedItem {
  readonly label: string
  /** Of the model; not calibrated. */
  readonly chance: number
}

export interface VoterEstimate {
  readonly voters: ReadonlyMap<string, EstimatedVoter>
  readonly items: ReadonlyMap<string, EstimatedItem>
  /** Which model the votes bear out: errors by label, one accuracy a voter, or equal votes. */
  readonly model: 'confusion' | 'accuracy' | 'majority'
}

/** Labels that can be told apart by their errors; more are open answers, not labels. */
const MOST_LABELS = 50
/** A simpler model stands in where it foretells votes better by this many standard errors. */
const CLEARLY_BETTER = 1.96

/**
 * How good each voter is, and what is right, from the votes alone.
 *
 * Three models are fitted: Dawid-Skene, which knows each voter's errors label by label, the one-coin model, and the plain
 * majority. Richer models explain the votes better even where they only learn whose errors coincide, and then lose to the
 * majority. So each is asked to foretell every vote from the other votes on its item, and the richest one is taken that
 * no simpler one beats clearly (paired over items, 5 %).
 *
 * Takes time in proportion to votes, labels squared and rounds (at most 100). Offline work: reckon with fifty items of
 * three votes at least.
 *
 * @throws ValidationError `validation_failed` for no votes or more than fifty labels
 */
export function estimateVoters(votes: readonly CrowdVote[]): VoterEstimate {
  const items = new Names()
  const voters = new Names()
  const labels = new Names()
  const numbered: NumberedVotes = {
    items: Int32Array.from(votes, ({ item }) => items.numberOf(item)),
    voters: Int32Array.from(votes, ({ voter }) => voters.numberOf(voter)),
    labels: Int32Array.from(votes, ({ label }) => labels.numberOf(label)),
    itemCount: items.names.length,
    voterCount: voters.names.length,
    labelCount: labels.names.length,
  }
  const { labelCount } = numbered
  if (labelCount === 0 || labelCount > MOST_LABELS) {
    const message = `votes have ${labelCount} different labels; there must be from 1 to ${MOST_LABELS}`
    throw new ValidationError('validation_failed', message, { errors: [{ path: '/votes', message }] })
  }
  const candidates: { model: VoterEstimate['model']; fit: Fit }[] = [
    { model: 'confusion', fit: fitErrors(numbered, false) },
    { model: 'accuracy', fit: fitErrors(numbered, true) },
    { model: 'majority', fit: fitMajority(numbered) },
  ]
  const chosen = candidates.find(({ fit }, index) =>
    candidates.slice(index + 1).every((simpler) => !isClearlyBetter(simpler.fit, fit, numbered)),
  )
  const { model, fit } = chosen ?? { model: 'majority', fit: fitMajority(numbered) }
  const accuracies = accuraciesOf(fit, numbered)
  return {
    model,
    items: new Map(items.names.map((name, item) => [name, bestOf(fit, item, labels.names)])),
    voters: new Map(voters.names.map((name, voter) => [name, accuracies[voter] ?? { accuracy: 0.5, votes: 0 }])),
  }
}

/** Numbers for names, in the order in which they come. */
class Names {
  readonly names: string[] = []
  readonly #numbers = new Map<string, number>()

  numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.names.length)
    return this.names.push(name) - 1
  }
}

/** Compares how many votes of each item two models foretell. */
function isClearlyBetter(one: Fit, other: Fit, { items, itemCount }: NumberedVotes): boolean {
  const differences = new Float64Array(itemCount)
  for (let at = 0; at < items.length; at++) {
    const item = items[at] ?? 0
    differences[item] = (differences[item] ?? 0) + (one.agrees[at] ?? 0) - (other.agrees[at] ?? 0)
  }
  const sum = differences.reduce((all, value) => all + value, 0)
  const spread = differences.reduce((all, value) => all + (value - sum / itemCount) ** 2, 0)
  return sum > CLEARLY_BETTER * Math.sqrt(spread)
}

function bestOf({ chances }: Fit, item: number, labels: readonly string[]): EstimatedItem {
  const row = [...chances.subarray(item * labels.length, (item + 1) * labels.length)]
  const chance = Math.max(...row)
  return { label: labels[row.indexOf(chance)] ?? '', chance }
}

/** How often the votes of each voter are right, by the chances of the labels given. */
function accuraciesOf({ chances }: Fit, { voters, items, labels, voterCount, labelCount }: NumberedVotes) {
  const right = new Float64Array(voterCount)
  const total = new Float64Array(voterCount)
  for (let at = 0; at < voters.length; at++) {
    const voter = voters[at] ?? 0
    total[voter] = (total[voter] ?? 0) + 1
    right[voter] = (right[voter] ?? 0) + (chances[(items[at] ?? 0) * labelCount + (labels[at] ?? 0)] ?? 0)
  }
  return Array.from(total, (votes, voter) => ({ accuracy: ((right[voter] ?? 0) + 1) / (votes + 2), votes }))
}
