import { toFrame } from '../shared/open-stream.ts'
import { type AnswerBlock, type AnswerStop, type MessageUsage, type SvcPart, textBlock, toMessage } from './message.ts'
import type { AnthropicError } from './problem.ts'

const frame = (type: string, data: object): string => toFrame({ type, ...data }, type)

/** What stands behind the text of a piece. */
const END_OF_DELTA = '}}\n\n'
const PING = frame('ping', {})
const NOTHING: MessageUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
}

/**
 * An answer as the events of Anthropic: one block after the other, each begun, filled and ended, between the beginning and the
 * end of the message.
 */
export class MessageStream {
  readonly #send: (text: string) => void
  #index = -1
  /** Whether a block of text is being filled. */
  #isOpen = false
  /** What stands before each piece of it. */
  #textDelta = ''

  constructor(send: (text: string) => void) {
    this.#send = send
  }

  begin(id: string, model: string, svc: Pick<SvcPart, 'run_id'>): void {
    this.#send(frame('message_start', { message: { ...toMessage(id, model, [], undefined, NOTHING), svc } }))
  }

  /** A piece of the text that is being said. */
  text(piece: string): void {
    if (!this.#isOpen) {
      this.#start(textBlock(''))
      this.#isOpen = true
      const before = { index: this.#index, delta: { type: 'text_delta', text: '' } }
      this.#textDelta = frame('content_block_delta', before).slice(0, -`""${END_OF_DELTA}`.length)
    }
    this.#send(this.#textDelta + JSON.stringify(piece) + END_OF_DELTA)
  }

  /** What was said does not stand: what comes is said in a block of its own. */
  endText(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#send(frame('content_block_stop', { index: this.#index }))
  }

  /** A block that is there as a whole. */
  block(block: AnswerBlock): void {
    if (block.type === 'text') {
      this.text(block.text)
      this.endText()
      return
    }
    this.endText()
    this.#start({ ...block, input: {} })
    this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) })
    this.#send(frame('content_block_stop', { index: this.#index }))
  }

  end(stop: AnswerStop, usage: MessageUsage, svc: SvcPart): void {
    this.endText()
    const delta = { stop_reason: stop.reason, stop_sequence: stop.sequence ?? null, stop_details: null }
    this.#send(frame('message_delta', { delta, usage, svc }) + frame('message_stop', {}))
  }

  fail(error: AnthropicError): void {
    this.#send(frame('error', error))
  }

  #start(block: AnswerBlock): void {
    const start = frame('content_block_start', { index: ++this.#index, content_block: block })
    this.#send(this.#index === 0 ? start + PING : start)
  }

  #delta(delta: object): void {
    this.#send(frame('content_block_delta', { index: this.#index, delta }))
  }
}
