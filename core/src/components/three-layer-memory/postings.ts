/** Which texts hold a word, and how often. */
export interface Posting {
  /** Ascending. */
  readonly ordinals: number[]
  readonly counts: number[]
}

/** The inverted index: texts by the stems that they hold. Ordinals are added in ascending order. */
export class Postings {
  readonly #byStem = new Map<string, Posting>()

  get(stem: string): Posting | undefined {
    return this.#byStem.get(stem)
  }

  holds(stem: string, ordinal: number): boolean {
    return findSorted(this.#byStem.get(stem)?.ordinals ?? [], ordinal) >= 0
  }

  add(ordinal: number, counts: ReadonlyMap<string, number>): void {
    for (const [stem, count] of counts) {
      const posting = this.#byStem.get(stem) ?? { ordinals: [], counts: [] }
      if (posting.ordinals.length === 0) this.#byStem.set(stem, posting)
      posting.ordinals.push(ordinal)
      posting.counts.push(count)
    }
  }

  remove(ordinal: number, stems: Iterable<string>): void {
    for (const stem of stems) {
      const posting = this.#byStem.get(stem)
      const at = posting === undefined ? -1 : findSorted(posting.ordinals, ordinal)
      if (posting === undefined || at < 0) continue
      posting.ordinals.splice(at, 1)
      posting.counts.splice(at, 1)
      if (posting.ordinals.length === 0) this.#byStem.delete(stem)
    }
  }

  clear(): void {
    this.#byStem.clear()
  }
}

/** Place of a number in ascending ones, -1 where it is not among them. */
export function findSorted(sorted: readonly number[], wanted: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const value = sorted[middle] ?? 0
    if (value === wanted) return middle
    if (value < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}
