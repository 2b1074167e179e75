import type { ToolCall } from '../contracts/model/message.ts'
import { toText } from '../contracts/model/message-text.ts'
import type { FinishReason, ModelInfo, ModelPart, ModelProvider, ModelRequest } from '../contracts/model/model.ts'
import type { Usage } from '../contracts/model/usage.ts'
import { CancelledError, SvcError } from '../errors.ts'
import { abortable, sleep } from '../support/abortable.ts'
import { estimateTokens } from '../text/index.ts'

/** A tool call of a script; `callId` defaults to `call-<call of the provider>-<position>`. */
export type ScriptedToolCall = Omit<ToolCall, 'callId'> & { callId?: string }

/** What the model is to do: a text, an answer with its parts named, or the raw parts. */
export type ScriptedAnswer =
  | string
  | {
      text?: string
      reasoning?: string
      toolCalls?: readonly ScriptedToolCall[]
      /** Default: estimated from request and answer, and marked so. */
      usage?: Partial<Usage>
      /** Default `toolCalls` where there are tool calls, else `stop`. */
      finishReason?: FinishReason
      /** Waits so long before the first part; an abort ends the wait. */
      delayMs?: number
      /** Thrown as it is, after the text and the tool calls and instead of the finish. */
      error?: unknown
      state?: unknown
    }
  | readonly ModelPart[]

/** Decides what the model answers. `callIndex` counts the calls of this provider from 0, in the order they arrive. */
export type Script = (request: ModelRequest, callIndex: number) => ScriptedAnswer | Promise<ScriptedAnswer>

export interface ScriptedProviderOptions {
  /** Default: one model, `scripted`. */
  models?: ModelInfo[]
  /** Default: the first of `models`. */
  defaultModel?: string
  /** Default false, so that its votes count one by one. */
  deterministic?: boolean
  maxConcurrency?: number
}

/** A provider that answers from a script, and the requests it has seen. */
export interface ScriptedProvider extends ModelProvider {
  readonly requests: readonly ModelRequest[]
}

/**
 * A model for tests: no network, no clock, answers by a function.
 *
 * A streamed text comes word by word, otherwise in one part. Raw parts are passed on as they are, also where they break
 * the contract of a provider. An abort is answered with `CancelledError`, or with the abort's reason where that is an
 * `SvcError`.
 */
export function scriptedProvider(id: string, script: Script, options: ScriptedProviderOptions = {}): ScriptedProvider {
  const models = options.models ?? [{ id: 'scripted', tools: true, json: 'schema' }]
  const defaultModel = options.defaultModel ?? models[0]?.id ?? 'scripted'
  const requests: ModelRequest[] = []

  async function* generate(request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncGenerator<ModelPart> {
    throwIfAborted(signal)
    const callIndex = requests.length
    requests.push({ ...request, messages: [...request.messages] })
    const answer = await untilAbort(Promise.resolve(script(request, callIndex)), signal)
    if (typeof answer !== 'string' && !isParts(answer) && answer.delayMs !== undefined)
      await untilAbort(sleep(answer.delayMs, signal), signal)
    for (const part of isParts(answer) ? answer : toParts(answer, request, callIndex)) {
      throwIfAborted(signal)
      yield part
    }
    if (typeof answer !== 'string' && !isParts(answer) && answer.error !== undefined) throw answer.error
  }

  return {
    id,
    defaultModel,
    source: 'test',
    requests,
    deterministic: options.deterministic ?? false,
    ...(options.maxConcurrency === undefined ? {} : { maxConcurrency: options.maxConcurrency }),
    models: async () => models,
    generate,
  }
}

function isParts(answer: ScriptedAnswer): answer is readonly ModelPart[] {
  return Array.isArray(answer)
}

function toParts(
  answer: Exclude<ScriptedAnswer, readonly ModelPart[]>,
  request: ModelRequest,
  callIndex: number,
): ModelPart[] {
  const given = typeof answer === 'string' ? { text: answer } : answer
  const { text = '', reasoning = '' } = given
  const calls = (given.toolCalls ?? []).map((call, position) => ({ callId: `call-${callIndex}-${position}`, ...call }))
  const parts: ModelPart[] = []
  if (reasoning !== '') parts.push({ type: 'reasoning', text: reasoning })
  for (const piece of request.stream ? toPieces(text) : [text])
    if (piece !== '') parts.push({ type: 'text', text: piece })
  for (const call of calls) parts.push({ type: 'toolCall', call })
  if (given.error !== undefined) return parts
  const output = text + reasoning + calls.map((call) => JSON.stringify([call.tool, call.args])).join('')
  const input = request.messages.map((message) => toText(message.content)).join('\n')
  parts.push({
    type: 'finish',
    finishReason: given.finishReason ?? (calls.length > 0 ? 'toolCalls' : 'stop'),
    usage: {
      inputTokens: estimateTokens(input),
      outputTokens: estimateTokens(output),
      estimated: given.usage === undefined,
      ...given.usage,
    },
    ...(given.state === undefined ? {} : { state: given.state }),
  })
  return parts
}

/** Words with the space before them; together they are the text. */
function toPieces(text: string): string[] {
  return text.match(/\s*\S+|\s+/g) ?? []
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw toCancelled(signal)
}

function toCancelled(signal: AbortSignal): SvcError {
  return SvcError.isInstance(signal.reason)
    ? signal.reason
    : new CancelledError('cancelled', 'the call was cancelled', { cause: signal.reason })
}

async function untilAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await abortable(work, signal)
  } catch (thrown) {
    throw signal.aborted && thrown === signal.reason ? toCancelled(signal) : thrown
  }
}
