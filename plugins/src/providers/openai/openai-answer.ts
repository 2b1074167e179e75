import type { FinishReason, Quirks, Usage } from '@svc/core'
import { asText, isRecord, type Json, toCount, toList, toRecord } from '../format/json.ts'
import { TextCalls } from '../format/text-calls.ts'
import { type Piece, ThinkTags } from '../format/think-tags.ts'
import { isInWords } from '../format/tools-in-words.ts'
import { toUsage } from '../format/usage.ts'
import { type AnswerEnd, AnswerReader, type ReaderOptions } from '../wire/answer-reader.ts'
import { WireFailure } from '../wire/provider-error.ts'
import type { ChatState } from './openai-messages.ts'

interface OpenCall {
  id: string
  name: string
  args: unknown
  readonly more: Record<string, unknown>
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'toolCalls',
  function_call: 'toolCalls',
  content_filter: 'contentFilter',
}

/**
 * Adds up a chat answer: fed with the chunks of a stream, or once with a whole answer, which is one large chunk.
 *
 * Servers that speak this format differ in small things, so every field may be absent.
 */
export class ChatAnswer extends AnswerReader {
  readonly #think: ThinkTags | undefined
  readonly #textCalls: TextCalls | undefined
  readonly #options: ReaderOptions
  readonly #calls: OpenCall[] = []
  readonly #byIndex = new Map<number, OpenCall>()
  readonly #details: Record<string, unknown>[] = []
  #finishReason = ''
  #usage: Json = {}
  #reasoning = ''
  #refused = false
  /** Nothing can be missing: the server has marked the end, or sent the answer in one piece. */
  #isWhole = false

  constructor(options: ReaderOptions) {
    super(options)
    const { shape, request, names } = options
    const { thinkTags, textToolCalls } = shape.quirks
    this.#options = options
    this.#think = thinkTags === false ? undefined : new ThinkTags()
    const offered = request.toolChoice === 'none' ? [] : (request.tools ?? [])
    // A model that calls tools as the format says means its text as text.
    const mayCall = offered.length > 0 && textToolCalls !== false && shape.model.tools !== false && !shape.isNative
    if (offered.length > 0 && (isInWords(shape) || mayCall)) {
      this.#textCalls = new TextCalls(new Set(offered.map(({ id }) => names.toName(id))), isInWords(shape))
    }
  }

  /** Whether the model has said that it stopped. */
  get isFinished(): boolean {
    return this.#finishReason !== ''
  }

  override get hasNativeCall(): boolean {
    return this.#calls.length > 0
  }

  override markEnd(): void {
    this.#isWhole = true
  }

  takePiece(chunk: unknown): void {
    if (!isRecord(chunk)) throw this.bad('an answer that is not an object')
    this.takeId(chunk.id)
    const choice = toRecord(toList(chunk.choices)[0])
    const usage = chunk.usage ?? toRecord(chunk.x_groq).usage ?? choice.usage
    if (isRecord(usage)) this.#usage = usage
    const delta = toRecord(choice.delta ?? choice.message)
    this.#takeText(delta)
    for (const [position, call] of toList(delta.tool_calls).entries()) this.#takeCall(toRecord(call), position)
    const reason = asText(choice.finish_reason)
    if (reason === 'error') throw new WireFailure({ message: 'the answer broke off with an error' })
    if (reason !== '') this.#finishReason = reason
  }

  takeWhole(answer: unknown): void {
    this.takePiece(answer)
    this.#isWhole = true
  }

