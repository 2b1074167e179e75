import {
  type FinishReason,
  type ModelPart,
  type ModelRequest,
  ProviderError,
  type ToolCall,
  type Usage,
} from '@svc/core'
import type { MessagesState } from './anthropic-messages.ts'
import { estimateUsage } from './estimate-usage.ts'
import { asText, isRecord, type Json, toCount, toList, toRecord } from './json.ts'
import { parseArgs, type ToolNames, toArgsObject, toCallId } from './tool-calls.ts'
import type { AnswerReader } from './wire-provider.ts'

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'toolCalls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  // A long turn of the provider's own tools that it wants to be asked to go on with: not the whole answer.
  pause_turn: 'length',
  refusal: 'contentFilter',
}

/** Blocks that an answer is rebuilt from without loss; any other makes it keep them all. */
const PLAIN = new Set(['text', 'tool_use'])

/** Adds up an answer of the messages format: fed with the events of a stream, or once with a whole message. */
export class MessagesAnswer implements AnswerReader {
  readonly #provider: string
  readonly #request: ModelRequest
  readonly #names: ToolNames
  #blocks: Record<string, unknown>[] = []
  readonly #byIndex = new Map<unknown, { block: Record<string, unknown>; json: string }>()
  readonly #calls: ToolCall[] = []
  readonly #taken = new Set<string>()
  #stopReason = ''
  #usage: Record<string, unknown> = {}
  #written = ''

  constructor(options: { provider: string; request: ModelRequest; names: ToolNames }) {
    this.#provider = options.provider
    this.#request = options.request
    this.#names = options.names
  }

  /** Whether the model has said that it stopped. */
  get isFinished(): boolean {
    return this.#stopReason !== ''
  }

  /** The parts of a whole message but the finish. */
  takeWhole(message: unknown): ModelPart[] {
    if (!isRecord(message) || !Array.isArray(message.content)) throw this.#bad('an answer without content')
    this.#takeStop(message)
    this.#takeUsage(toRecord(message.usage))
    const parts: ModelPart[] = []
    for (const block of message.content.map(toRecord)) {
      this.#blocks.push({ ...block })
      if (block.type === 'text') parts.push(...this.#toText('text', asText(block.text)))
      else if (block.type === 'thinking') parts.push(...this.#toText('reasoning', asText(block.thinking)))
      else if (block.type === 'tool_use') parts.push(this.#toCall(block, block.input))
    }
    return parts
  }

  /** The parts that a further event completes. */
  takePiece(given: unknown): ModelPart[] {
    const event = toRecord(given)
    switch (event.type) {
      case 'message_start':
        // A proxy that repeats a broken request splices a second answer in: what was open of the first is void.
        this.#blocks = []
        this.#byIndex.clear()
        this.#takeUsage(toRecord(toRecord(event.message).usage))
        return []
      case 'content_block_start':
        return this.#startBlock(event)
      case 'content_block_delta':
        return this.#takeDelta(event)
      case 'content_block_stop':
        return this.#stopBlock(event)
      case 'message_delta':
        this.#takeStop(toRecord(event.delta))
        this.#takeUsage(toRecord(event.usage))
        return []
      default:
        return []
    }
  }

  /** The last part. */
  finish(): ModelPart[] {
    if (!this.isFinished) throw this.#bad('an answer without a stop reason')
    const finishReason = FINISH[this.#stopReason] ?? (this.#calls.length > 0 ? 'toolCalls' : 'stop')
    const state: MessagesState | undefined = this.#blocks.every((block) => PLAIN.has(String(block.type)))
      ? undefined
      : { provider: this.#provider, content: this.#blocks }
    return [{ type: 'finish', finishReason, usage: this.#toUsage(), ...(state === undefined ? {} : { state }) }]
  }

  #startBlock(event: Json): ModelPart[] {
    const block = { ...toRecord(event.content_block) }
    this.#blocks.push(block)
    this.#byIndex.set(event.index, { block, json: '' })
    if (block.type === 'text') return this.#toText('text', asText(block.text))
    if (block.type === 'thinking') return this.#toText('reasoning', asText(block.thinking))
    return []
  }

  #takeDelta(event: Json): ModelPart[] {
    const open = this.#byIndex.get(event.index)
    if (open === undefined) throw this.#bad('a piece of a block that was never opened')
    const delta = toRecord(event.delta)
    const grow = (field: string, text: unknown) => {
      open.block[field] = asText(open.block[field]) + asText(text)
    }
    switch (delta.type) {
      case 'text_delta':
        grow('text', delta.text)
        return this.#toText('text', asText(delta.text))
      case 'thinking_delta':
        grow('thinking', delta.thinking)
        return this.#toText('reasoning', asText(delta.thinking))
      case 'signature_delta':
        grow('signature', delta.signature)
        return []
      case 'citations_delta':
        open.block.citations = [...toList(open.block.citations), delta.citation]
        return []
      case 'input_json_delta':
        open.json += asText(delta.partial_json)
        return []
      default:
        return []
    }
  }

  #stopBlock(event: Json): ModelPart[] {
    const open = this.#byIndex.get(event.index)
    if (open === undefined) return []
    this.#byIndex.delete(event.index)
    if (open.json !== '') {
      const args = parseArgs(open.json)
      open.block.input = toArgsObject(args)
      if (open.block.type === 'tool_use') return [this.#toCall(open.block, args)]
    } else if (open.block.type === 'tool_use') return [this.#toCall(open.block, open.block.input)]
    return []
  }

  #toCall(block: Json, input: unknown): ModelPart {
    const name = asText(block.name)
    if (name === '') throw this.#bad('a tool call without a name')
    const callId = toCallId(asText(block.id), this.#taken, this.#request.messages.length, this.#calls.length)
    this.#taken.add(callId)
    const call: ToolCall = { callId, tool: this.#names.toId(name), args: parseArgs(input) }
    this.#calls.push(call)
    return { type: 'toolCall', call }
  }

  #toText(type: 'text' | 'reasoning', text: string): ModelPart[] {
    this.#written += text
    return text === '' ? [] : [{ type, text }]
  }

  #takeStop(from: Json): void {
    this.#stopReason = asText(from.stop_reason) || this.#stopReason
  }

  /** Counts are running totals: a later one replaces an earlier one, an absent one does not. */
  #takeUsage(usage: Json): void {
    for (const [field, value] of Object.entries(usage)) if (value !== null) this.#usage[field] = value
  }

  #toUsage(): Usage {
    const usage = this.#usage
    const fresh = toCount(usage.input_tokens)
    const output = toCount(usage.output_tokens)
    if (fresh === undefined || output === undefined) return estimateUsage(this.#request, this.#written, this.#calls)
    const cached = toCount(usage.cache_read_input_tokens)
    const reasoning = toCount(toRecord(usage.output_tokens_details).thinking_tokens)
    return {
      inputTokens: fresh + (toCount(usage.cache_creation_input_tokens) ?? 0) + (cached ?? 0),
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
