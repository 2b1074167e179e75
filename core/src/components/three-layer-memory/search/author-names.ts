import { toWords } from '../../../text/words.ts'

/** Numbers for authors, from 1; 0 is nobody. */
export class AuthorNames {
  readonly #numbers = new Map<string, number>()
  readonly #words: string[][] = [[]]

  numberOf(name: string | undefined): number {
    if (name === undefined) return 0
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#words.push(toWords(name)) - 1
    this.#numbers.set(name, number)
    return number
  }

  /** The author whose whole name is in a text, when that is exactly one of those given; -1 otherwise. */
  namedIn(text: string, among: ReadonlySet<number>): number {
    const words = new Set(toWords(text))
    let named = -1
    for (const author of among) {
      const name = this.#words[author] ?? []
      if (name.length === 0 || !name.every((word) => words.has(word))) continue
      if (named >= 0) return -1
      named = author
    }
    return named
  }
}
