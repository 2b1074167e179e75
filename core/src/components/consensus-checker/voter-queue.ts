import type { CheckInput, Voter } from './check-input.ts'

/** Says which voter is asked next: in the order given for the votes wanted in any case, then by record. */
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

  /** How many can be asked; without names there is no limit. */
  get size(): number {
    return this.#waiting?.length ?? Number.POSITIVE_INFINITY
  }

  /**
   * The next voter: of the families that were asked least, since the errors of one family coincide, the one with the best
   * record.
   *
   * @param index number of the vote, from 0
   */
  next(index: number): Voter | undefined {
    const waiting = this.#waiting
    const weightOf = this.#weightOf
    if (waiting === undefined) return undefined
    let best = 0
    if (weightOf !== undefined && index >= this.#given) {
      for (const [at, { family }] of waiting.entries()) {
        const leader = waiting[best]?.family ?? ''
        const fewer = this.#askedOf(leader) - this.#askedOf(family)
        if (fewer > 0 || (fewer === 0 && weightOf(family) > weightOf(leader))) best = at
      }
    }
    const [voter] = waiting.splice(best, 1)
    if (voter !== undefined) this.#asked.set(voter.family, this.#askedOf(voter.family) + 1)
    return voter
  }

  #askedOf(family: string): number {
    return this.#asked.get(family) ?? 0
  }
}
