import type { AnswerKind, Vote } from '../../contracts/stages/consensus.ts'
import { SvcError } from '../../errors.ts'
import { clusterVotes } from './clusters.ts'

/** Most questions asked about one vote. */
const MOST_QUESTIONS = 6
/** Only the answers of most votes are compared with each other. */
const COMPARED = 4

/** Whether two free texts, in canonical form, mean the same. */
export type SameMeaning = (a: string, b: string) => Promise<boolean>

/** Remembers which free texts were found to mean the same. */
export class Meanings {
  readonly #same: SameMeaning | undefined
  readonly #known = new Map<string, boolean>()

  constructor(same: SameMeaning | undefined) {
    this.#same = same
  }

  /** False for what was not asked. */
  readonly isAlike = (a: string, b: string): boolean => this.#known.get(keyOf(a, b)) === true

  /** Asks about the answers that words alone hold for different; what cannot be asked stays different. */
  async compare(votes: readonly Vote[], kind: AnswerKind): Promise<void> {
    const same = this.#same
    if (same === undefined || kind !== 'text') return
    const forms = clusterVotes(votes, kind, { isAlike: this.isAlike })
      .slice(0, COMPARED)
      .map(({ canonical }) => canonical)
    for (const [index, a] of forms.entries()) {
      for (const b of forms.slice(index + 1)) {
        if (this.#known.has(keyOf(a, b)) || this.#known.size >= MOST_QUESTIONS) continue
        try {
          this.#known.set(keyOf(a, b), await same(a, b))
        } catch (thrown) {
          if (SvcError.isInstance(thrown) && thrown.code === 'cancelled') throw thrown
          this.#known.set(keyOf(a, b), false)
        }
      }
    }
  }
}

const keyOf = (a: string, b: string): string => JSON.stringify(a < b ? [a, b] : [b, a])
