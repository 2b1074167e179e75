import type { FinishReason, Usage } from '@svc/core'
import { asText, isRecord, type Json, toRecord } from '../format/json.ts'
import { parseArgs, toArgsObject } from '../format/tool-calls.ts'
import { toUsage } from '../format/usage.ts'
import { type AnswerEnd, AnswerReader } from '../wire/answer-reader.ts'
import type { MessagesState } from './anthropic-messages.ts'

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
export class MessagesAnswer extends AnswerReader {
  #blocks: Record<string, unknown>[] = []
  readonly #byIndex = new Map<unknown, { block: Record<string, unknown>; json: string }>()
  #stopReason = ''
  #usage: Record<string, unknown> = {}

  /** Whether the model has said that it stopped. */
  get isFinished(): boolean {
    return this.#stopReason !== ''
  }

  takeWhole(message: unknown): void {
    if (!isRecord(message) || !Array.isArray(message.content)) throw this.bad('an answer without content')
    this.takeId(message.id)
    this.#takeStop(message)
    this.#takeUsage(toRecord(message.usage))
    for (const block of message.content.map(toRecord)) {
      this.#blocks.push({ ...block })
      if (block.type === 'text') this.addText('text', asText(block.text))
      else if (block.type === 'thinking') this.addText('reasoning', asText(block.thinking))
      else if (block.type === 'tool_use') this.addCall(asText(block.id), asText(block.name), block.input)
    }
  }

  takePiece(given: unknown): void {
    const event = toRecord(given)
    switch (event.type) {
      case 'message_start':
        // A proxy that repeats a broken request splices a second answer in: what was open of the first is void.
        this.#blocks = []
        this.#byIndex.clear()
        this.takeId(toRecord(event.message).id)
        this.#takeUsage(toRecord(toRecord(event.message).usage))
        return
      case 'content_block_start':
        this.#startBlock(event)
        return
      case 'content_block_delta':
        this.#takeDelta(event)
        return
      case 'content_block_stop':
        this.#stopBlock(event)
        return
      case 'message_delta':
        this.#takeStop(toRecord(event.delta))
        this.#takeUsage(toRecord(event.usage))
        return
    }
  }

  protected finish(): AnswerEnd {
    if (!this.isFinished) throw this.bad('an answer without a stop reason')
    const finishReason = FINISH[this.#stopReason] ?? (this.toolCalls.length > 0 ? 'toolCalls' : 'stop')
    const state: MessagesState | undefined = this.#blocks.every((block) => PLAIN.has(String(block.type)))
      ? undefined
      : { provider: this.provider, content: this.#blocks }
    return { finishReason, usage: this.#toUsage(), state }
  }

  #startBlock(event: Json): void {
    const block = { ...toRecord(event.content_block) }
    this.#blocks.push(block)
    this.#byIndex.set(event.index, { block, json: '' })
    if (block.type === 'text') this.addText('text', asText(block.text))
    if (block.type === 'thinking') this.addText('reasoning', asText(block.thinking))
  }

  #takeDelta(event: Json): void {
    const open = this.#byIndex.get(event.index)
    if (open === undefined) throw this.bad('a piece of a block that was never opened')
    const delta = toRecord(event.delta)
    const grow = (field: string, text: string) => {
      open.block[field] = asText(open.block[field]) + text
    }
    switch (delta.type) {
      case 'text_delta':
        grow('text', asText(delta.text))
        this.addText('text', asText(delta.text))
        return
      case 'thinking_delta':
        grow('thinking', asText(delta.thinking))
        this.addText('reasoning', asText(delta.thinking))
        return
      case 'signature_delta':
        grow('signature', asText(delta.signature))
        return
      case 'citations_delta':
        if (Array.isArray(open.block.citations)) open.block.citations.push(delta.citation)
        else open.block.citations = [delta.citation]
        return
      case 'input_json_delta':
        open.json += asText(delta.partial_json)
    }
  }

  #stopBlock(event: Json): void {
    const open = this.#byIndex.get(event.index)
    if (open === undefined) return
    this.#byIndex.delete(event.index)
    const { block, json } = open
    const input = json === '' ? block.input : parseArgs(json)
    if (json !== '') block.input = toArgsObject(input)
    if (block.type === 'tool_use') this.addCall(asText(block.id), asText(block.name), input)
  }

  #takeStop(from: Json): void {
    this.#stopReason = asText(from.stop_reason) || this.#stopReason
  }

  /** Counts are running totals: a later one replaces an earlier one, an absent one does not. */
  #takeUsage(usage: Json): void {
    for (const [field, value] of Object.entries(usage)) if (value !== null) this.#usage[field] = value
  }

  #toUsage(): Usage | undefined {
    const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = this.#usage
    const usage = toUsage({
      input: input_tokens,
      output: output_tokens,
      cached: cache_read_input_tokens,
      cacheWrite: cache_creation_input_tokens,
      reasoning: toRecord(this.#usage.output_tokens_details).thinking_tokens,
    })
    if (usage === undefined) return undefined
    const { inputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage
    return { ...usage, inputTokens: inputTokens + cachedTokens + cacheWriteTokens }
  }
}
