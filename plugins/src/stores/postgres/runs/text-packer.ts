import { hash } from 'node:crypto'
import { pack } from './packed-json.ts'

/** Longer strings are kept once for all runs. */
const LARGE = 16_384

/** A long string that is not written yet. */
export interface NewText {
  number: number
  /** As it stands between its quotes. */
  literal: string
  /** Its SHA-256 where it is so large that it is kept as a payload. */
  payload: string | undefined
}

/** Gives the long strings of one run their numbers, the same string the same one, however often the run says it. */
export class TextPacker {
  readonly #readKnown: () => Iterable<readonly [string, number]>
  /** Numbers by SHA-256. */
  #known: Map<string, number> | undefined
  #count: number
  #new: NewText[] = []

  /**
   * @param count how many the run has already
   * @param readKnown finds these, with their SHA-256; asked once, when there are any
   */
  constructor(count: number, readKnown: () => Iterable<readonly [string, number]>) {
    this.#count = count
    this.#readKnown = readKnown
  }

  static digest(literal: string): string {
    return hash('sha256', literal)
  }

  get count(): number {
    return this.#count
  }

  /** SHA-256 and number of each string so far. */
  get known(): readonly (readonly [string, number])[] {
    return [...(this.#known ?? [])]
  }

  /** A JSON text without its long strings. */
  pack(json: string): string {
    return pack(json, (literal) => {
      this.#known ??= new Map(this.#count === 0 ? [] : this.#readKnown())
      const digest = TextPacker.digest(literal)
      const known = this.#known.get(digest)
      if (known !== undefined) return known
      const number = this.#count++
      this.#known.set(digest, number)
      this.#new.push({ number, literal, payload: literal.length > LARGE ? digest : undefined })
      return number
    })
  }

  /** The strings that were met since this was last asked, each once. */
  takeNew(): NewText[] {
    return this.#new.splice(0)
  }
}
