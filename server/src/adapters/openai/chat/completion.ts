import type { UsageTotal } from '@svc/core'
import type { Problem } from '../../../http/problem.ts'
import type { AnswerWriter } from '../../shared/answer-run.ts'
import { toFrame } from '../../shared/open-stream.ts'
import type { AskedCall, Outcome, SvcFacts } from '../../shared/outcome.ts'
import { toOpenAiError } from '../problem.ts'

/** What all of a completion's answers say of it. */
export interface Head {
  id: string
  /** Seconds since the epoch. */
  created: number
  model: string
}

export const toUsage = ({ inputTokens, outputTokens, cachedTokens = 0, reasoningTokens = 0 }: UsageTotal) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
  completion_tokens_details: { reasoning_tokens: reasoningTokens },
})

const toToolCalls = (calls: readonly AskedCall[]) =>
  calls.map(({ id, name, args }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }))

const finishOf = ({ calls, isCut, isRefused }: Outcome) =>
  calls.length > 0 ? 'tool_calls' : isRefused ? 'content_filter' : isCut ? 'length' : 'stop'

/** A completion as a whole. */
export const toCompletion = (head: Head, outcome: Outcome) => ({
  ...head,
  object: 'chat.completion' as const,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant' as const,
        content: outcome.calls.length > 0 && outcome.text === '' ? null : outcome.text,
        refusal: null,
        ...(outcome.calls.length > 0 && { tool_calls: toToolCalls(outcome.calls) }),
      },
      logprobs: null,
      finish_reason: finishOf(outcome),
    },
  ],
  usage: toUsage(outcome.usage),
  svc: outcome.facts,
})

/** Writes a completion in pieces. */
export class CompletionWriter implements AnswerWriter {
  readonly #send: (text: string) => void
  readonly #beginning: string
  readonly #isUsageAsked: boolean
  /** Chunks that were not sent yet. */
  #waiting = ''

  /** @param send gets what goes out, as it is */
  constructor(send: (text: string) => void, { id, created, model }: Head, isUsageAsked: boolean) {
    this.#send = send
    this.#beginning = `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model }).slice(0, -1)},`
    this.#isUsageAsked = isUsageAsked
  }

  begin(): void {
    this.#choice('{"role":"assistant","content":"","refusal":null}')
    this.#flush()
  }

  text(piece: string): void {
    this.#choice(`{"content":${JSON.stringify(piece)}}`)
    this.#flush()
  }

  /** Nothing is taken back: what comes next stands in a paragraph of its own. */
  break(): void {
    this.#choice('{"content":"\\n\\n"}')
    this.#flush()
  }

  end(outcome: Outcome): void {
    const calls = toToolCalls(outcome.calls).map((call, index) => ({ index, ...call }))
    if (calls.length > 0) this.#choice(`{"tool_calls":${JSON.stringify(calls)}}`)
    this.#choice('{}', JSON.stringify(finishOf(outcome)), outcome.facts)
    if (this.#isUsageAsked) this.#chunk(`"choices":[],"usage":${JSON.stringify(toUsage(outcome.usage))}`)
    this.#waiting += 'data: [DONE]\n\n'
    this.#flush()
  }

  fail(problem: Problem): void {
    this.#send(toFrame(toOpenAiError(problem)))
  }

  #choice(delta: string, finish = 'null', facts?: SvcFacts): void {
    const usage = this.#isUsageAsked ? ',"usage":null' : ''
    const more = facts === undefined ? '' : `,"svc":${JSON.stringify(facts)}`
    this.#chunk(`"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]${usage}${more}`)
  }

  #chunk(rest: string): void {
    this.#waiting += `${this.#beginning}${rest}}\n\n`
  }

  /** Sends at once what belongs together. */
  #flush(): void {
    if (this.#waiting !== '') this.#send(this.#waiting)
    this.#waiting = ''
  }
}
