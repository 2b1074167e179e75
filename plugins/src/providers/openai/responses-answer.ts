import type { FinishReason, Usage } from '@svc/core'
import { asText, isRecord, type Json, toCount, toList, toRecord } from '../format/json.ts'
import { toUsage } from '../format/usage.ts'
import { type AnswerEnd, AnswerReader } from '../wire/answer-reader.ts'
import { WireFailure } from '../wire/provider-error.ts'
import type { ResponsesState } from './responses-input.ts'

/** Adds up an answer of the responses format: fed with the events of a stream, or once with a whole response. */
export class ResponsesAnswer extends AnswerReader {
  readonly #items: Json[] = []
  #response: Json | undefined
  #refused = false

  /** Whether the last event has come. */
  get isFinished(): boolean {
    return this.#response !== undefined
  }

  takeWhole(response: unknown): void {
    if (!isRecord(response) || !Array.isArray(response.output)) throw this.bad('an answer without output')
    this.#end(response)
    for (const item of response.output) this.#takeWholeItem(toRecord(item))
  }

  takePiece(given: unknown): void {
    const event = toRecord(given)
    switch (event.type) {
      case 'response.output_text.delta':
        this.addText('text', asText(event.delta))
        return
      case 'response.refusal.delta':
        this.#refused = true
        this.addText('text', asText(event.delta))
        return
      case 'response.reasoning_summary_part.added':
        if (toCount(event.summary_index)) this.addText('reasoning', '\n\n')
        return
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.addText('reasoning', asText(event.delta))
        return
      case 'response.output_item.done':
        this.#takeItem(toRecord(event.item))
        return
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed': {
        const response = toRecord(event.response)
        this.#end(response)
        // A server that sends no items along the way sends them at the end.
        if (this.#items.length > 0 || this.hasText) return
        for (const item of toList(response.output)) this.#takeWholeItem(toRecord(item))
        return
      }
      case 'error':
        throw new WireFailure(event)
    }
  }

  protected finish(): AnswerEnd {
    if (this.#response === undefined) throw this.bad('an answer without an end')
    // Messages alone are rebuilt without loss; calls carry ids and namespaces of their own beside the call id.
    const state: ResponsesState | undefined = this.#items.every((item) => item.type === 'message')
      ? undefined
      : { provider: this.provider, output: this.#items }
    return { finishReason: this.#toFinishReason(this.#response), usage: usageOf(toRecord(this.#response.usage)), state }
  }

  #end(response: Json): void {
    const { status, error } = response
    if (isRecord(error) || status === 'failed') throw new WireFailure(toRecord(error))
    if (status === 'cancelled' || status === 'queued' || status === 'in_progress') {
      throw this.bad(`an answer that is ${status}`)
    }
    this.#response = response
    this.takeId(response.id)
  }

  #takeWholeItem(item: Json): void {
    if (item.type === 'message') {
      for (const piece of toList(item.content).map(toRecord)) {
        if (piece.type === 'refusal') this.#refused = true
        this.addText('text', asText(piece.text) || asText(piece.refusal))
      }
    } else if (item.type === 'reasoning') {
      const texts = [...toList(item.summary), ...toList(item.content)].map((piece) => asText(toRecord(piece).text))
      this.addText('reasoning', texts.filter((text) => text !== '').join('\n\n'))
    }
    this.#takeItem(item)
  }

  #takeItem(item: Json): void {
    this.#items.push(item)
    if (item.type === 'function_call') this.addCall(asText(item.call_id), asText(item.name), item.arguments)
  }

  #toFinishReason(response: Json): FinishReason {
    const { reason } = toRecord(response.incomplete_details)
    if (reason === 'content_filter') return 'contentFilter'
    if (response.status === 'incomplete') return 'length'
    if (this.toolCalls.length > 0) return 'toolCalls'
    return this.#refused ? 'contentFilter' : 'stop'
  }
}

const usageOf = (usage: Json): Usage | undefined =>
  toUsage({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cached: toRecord(usage.input_tokens_details).cached_tokens,
    cacheWrite: toRecord(usage.input_tokens_details).cache_write_tokens,
    reasoning: toRecord(usage.output_tokens_details).reasoning_tokens,
  })
