import {
  AnswerFold,
  type FinishReason,
  type ModelCompletion,
  type ModelPart,
  type ModelRequest,
  ProviderError,
  type ToolCall,
  type Usage,
} from '@svc/core'
import type { Change, Shape } from '../format/shape.ts'
import { parseArgs, type ToolNames, toCallId } from '../format/tool-calls.ts'
import { estimateUsage } from './estimate-usage.ts'

/** What a reader must know of the question. */
export interface ReaderOptions {
  readonly provider: string
  readonly request: ModelRequest
  readonly names: ToolNames
  /** How the request was made. */
  readonly shape: Shape
  /** Is handed each part as it comes. */
  readonly onPart?: ((part: ModelPart) => void) | undefined
}

/** How an answer ended. */
export interface AnswerEnd {
  readonly finishReason: FinishReason
  /** Undefined where the server reported none that can be: it is estimated. */
  readonly usage: Usage | undefined
  readonly state: unknown
}

const MOST_ID_CHARS = 256

/** Reads the answer of one wire format, piece by piece or whole. */
export abstract class AnswerReader {
  /** What the answer teaches of the model, whether it is whole or not. */
  lesson: Change | undefined
  protected readonly provider: string
  readonly #request: ModelRequest
  readonly #names: ToolNames
  readonly #fold: AnswerFold
  readonly #callIds = new Set<string>()
  #responseId = ''

  constructor({ provider, request, names, onPart }: ReaderOptions) {
    this.provider = provider
    this.#request = request
    this.#names = names
    this.#fold = new AnswerFold(provider, onPart)
  }

  /** Whether the model has said that it stopped. */
  abstract get isFinished(): boolean
  abstract takeWhole(answer: unknown): void
  abstract takePiece(piece: unknown): void
  /** The server has sent its mark of the end. */
  markEnd(): void {}
  /** Takes what was held back, and says how the answer ended. @throws ProviderError when it has no end */
  protected abstract finish(): AnswerEnd

  end(): ModelCompletion {
    const { finishReason, usage, state } = this.finish()
    const { text, reasoning, toolCalls } = this.#fold
    this.#fold.add({
      type: 'finish',
      finishReason,
      usage: usage ?? estimateUsage(this.#request, reasoning + text, toolCalls),
      ...(state === undefined ? {} : { state }),
      ...(this.#responseId === '' ? {} : { responseId: this.#responseId }),
    })
    return this.#fold.end()
  }

  /** Whether the model has called a tool as the format says. */
  get hasNativeCall(): boolean {
    return this.toolCalls.length > 0
  }

  protected get toolCalls(): readonly ToolCall[] {
    return this.#fold.toolCalls
  }

  /** Whether anything of the answer was handed on. */
  get hasText(): boolean {
    return this.#fold.text !== '' || this.#fold.reasoning !== ''
  }

  /** What the server calls the answer; what is no name is left out. */
  protected takeId(id: unknown): void {
    if (typeof id === 'string' && id !== '' && id.length <= MOST_ID_CHARS) this.#responseId = id
  }

  protected addText(type: 'text' | 'reasoning', text: string): void {
    if (text !== '') this.#fold.add({ type, text })
  }

  /** @returns the id of the call, which differs from those of the others */
  protected addCall(id: string, name: string, args: unknown): string {
    if (name === '') throw this.bad('a tool call without a name')
    const callId = toCallId(id, this.#callIds, this.#request.messages.length, this.toolCalls.length)
    this.#callIds.add(callId)
    this.#fold.add({ type: 'toolCall', call: { callId, tool: this.#names.toId(name), args: parseArgs(args) } })
    return callId
  }

  protected bad(what: string): ProviderError {
    return new ProviderError('provider_bad_response', `${this.provider}: the server sent ${what}`, {
      provider: this.provider,
    })
  }
}
