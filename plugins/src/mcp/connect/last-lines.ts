const MOST_LINES = 5
const MOST_CHARS = 600

/** The last that a server has said beside the protocol, for the message of its failure. */
export class LastLines {
  #lines: string[] = []

  add(line: string): void {
    this.#lines = [...this.#lines, line.slice(0, MOST_CHARS)].slice(-MOST_LINES)
  }

  /** As the end of a message; empty where it said nothing. */
  shown(): string {
    return this.#lines.length === 0 ? '' : `. It said: ${this.#lines.join(' / ').slice(-MOST_CHARS)}`
  }
}
