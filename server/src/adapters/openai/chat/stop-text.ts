/** Text up to the first of some sequences, whichever pieces it comes in. */
export class StopText {
  readonly #stops: readonly string[]
  readonly #onText: (piece: string) => void
  /** What may be the beginning of a sequence. */
  #held = ''
  #isStopped = false

  /** @param stops none of them empty */
  constructor(stops: readonly string[], onText: (piece: string) => void) {
    this.#stops = stops
    this.#onText = onText
  }

  add(piece: string): void {
    if (this.#isStopped) return
    const text = this.#held + piece
    const at = firstOf(text, this.#stops)
    this.#isStopped = at !== -1
    const length = this.#isStopped ? at : text.length - heldOf(text, this.#stops)
    this.#held = this.#isStopped ? '' : text.slice(length)
    if (length > 0) this.#onText(text.slice(0, length))
  }

  /** What was held comes too, and other text begins. */
  end(): void {
    const held = this.#held
    this.#held = ''
    this.#isStopped = false
    if (held !== '') this.#onText(held)
  }
}

/** A whole text up to the first of some sequences. */
export function untilStop(text: string, stops: readonly string[]): string {
  const at = firstOf(text, stops)
  return at === -1 ? text : text.slice(0, at)
}

const firstOf = (text: string, stops: readonly string[]): number =>
  stops.reduce((first, stop) => {
    const at = text.indexOf(stop)
    return at === -1 || (first !== -1 && first <= at) ? first : at
  }, -1)

/** How many of the last characters are the beginning of a sequence. */
function heldOf(text: string, stops: readonly string[]): number {
  const longest = Math.max(0, ...stops.map((stop) => stop.length - 1))
  for (let length = Math.min(longest, text.length); length > 0; length--)
    if (stops.some((stop) => stop.length > length && stop.startsWith(text.slice(-length)))) return length
  return 0
}
