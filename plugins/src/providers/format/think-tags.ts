/** A piece of an answer that is text or reasoning. */
export interface Piece {
  readonly type: 'text' | 'reasoning'
  readonly text: string
}

const OPEN = '<think>'
const CLOSE = '</think>'
/** Blanks before the first tag that are held back, and looked through with each piece. */
export const MOST_BLANKS = 1_000

/**
 * Parts `<think>…</think>` at the start of a text from the answer, piece by piece: what stands between the tags is
 * reasoning. A tag may be cut anywhere between two pieces.
 */
export class ThinkTags {
  #state: 'before' | 'inside' | 'after' = 'before'
  #held = ''
  #isUsed = false

  /** Whether there were such tags. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  /** The parts that a further piece completes. */
  take(piece: string): Piece[] {
    const parts: Piece[] = []
    let text = this.#held + piece
    this.#held = ''
    if (this.#state === 'before') {
      const start = text.trimStart()
      if (start.length < OPEN.length && OPEN.startsWith(start) && text.length <= MOST_BLANKS) {
        this.#held = text
        return parts
      }
      this.#state = start.startsWith(OPEN) ? 'inside' : 'after'
      this.#isUsed = this.#state === 'inside'
      if (this.#isUsed) text = start.slice(OPEN.length)
    }
    if (this.#state === 'inside') {
      const end = text.indexOf(CLOSE)
      const kept = end === -1 ? text.length - cutTagLength(text) : end
      if (kept > 0) parts.push({ type: 'reasoning', text: text.slice(0, kept) })
      if (end === -1) {
        this.#held = text.slice(kept)
        return parts
      }
      this.#state = 'after'
      text = text.slice(end + CLOSE.length).trimStart()
    }
    if (text !== '') parts.push({ type: 'text', text })
    return parts
  }

  /** What was held back, once nothing more comes. */
  end(): Piece[] {
    const text = this.#held
    this.#held = ''
    if (text === '') return []
    return [{ type: this.#state === 'inside' ? 'reasoning' : 'text', text }]
  }
}

/** How many characters at the end may be the start of the closing tag. */
function cutTagLength(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (CLOSE.startsWith(text.slice(text.length - length))) return length
  }
  return 0
}
