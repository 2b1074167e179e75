import type { Problem } from '../../../http/problem.ts'
import type { AnswerWriter } from '../../shared/answer-run.ts'
import { toFrame } from '../../shared/open-stream.ts'
import type { Outcome } from '../../shared/outcome.ts'
import { toOpenAiError } from '../problem.ts'
import {
  messageId,
  type OutputItem,
  type State,
  statusOf,
  type TextItem,
  toMessage,
  toRequests,
  toText,
} from './response.ts'

/** A message that is being said. */
interface OpenMessage {
  item: TextItem
  index: number
  text: string
  /** Of each piece, up to the piece. */
  beginning: string
}

/** Writes a response in events, in OpenAI's order. What a draft said that was replaced stays as a message of its own. */
export class ResponseWriter implements AnswerWriter {
  readonly #send: (text: string) => void
  readonly #id: string
  readonly #describe: (state: State) => object
  #sequence = 0
  /** Events that were not sent yet. */
  #waiting = ''
  #items = 0
  #open: OpenMessage | undefined

  /**
   * @param send gets what goes out, as it is
   * @param describe the response in a state of it
   */
  constructor(send: (text: string) => void, id: string, describe: (state: State) => object) {
    this.#send = send
    this.#id = id
    this.#describe = describe
  }

  begin(): void {
    const response = this.#describe({ status: 'in_progress', output: [] })
    this.#event('response.created', { response })
    this.#event('response.in_progress', { response })
    this.#flush()
  }

  text(piece: string): void {
    this.#open ??= this.#openMessage()
    const open = this.#open
    open.text += piece
    this.#waiting += `${open.beginning}${JSON.stringify(piece)},"logprobs":[],"sequence_number":${this.#sequence++}}\n\n`
    this.#flush()
  }

  break(): void {
    this.#closeMessage()
    this.#flush()
  }

  end(outcome: Outcome): void {
    const message = this.#closeMessage()
    const requests = toRequests(outcome)
    for (const item of requests) this.#request(item)
    const { usage, facts, isRefused } = outcome
    const output = [...(message === undefined ? [] : [message]), ...requests]
    const status = statusOf(outcome)
    this.#event(`response.${status}`, { response: this.#describe({ status, isRefused, output, usage, facts }) })
    this.#flush()
  }

  fail(problem: Problem): void {
    const { code, message: why } = toOpenAiError(problem).error
    const message = this.#closeMessage()
    const status = code === 'cancelled' ? 'cancelled' : 'failed'
    const output = message === undefined ? [] : [message]
    this.#event('response.failed', { response: this.#describe({ status, output, error: { code, message: why } }) })
    this.#flush()
  }

  #openMessage(): OpenMessage {
    const index = this.#items++
    const item: TextItem = { ...toMessage(messageId(this.#id, index), ''), status: 'in_progress', content: [] }
    const at = { item_id: item.id, output_index: index, content_index: 0 }
    this.#event('response.output_item.added', { output_index: index, item })
    this.#event('response.content_part.added', { ...at, part: toText('') })
    const type = 'response.output_text.delta'
    const fields = JSON.stringify({ type, ...at }).slice(0, -1)
    return { item, index, text: '', beginning: `event: ${type}\ndata: ${fields},"delta":` }
  }

  #closeMessage(): TextItem | undefined {
    if (this.#open === undefined) return undefined
    const { item, index, text } = this.#open
    this.#open = undefined
    const at = { item_id: item.id, output_index: index, content_index: 0 }
    const whole = toMessage(item.id, text)
    this.#event('response.output_text.done', { ...at, text, logprobs: [] })
    this.#event('response.content_part.done', { ...at, part: toText(text) })
    this.#event('response.output_item.done', { output_index: index, item: whole })
    return whole
  }

  #request(item: OutputItem): void {
    const index = this.#items++
    const isCall = item.type === 'function_call'
    const first = isCall ? { ...item, arguments: '', status: 'in_progress' } : item
    this.#event('response.output_item.added', { output_index: index, item: first })
    if (isCall) {
      const at = { item_id: item.id, output_index: index }
      this.#event('response.function_call_arguments.delta', { ...at, delta: item.arguments })
      this.#event('response.function_call_arguments.done', { ...at, name: item.name, arguments: item.arguments })
    }
    this.#event('response.output_item.done', { output_index: index, item })
  }

  #event(type: string, fields: object): void {
    this.#waiting += toFrame({ type, ...fields, sequence_number: this.#sequence++ }, type)
  }

  /** Sends at once what belongs together. */
  #flush(): void {
    if (this.#waiting !== '') this.#send(this.#waiting)
    this.#waiting = ''
  }
}
