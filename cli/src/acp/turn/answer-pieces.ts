import type { RunEvent } from '@svc/core'
import { AnswerText } from '@svc/core/client'

/**
 * The answer of a run for a reader from whom nothing is taken back, as messages. What was said before a call of a tool stays a
 * message of its own. A draft that is made again goes on in its message as far as it says the same; one that says something
 * else is a new message.
 */
export class AnswerPieces {
  readonly #send: (text: string, message: number) => void
  readonly #answer = new AnswerText()
  #message = 0
  /** Of the message that is being sent. */
  #sent = ''
  /** Whether what is said is compared with what was sent before anything goes out. */
  #isHeld = false

  /** @param send is handed a piece, and the number of its message */
  constructor(send: (text: string, message: number) => void) {
    this.#send = send
  }

  apply(event: RunEvent): void {
    const change = this.#answer.apply(event)
    if (event.type === 'tool.requested' && this.#sent !== '') this.#begin()
    if (change === undefined) return
    if (change.isWhole) this.#isHeld = this.#sent !== ''
    if (this.#isHeld) this.#compare(this.#answer.text)
    else this.#say(change.text)
  }

  #compare(text: string): void {
    if (this.#sent.startsWith(text)) return
    const isAnother = !text.startsWith(this.#sent)
    if (isAnother) {
      this.#begin()
      // For an editor that puts messages together.
      this.#send('\n\n', this.#message)
    }
    this.#isHeld = false
    this.#say(text.slice(this.#sent.length))
  }

  #begin(): void {
    this.#message++
    this.#sent = ''
    this.#isHeld = false
  }

  #say(text: string): void {
    if (text === '') return
    this.#sent += text
    this.#send(text, this.#message)
  }
}
