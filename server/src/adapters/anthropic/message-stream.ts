import type { Problem } from '../../http/problem.ts'
import type { AnswerWriter } from '../shared/answer-run.ts'
import { toFrame } from '../shared/open-stream.ts'
import type { Outcome } from '../shared/outcome.ts'
import {
  type AnswerBlock,
  type CallBlock,
  callsOf,
  type MessageUsage,
  stopOf,
  textBlock,
  toMessage,
  toUsage,
} from './message.ts'
import { toAnthropicError } from './problem.ts'

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

/** What is known of an answer before it is said. */
interface Head {
  id: string
  model: string
  runId: string
}

/**
 * An answer as the events of Anthropic: one block after the other, each begun, filled and ended, between the beginning and the
 * end of the message.
 */
export class MessageStream implements AnswerWriter {
  readonly #send: (text: string) => void
  readonly #head: Head
  readonly #isSerial: boolean
  #index = -1
  /** Whether a block of text is being filled. */
  #isOpen = false
  /** What stands before each piece of it. */
  #textDelta = ''

  /** @param isSerial whether it asks for one call at most */
  constructor(send: (text: string) => void, head: Head, isSerial: boolean) {
    this.#send = send
    this.#head = head
    this.#isSerial = isSerial
  }

  begin(): void {
    const { id, model, runId } = this.#head
    const message = { ...toMessage(id, model, [], undefined, NOTHING), svc: { run_id: runId } }
    this.#send(frame('message_start', { message }))
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
  break(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#send(frame('content_block_stop', { index: this.#index }))
  }

  end(outcome: Outcome): void {
    this.break()
    for (const call of callsOf(outcome, this.#isSerial)) this.#call(call)
    const { reason, sequence = null } = stopOf(outcome)
    const delta = { stop_reason: reason, stop_sequence: sequence, stop_details: null }
    const end = { delta, usage: toUsage(outcome.usage), svc: outcome.facts }
    this.#send(frame('message_delta', end) + frame('message_stop', {}))
  }

  fail(problem: Problem): void {
    this.#send(frame('error', toAnthropicError(problem)))
  }

  #call(block: CallBlock): void {
    this.#start({ ...block, input: {} })
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    this.#send(frame('content_block_delta', { index: this.#index, delta }))
    this.#send(frame('content_block_stop', { index: this.#index }))
  }

  #start(block: AnswerBlock): void {
    const start = frame('content_block_start', { index: ++this.#index, content_block: block })
    this.#send(this.#index === 0 ? start + PING : start)
  }
}
