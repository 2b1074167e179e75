import { CONTINUE_REQUEST, type JsonSchema, type ModelAnswer } from '../../../../contracts/index.ts'
import { LimitError, ProviderError } from '../../../../errors.ts'
import { describeErrors, findJson } from '../../../../text/index.ts'
import { findErrors } from '../../../../validate.ts'

export interface StepAnswer {
  text: string
  data?: unknown
}

export interface DraftRules {
  /** For messages to people. */
  agentName: string
  outputSchema: JsonSchema | undefined
  /** The agent's profile bounds its output: what is longer is cut, not continued. */
  isBounded: boolean
}

/** A model that fills its limit twice is not brief; what it has written stands. */
const MAX_CONTINUATIONS = 1

/** The answer of an agent while it is put together: an answer may come in pieces, be empty, or miss its schema. */
export class AnswerDraft {
  readonly #rules: DraftRules
  #text = ''
  #data: unknown
  #continuations = 0
  #isAskedAgain = false
  /** What was wrong with the answer that is being repaired, once. */
  broken: string | undefined
  /** The answer was cut at the output limit and is not continued. */
  isCut = false

  constructor(rules: DraftRules) {
    this.#rules = rules
  }

  /** The text so far. */
  get text(): string {
    return this.#text
  }

  get answer(): StepAnswer {
    return this.#data === undefined ? { text: this.#text } : { text: this.#text, data: this.#data }
  }

  /**
   * Adds a model's answer without tool calls.
   *
   * @param isLast no further call may follow
   * @returns the message that asks the model to complete it; `undefined` when it is complete
   * @throws ProviderError `provider_bad_response` for a second empty answer; LimitError `output_schema_mismatch` after one repair
   */
  add(answer: ModelAnswer, isLast: boolean): string | undefined {
    if (answer.text.trim() === '' && answer.data === undefined && this.#text === '') return this.#askAgain(answer)
    this.#text += answer.text
    if (answer.finishReason === 'length' && answer.data === undefined) {
      const mayContinue = !this.#rules.isBounded && this.#continuations < MAX_CONTINUATIONS && !isLast
      if (mayContinue && answer.text !== '') {
        this.#continuations++
        return CONTINUE_REQUEST
      }
      this.isCut = true
    }
    return this.#rules.outputSchema === undefined ? undefined : this.#readData(this.#rules.outputSchema, answer, isLast)
  }

  #askAgain({ finishReason, provider, model, reasoning, usage }: ModelAnswer): string {
    const isSpent = finishReason === 'length'
    if (this.#isAskedAgain) {
      const why = isSpent ? 'used up its output limit before it answered' : 'answered nothing'
      const tokens = usage.reasoningTokens ?? (reasoning === undefined ? 0 : usage.outputTokens)
      const cure = this.#rules.isBounded ? "the agent's maxOutputTokens" : `maxOutput of ${provider}/${model}`
      const more =
        isSpent && tokens > 0 ? `: its reasoning took ${tokens} tokens of it. Raise ${cure}, or the budget` : ''
      const message = `${this.#rules.agentName}: the model ${why}, twice${more}`
      throw new ProviderError('provider_bad_response', message, { provider, retryable: false })
    }
    this.#isAskedAgain = true
    return isSpent
      ? 'You reached the output limit before you answered or called a tool. Do so now, briefly.'
      : 'Your answer was empty. Answer now, in words.'
  }

  #readData(schema: JsonSchema, answer: ModelAnswer, isLast: boolean): string | undefined {
    const found = answer.data === undefined ? findJson(this.#text, { strict: true }) : { value: answer.data }
    const errors =
      'error' in found ? [{ path: '', message: 'must be JSON and nothing else' }] : findErrors(schema, found.value)
    if (errors.length === 0 && answer.misfit === undefined) {
      this.#data = found.value
      if (this.#text === '') this.#text = JSON.stringify(found.value)
      return undefined
    }
    const wrong = answer.misfit ?? describeErrors(errors)
    if (this.broken !== undefined || isLast) {
      throw new LimitError('output_schema_mismatch', `the answer does not fit outputSchema: ${wrong}`)
    }
    this.broken = wrong
    this.#text = ''
    return `The answer does not fit the schema: ${wrong}. Give the whole answer again as JSON that fits.`
  }
}
