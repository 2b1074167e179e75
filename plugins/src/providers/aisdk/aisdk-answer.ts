import type { FinishReason, Usage } from '@svc/core'
import { asText, isRecord, type Json, toRecord } from '../format/json.ts'
import { parseArgs, toArgsObject } from '../format/tool-calls.ts'
import { toUsage } from '../format/usage.ts'
import { type AnswerEnd, AnswerReader } from '../wire/answer-reader.ts'
import { WireFailure } from '../wire/provider-error.ts'
import type { AiSdkState } from './aisdk-prompt.ts'

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'contentFilter',
  'tool-calls': 'toolCalls',
}

/** Parts that no prompt takes back. */
const LEFT_OUT: ReadonlySet<unknown> = new Set(['source', 'file', 'tool-result', 'tool-approval-request'])

/** Adds up an answer of a model of the AI SDK: fed with the parts of a stream, or once with a whole result. */
export class AiSdkAnswer extends AnswerReader {
  readonly #parts: Record<string, unknown>[] = []
  readonly #open = new Map<unknown, Record<string, unknown>>()
  #finish: Json | undefined
  #isWhole = false

  get isFinished(): boolean {
    return this.#finish !== undefined
  }

  takeWhole(given: unknown): void {
    const result = toRecord(given)
    if (!Array.isArray(result.content)) throw this.bad('a result without content')
    for (const part of result.content.map(toRecord)) this.#takePart(part)
    this.takeId(toRecord(result.response).id)
    this.#finish = result
    this.#isWhole = true
  }

  takePiece(given: unknown): void {
    const piece = toRecord(given)
    const [, kind = '', step = ''] = /^(text|reasoning)-(start|delta|end)$/.exec(asText(piece.type)) ?? []
    if (kind === 'text' || kind === 'reasoning') this.#takeText(kind, step, piece)
    else if (piece.type === 'response-metadata') this.takeId(piece.id)
    else if (piece.type === 'finish') this.#finish = piece
    else if (piece.type === 'error') throw piece.error
    else if (piece.type === 'tool-call' || piece.type === 'custom' || piece.type === 'reasoning-file')
      this.#takePart(piece)
  }

  protected finish(): AnswerEnd {
    const { finishReason, usage } = this.#finish ?? {}
    if (this.#finish === undefined) throw this.bad('an answer without an end')
    const reason = isRecord(finishReason) ? finishReason.unified : finishReason
    // What a package says of a stream that was cut off.
    const isCut =
      reason === 'interrupted' ||
      reason === 'unknown' ||
      (isRecord(finishReason) && reason === 'other' && finishReason.raw === undefined)
    if (isCut && !this.#isWhole) throw this.bad('an answer without a finish reason')
    if (reason === 'error') throw new WireFailure({ message: 'the answer broke off with an error' })
    const plain = FINISH[asText(reason)] ?? 'stop'
    const hasCalls = this.toolCalls.length > 0
    const isPlain = this.#parts.every(({ type, providerOptions }) => type !== 'custom' && providerOptions === undefined)
    const content = this.#parts.filter(({ type, text }) => type !== 'text' || text !== '')
    const state: AiSdkState | undefined =
      isPlain && !content.some(({ type }) => type === 'reasoning') ? undefined : { provider: this.provider, content }
    return {
      finishReason: plain === 'stop' || plain === 'toolCalls' ? (hasCalls ? 'toolCalls' : 'stop') : plain,
      usage: usageOf(toRecord(usage)),
      state,
    }
  }

  #takeText(kind: 'text' | 'reasoning', step: string, { id, delta, providerMetadata }: Json): void {
    let part = this.#open.get(id)
    if (part === undefined) {
      part = { type: kind, text: '' }
      this.#open.set(id, part)
      this.#parts.push(part)
    }
    // What makes a part acceptable again may come with any of its pieces; the last one counts.
    if (isRecord(providerMetadata)) part.providerOptions = providerMetadata
    if (step === 'end') this.#open.delete(id)
    part.text = asText(part.text) + asText(delta)
    this.addText(kind, asText(delta))
  }

  #takePart({ providerMetadata, ...part }: Json): void {
    if (LEFT_OUT.has(part.type)) return
    const options = isRecord(providerMetadata) ? { providerOptions: providerMetadata } : {}
    if (part.type === 'text' || part.type === 'reasoning') {
      this.addText(part.type, asText(part.text))
      this.#parts.push({ type: part.type, text: asText(part.text), ...options })
    } else if (part.type === 'tool-call') {
      const { toolName, input, providerExecuted } = part
      // What the vendor's own tools did is no call of ours.
      if (providerExecuted === true) return
      const toolCallId = this.addCall(asText(part.toolCallId), asText(toolName), input)
      this.#parts.push({ type: 'tool-call', toolCallId, toolName, input: toArgsObject(parseArgs(input)), ...options })
    } else this.#parts.push({ ...part, ...options })
  }
}

/** Counts stand in groups since v3. */
function usageOf({ inputTokens, outputTokens, ...older }: Json): Usage | undefined {
  const [input, output] = [toRecord(inputTokens), toRecord(outputTokens)]
  return toUsage({
    input: input.total ?? inputTokens,
    output: output.total ?? outputTokens,
    cached: input.cacheRead ?? older.cachedInputTokens,
    cacheWrite: input.cacheWrite,
    reasoning: output.reasoning ?? older.reasoningTokens,
  })
}
