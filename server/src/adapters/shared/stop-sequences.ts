/** Hands on a text that comes in pieces, up to the sequence that is complete first: not the sequence, nor what is behind it. */
export class StopSequences {
  readonly #sequences: readonly string[]
  readonly #onText: (piece: string) => void
  /** As much of the end of the text as may be the beginning of a sequence. */
  readonly #kept: number
  #held = ''
  #found: string | undefined

  constructor(sequences: readonly string[], onText: (piece: string) => void) {
    this.#sequences = sequences.filter((sequence) => sequence !== '')
    this.#kept = Math.max(0, ...this.#sequences.map(({ length }) => length - 1))
    this.#onText = onText
  }

  /** The sequence that was met. */
  get found(): string | undefined {
    return this.#found
  }

  add(piece: string): void {
    if (this.#found !== undefined) return
    if (this.#sequences.length === 0) {
      this.#onText(piece)
      return
    }
    const text = this.#held + piece
    const [first] = this.#sequences
      .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
      .filter(({ at }) => at !== -1)
      .sort((a, b) => a.at + a.sequence.length - b.at - b.sequence.length)
    this.#found = first?.sequence
    const end = first?.at ?? Math.max(0, text.length - this.#kept)
    this.#held = first === undefined ? text.slice(end) : ''
    this.#say(text.slice(0, end))
  }

  /** Nothing follows: what was held back is part of the text. */
  end(): void {
    const rest = this.#held
    this.#held = ''
    this.#say(rest)
  }

  /** Another text begins. */
  restart(): void {
    this.end()
    this.#found = undefined
  }

  #say(piece: string): void {
    if (piece !== '') this.#onText(piece)
  }
}
