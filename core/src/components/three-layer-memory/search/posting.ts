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

  remove(text: TextEntry): void {
    const at = this.#find(text)
    if (at < 0) return
    this.texts.splice(at, 1)
    this.counts.splice(at, 1)
  }

  has(text: TextEntry): boolean {
    return this.#find(text) >= 0
  }

  /** Binary search by age. @returns -1 where it is not there */
  #find(text: TextEntry): number {
    const { texts } = this
    let low = 0
    let high = texts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((texts[middle]?.order ?? 0) < text.order) low = middle + 1
      else high = middle
    }
    return texts[low] === text ? low : -1
  }
}
