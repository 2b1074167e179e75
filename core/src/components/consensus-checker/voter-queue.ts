import type { CheckInput, Voter } from './check-input.ts'

/** How much less another vote of a family tells for each that was asked for before: their errors coincide. */
const REPETITION = 0.1

/** Says who is asked next: in the order given for the votes wanted in any case, then who is likely to tell most. */
export class VoterQueue {
  readonly #waiting: Voter[] | undefined
  readonly #given: number
  readonly #asked = new Map<string, number>()
  readonly #weightOf: ((family: string) => number) | undefined

  /** @param least votes that are asked for in any case */
  constructor(
    { voters, order }: Pick<CheckInput, 'voters' | 'order'>,
    least: number,
    weightOf: ((family: string) => number) | undefined,
  ) {
    this.#waiting = voters === undefined ? undefined : [...voters]
    this.#given = order === 'given' ? Number.POSITIVE_INFINITY : least
    this.#weightOf = weightOf
  }

  /** How many can be asked; without names anybody, for ever. */
  get size(): number {
    return this.#waiting?.length ?? Number.POSITIVE_INFINITY
  }

  /** @param index number of the vote, from 0 */
  next(index: number): Voter | undefined {
    const waiting = this.#waiting
    const weightOf = this.#weightOf
    if (waiting === undefined) return undefined
    let best = 0
    if (weightOf !== undefined && index >= this.#given) {
      const worths = waiting.map(({ family }) => weightOf(family) / (1 + REPETITION * (this.#asked.get(family) ?? 0)))
      best = worths.indexOf(Math.max(...worths))
    }
    const [voter] = waiting.splice(best, 1)
    if (voter !== undefined) this.#asked.set(voter.family, (this.#asked.get(voter.family) ?? 0) + 1)
    return voter
  }
}
