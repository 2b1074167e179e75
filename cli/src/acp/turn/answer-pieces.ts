import type { RunEvent } from '@svc/core'
import { SaidText } from '@svc/core/text'

/**
 * The answer of a run as messages. What was said before a call of a tool stays a message of its own, and so does a draft in
 * place of which something else is said.
 */
export class AnswerPieces {
  readonly #said: SaidText
  #message = 0

  /** @param send is handed a piece, and the number of its message */
  constructor(send: (text: string, message: number) => void) {
    this.#said = new SaidText({
      onText: (text) => send(text, this.#message),
      // For an editor that puts messages together.
      onBreak: () => send('\n\n', ++this.#message),
    })
  }

  apply(event: RunEvent): void {
    this.#said.apply(event)
    if (event.type !== 'tool.requested' || this.#said.text === '') return
    this.#message++
    this.#said.restart()
  }
}