  protected finish(): AnswerEnd {
    this.#addParts(this.#think?.end() ?? [])
    this.#addTextCalls()
    const hasSaid = this.hasText || this.#calls.length > 0 || this.toolCalls.length > 0
    if (!this.isFinished && !(this.#isWhole && hasSaid)) {
      // Whether a stream is whole cannot be known then; an answer in one piece is, or is no JSON.
      if (hasSaid) this.lesson = { quirks: { stripParams: ['stream', 'stream_options'] } }
      throw this.bad('an answer without a finish reason')
    }
    const more: Record<string, Json> = {}
    for (const call of this.#calls) {
      const callId = this.addCall(call.id, call.name, call.args)
      if (Object.keys(call.more).length > 0) more[callId] = call.more
    }
    return { finishReason: this.#toFinishReason(), usage: this.#toUsage(), state: this.#toState(more) }
  }

  #takeText(delta: Json): void {
    this.addText('reasoning', asText(delta.reasoning_content) || asText(delta.reasoning))
    this.#reasoning += asText(delta.reasoning_content)
    for (const detail of toList(delta.reasoning_details)) this.#takeDetail(toRecord(detail))
    if (typeof delta.content === 'string') this.#addContent(delta.content)
    // A few servers send the text in typed pieces.
    for (const piece of toList(delta.content).map(toRecord)) {
      if (piece.type === 'text') this.#addContent(asText(piece.text))
      if (piece.type !== 'thinking') continue
      const thought = toList(piece.thinking).map((each) => asText(toRecord(each).text))
      this.addText('reasoning', thought.join(''))
    }
    const refusal = asText(delta.refusal)
    this.#refused ||= refusal !== ''
    this.addText('text', refusal)
  }

  #addContent(text: string): void {
    if (this.#think === undefined) this.#addParts([{ type: 'text', text }])
    else this.#addParts(this.#think.take(text))
  }

  #addParts(parts: readonly Piece[]): void {
    for (const { type, text } of parts) {
      if (type === 'text' && this.#textCalls !== undefined) this.addText(type, this.#textCalls.take(text))
      else this.addText(type, text)
    }
  }

  /** The calls that stand in the text, where there are none beside it. */
  #addTextCalls(): void {
    const { quirks, model } = this.#options.shape
    const lesson: { -readonly [Field in keyof Quirks]: Quirks[Field] } = {}
    if (this.#think?.isUsed && quirks.thinkTags === undefined) lesson.thinkTags = true
    if (this.#textCalls !== undefined) {
      const { text, calls } = this.#textCalls.end(this.#finishReason === 'length')
      if (calls.length === 0 || this.#calls.length > 0) this.addText('text', text)
      else {
        for (const { name, args } of calls) this.addCall('', name, args)
        if (quirks.textToolCalls === undefined) lesson.textToolCalls = true
      }
    }
    if (Object.keys(lesson).length === 0) return
    const isDenied = lesson.textToolCalls && model.tools === true
    this.lesson = { quirks: lesson, ...(isDenied ? { model: { tools: false } } : {}) }
  }

  #takeCall(delta: Json, position: number): void {
    const index = toCount(delta.index) ?? position
    const { index: _index, id: _id, type: _type, function: fields, ...more } = delta
    const { name: givenName, arguments: givenArgs } = toRecord(fields)
    const id = asText(delta.id)
    const name = asText(givenName)
    let call = this.#byIndex.get(index)
    // Some servers send every call whole and under index 0: another id together with a name starts another call.
    if (call === undefined || (name !== '' && call.name !== '' && id !== '' && id !== call.id)) {
      call = { id, name: '', args: undefined, more: {} }
      this.#byIndex.set(index, call)
      this.#calls.push(call)
    }
    if (call.id === '') call.id = id
    if (call.name === '') call.name = name
    if (typeof givenArgs === 'string') call.args = (typeof call.args === 'string' ? call.args : '') + givenArgs
    else if (givenArgs !== undefined && givenArgs !== null) call.args = givenArgs
    Object.assign(call.more, more)
  }

  /** Details come in pieces that carry the index of what they continue. */
  #takeDetail(detail: Json): void {
    const last = this.#details.at(-1)
    if (last === undefined || detail.index === undefined || last.index !== detail.index || last.type !== detail.type) {
      this.#details.push({ ...detail })
      return
    }
    for (const [field, value] of Object.entries(detail)) {
      const grows = ['text', 'summary', 'data'].includes(field)
      if (value !== null) last[field] = grows ? asText(last[field]) + asText(value) : value
    }
  }

  #toState(calls: Record<string, Json>): ChatState | undefined {
    if (this.#calls.length === 0) return undefined
    const message: Record<string, unknown> = {}
    if (this.#details.length > 0) message.reasoning_details = this.#details
    else if (this.#reasoning !== '') message.reasoning_content = this.#reasoning
    if (Object.keys(message).length === 0 && Object.keys(calls).length === 0) return undefined
    return { provider: this.provider, message, calls }
  }

  #toFinishReason(): FinishReason {
    const hasCalls = this.toolCalls.length > 0
    const reason = FINISH[this.#finishReason] ?? 'stop'
    if (reason === 'stop' && this.#refused) return 'contentFilter'
    // Some servers say `stop` after a call, and a few `tool_calls` after none.
    if (reason === 'stop' || reason === 'toolCalls') return hasCalls ? 'toolCalls' : 'stop'
    return reason
  }

  #toUsage(): Usage | undefined {
    const { prompt_tokens, completion_tokens, total_tokens, ...more } = this.#usage
    const usage = toUsage({
      input: prompt_tokens,
      output: completion_tokens,
      cached: toRecord(more.prompt_tokens_details).cached_tokens ?? more.prompt_cache_hit_tokens ?? more.cached_tokens,
      cacheWrite: toRecord(more.prompt_tokens_details).cache_write_tokens,
      reasoning: toRecord(more.completion_tokens_details).reasoning_tokens,
    })
    if (usage?.reasoningTokens === undefined) return usage
    // Most count reasoning into the completion; where only the total holds it, it is added.
    const whole = usage.outputTokens + usage.reasoningTokens
    return total_tokens === usage.inputTokens + whole ? { ...usage, outputTokens: whole } : usage
  }
}
