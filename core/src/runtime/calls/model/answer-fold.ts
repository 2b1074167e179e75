import type { ToolCall } from '../../../contracts/model/message.ts'
import type { ModelCompletion, ModelPart, ModelProvider, ModelRequest } from '../../../contracts/model/model.ts'
import { ProviderError } from '../../../errors.ts'
import { sizeOf } from '../../journal/log-size.ts'

type Finish = Extract<ModelPart, { type: 'finish' }>

/** Characters of one answer that are kept; a provider that sends more is cut off. */
const MAX_ANSWER_CHARS = 8_000_000
/** What a provider wants back holds the text, what the model thought, and the calls once more. */
const MAX_STATE_CHARS = 2 * MAX_ANSWER_CHARS
const MAX_CALLS = 1_000

/** What of an answer is more than may be, in words; its arguments and its state are not too deep. */
export function findExcess({ text, reasoning = '', toolCalls, state }: ModelCompletion): string | undefined {
  if (toolCalls.length > MAX_CALLS) return `called more than ${MAX_CALLS} tools in one answer`
  const chars = toolCalls.reduce((sum, { args }) => sum + sizeOf(args), text.length + reasoning.length)
  if (chars > MAX_ANSWER_CHARS) return `sent more than ${MAX_ANSWER_CHARS} characters`
  return sizeOf(state) > MAX_STATE_CHARS ? `sent a state of more than ${MAX_STATE_CHARS} characters` : undefined
}

/** Adds up the parts of one answer, and hands each but the finish to `onPart` as it comes. */
export class AnswerFold {
  text = ''
  reasoning = ''
  readonly toolCalls: ToolCall[] = []
  readonly #provider: string
  readonly #onPart: ((part: ModelPart) => void) | undefined
  readonly #startedAt = performance.now()
  #ttftMs: number | undefined
  #finish: Finish | undefined

  constructor(provider: string, onPart?: (part: ModelPart) => void) {
    this.#provider = provider
    this.#onPart = onPart
  }

  /** Whether the finish has come. */
  get isFinished(): boolean {
    return this.#finish !== undefined
  }

  /** @throws ProviderError `provider_bad_response` for an answer that is too long; whatever `onPart` throws */
  add(part: ModelPart): void {
    if (part.type === 'finish') {
      this.#finish = part
      return
    }
    this.#ttftMs ??= performance.now() - this.#startedAt
    if (part.type === 'toolCall') {
      if (this.toolCalls.push(part.call) > MAX_CALLS)
        throw this.#broken(`called more than ${MAX_CALLS} tools in one answer`)
    } else this[part.type] += part.text
    if (this.text.length + this.reasoning.length > MAX_ANSWER_CHARS) {
      throw this.#broken(`sent more than ${MAX_ANSWER_CHARS} characters`)
    }
    this.#onPart?.(part)
  }

  /** @throws ProviderError `provider_bad_response` when no finish came */
  end(): ModelCompletion {
    if (this.#finish === undefined) throw this.#broken('ended its answer without a finish part')
    const { finishReason, usage, state, responseId } = this.#finish
    return {
      text: this.text,
      ...(this.reasoning === '' ? {} : { reasoning: this.reasoning }),
      toolCalls: this.toolCalls,
      finishReason,
      usage,
      ...(state === undefined ? {} : { state }),
      ...(responseId === undefined ? {} : { responseId }),
      ...(this.#ttftMs === undefined ? {} : { ttftMs: this.#ttftMs }),
    }
  }

  #broken(what: string): ProviderError {
    return new ProviderError('provider_bad_response', `provider "${this.#provider}" ${what}`, {
      provider: this.#provider,
    })
  }
}

/**
 * `generate` of a provider that has `complete`: the same parts, read one by one. A reader that stops ends the call.
 */
export async function* generateByCompleting(
  complete: NonNullable<ModelProvider['complete']>,
  request: ModelRequest,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<ModelPart> {
  const controller = new AbortController()
  const forward = (): void => controller.abort(signal.reason)
  if (signal.aborted) forward()
  signal.addEventListener('abort', forward, { once: true })
  const ready: ModelPart[] = []
  let wake = (): void => {}
  let isOver = false
  const completing = complete(request, {
    signal: controller.signal,
    onPart: (part) => {
      ready.push(part)
      wake()
    },
  }).finally(() => {
    isOver = true
    wake()
  })
  completing.catch(() => {}) // awaited below, unless the reader has left
  try {
    while (!isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve
        if (ready.length > 0 || isOver) resolve()
      })
      yield* ready.splice(0)
    }
    yield* ready.splice(0)
    const { finishReason, usage, state, responseId } = await completing
    yield {
      type: 'finish',
      finishReason,
      usage,
      ...(state === undefined ? {} : { state }),
      ...(responseId === undefined ? {} : { responseId }),
    }
  } finally {
    signal.removeEventListener('abort', forward)
    controller.abort()
  }
}
