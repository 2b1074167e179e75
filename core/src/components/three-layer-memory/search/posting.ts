import type { TextEntry } from './view.ts'

/** The texts that hold a stem, in the order in which they were added, and how often each does. */
export class Posting {
  readonly texts: TextEntry[] = []
  readonly counts: number[] = []

  /** Adds a text that is younger than all others. */
  add(text: TextEntry, count: number): void {
    this.texts.push(text)
    this.counts.push(count)
  }

  removeGone(): void {
    let kept = 0
    for (let nth = 0; nth < this.texts.length; nth++) {
      const text = this.texts[nth]
      if (text === undefined || text.isGone) continue
      this.texts[kept] = text
      this.counts[kept] = this.counts[nth] ?? 0
      kept++
    }
    this.texts.length = kept
    this.counts.length = kept
  }

  /** Binary search by age. */
  has(text: TextEntry): boolean {
    let low = 0
    let high = this.texts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.texts[middle]?.order ?? 0) < text.order) low = middle + 1
      else high = middle
    }
    return this.texts[low] === text
  }
}
