import { AnswerText } from './answer-text.ts'
import type { RunEvent } from './event.ts'

export interface SaidTextOptions {
  /** A piece, which is never taken back. */
  onText(piece: string): void
  /** What was said so far is not the answer: what comes next stands by itself. */
  onBreak(): void
}

/**
 * The answer of a run for a reader who takes nothing back. What a new draft has in common with what was said is not said again;
 * where it differs, the reader hears so, and then the whole draft.
 */
export class SaidText {
  readonly #answer = new AnswerText()
  readonly #options: SaidTextOptions
  /** Since the last break. */
  #said = ''
  /** Whether the draft is what was said, so that a piece need not be compared. */
  #isSaid = true

  constructor(options: SaidTextOptions) {
    this.#options = options
  }

  /** What was said since the last break. */
  get text(): string {
    return this.#said
  }

  apply(event: RunEvent): void {
    const change = this.#answer.apply(event)
    if (change === undefined) return
    if (this.#isSaid && !change.isWhole) this.#say(change.text)
    else this.#compare()
  }

  /** Says what is still to be said: an answer that ends before what was said of a draft. */
  end(): void {
    const { text } = this.#answer
    if (this.#isSaid || text === '') return
    this.#options.onBreak()
    this.#said = ''
    this.#say(text)
  }

  /** Forgets what was said: what comes next stands by itself, and the reader knows. */
  restart(): void {
    this.#said = ''
    this.#isSaid = this.#answer.text === ''
  }

  #compare(): void {
    const { text } = this.#answer
    this.#isSaid = text.startsWith(this.#said)
    if (this.#isSaid) this.#say(text.slice(this.#said.length))
    else if (!this.#said.startsWith(text)) {
      this.#options.onBreak()
      this.#said = ''
      this.#isSaid = true
      this.#say(text)
    }
  }

  #say(piece: string): void {
    if (piece === '') return
    this.#said += piece
    this.#options.onText(piece)
  }
}
