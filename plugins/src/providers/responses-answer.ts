import {
  type FinishReason,
  type ModelPart,
  type ModelRequest,
  ProviderError,
  type ToolCall,
  type Usage,
} from '@svc/core'
import { estimateUsage } from './estimate-usage.ts'
import { asText, isRecord, type Json, toCount, toList, toRecord } from './json.ts'
import { WireFailure } from './provider-error.ts'
import type { ResponsesState } from './responses-input.ts'
import { parseArgs, type ToolNames, toCallId } from './tool-calls.ts'
import type { AnswerReader } from './wire-provider.ts'

/** Adds up an answer of the responses format: fed with the events of a stream, or once with a whole response. */
export class ResponsesAnswer implements AnswerReader {
  readonly #provider: string
  readonly #request: ModelRequest
  readonly #names: ToolNames
  readonly #items: Json[] = []
  readonly #calls: ToolCall[] = []
  readonly #taken = new Set<string>()
  #response: Json | undefined
  #written = ''
  #refused = false

  constructor(options: { provider: string; request: ModelRequest; names: ToolNames }) {
    this.#provider = options.provider
    this.#request = options.request
    this.#names = options.names
  }

  /** Whether the last event has come. */
  get isFinished(): boolean {
    return this.#response !== undefined
  }

  /** The parts of a whole response but the finish. */
  takeWhole(response: unknown): ModelPart[] {
    if (!isRecord(response) || !Array.isArray(response.output)) throw this.#bad('an answer without output')
    this.#end(response)
    return response.output.map(toRecord).flatMap((item) => this.#takeWholeItem(item))
  }

  /** The parts that a further event completes. */
  takePiece(given: unknown): ModelPart[] {
    const event = toRecord(given)
    switch (event.type) {
      case 'response.output_text.delta':
        return this.#toText('text', asText(event.delta))
      case 'response.refusal.delta':
        this.#refused = true
        return this.#toText('text', asText(event.delta))
      case 'response.reasoning_summary_part.added':
        return toCount(event.summary_index) ? this.#toText('reasoning', '\n\n') : []
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#toText('reasoning', asText(event.delta))
      case 'response.output_item.done':
        return this.#takeItem(toRecord(event.item))
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed': {
        const response = toRecord(event.response)
        this.#end(response)
        // A server that sends no items along the way sends them at the end.
        if (this.#items.length > 0 || this.#written !== '') return []
        return toList(response.output)
          .map(toRecord)
          .flatMap((item) => this.#takeWholeItem(item))
      }
      case 'error':
        throw new WireFailure(event)
      default:
        return []
    }
  }

  /** The last part. */
  finish(): ModelPart[] {
    if (this.#response === undefined) throw this.#bad('an answer without an end')
    // Messages alone are rebuilt without loss; calls carry ids and namespaces of their own beside the call id.
    const state: ResponsesState | undefined = this.#items.every((item) => item.type === 'message')
      ? undefined
      : { provider: this.#provider, output: this.#items }
    return [
      {
        type: 'finish',
        finishReason: this.#toFinishReason(this.#response),
        usage: this.#toUsage(toRecord(this.#response.usage)),
        ...(state === undefined ? {} : { state }),
      },
    ]
  }

  #end(response: Json): void {
    const { status, error } = response
    if (isRecord(error) || status === 'failed') throw new WireFailure(toRecord(error))
    if (status === 'cancelled' || status === 'queued' || status === 'in_progress') {
      throw this.#bad(`an answer that is ${status}`)
    }
    this.#response = response
  }

  #takeWholeItem(item: Json): ModelPart[] {
    const parts: ModelPart[] = []
    if (item.type === 'message') {
      for (const piece of toList(item.content).map(toRecord)) {
        if (piece.type === 'refusal') this.#refused = true
        parts.push(...this.#toText('text', asText(piece.text) || asText(piece.refusal)))
      }
    } else if (item.type === 'reasoning') {
      const texts = [...toList(item.summary), ...toList(item.content)].map((piece) => asText(toRecord(piece).text))
      parts.push(...this.#toText('reasoning', texts.filter((text) => text !== '').join('\n\n')))
    }
    return [...parts, ...this.#takeItem(item)]
  }

  #takeItem(item: Json): ModelPart[] {
    this.#items.push(item)
    if (item.type !== 'function_call') return []
    const name = asText(item.name)
    if (name === '') throw this.#bad('a tool call without a name')
    const callId = toCallId(asText(item.call_id), this.#taken, this.#request.messages.length, this.#calls.length)
    this.#taken.add(callId)
    const call: ToolCall = { callId, tool: this.#names.toId(name), args: parseArgs(item.arguments) }
    this.#calls.push(call)
    return [{ type: 'toolCall', call }]
  }

  #toText(type: 'text' | 'reasoning', text: string): ModelPart[] {
    this.#written += text
    return text === '' ? [] : [{ type, text }]
  }

  #toFinishReason(response: Json): FinishReason {
    const { reason } = toRecord(response.incomplete_details)
    if (reason === 'content_filter') return 'contentFilter'
    if (response.status === 'incomplete') return 'length'
    if (this.#calls.length > 0) return 'toolCalls'
    return this.#refused ? 'contentFilter' : 'stop'
  }

  #toUsage(usage: Json): Usage {
    const input = toCount(usage.input_tokens)
    const output = toCount(usage.output_tokens)
    if (input === undefined || output === undefined) return estimateUsage(this.#request, this.#written, this.#calls)
    const cached = toCount(toRecord(usage.input_tokens_details).cached_tokens)
    const reasoning = toCount(toRecord(usage.output_tokens_details).reasoning_tokens)
    return {
      inputTokens: input,
      outputTokens: output,
      ...(cached === undefined ? {} : { cachedTokens: cached }),
      ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
      estimated: false,
    }
  }

  #bad(what: string): ProviderError {
    return new ProviderError('provider_bad_response', `${this.#provider}: the server sent ${what}`, {
      provider: this.#provider,
    })
  }
}
