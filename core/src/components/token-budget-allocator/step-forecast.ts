import type { Price } from '../../contracts/model.ts'
import { ValidationError } from '../../errors.ts'

export interface StepForecastOptions {
  /** How many of the newest answers of a role and model are remembered. Default 50. */
  window?: number
}

export interface StepForecastInput {
  role: string
  /** As in the events: `provider/model`. */
  model: string
  /** Tokens of the first request: system message, tools, objective, inputs. */
  inputTokens: number
  /** Expected model calls. Default 2 + `tools`. */
  turns?: number
  /** Expected tool calls. Default 0. */
  tools?: number
  /** Tokens that one tool result adds to the next request. Default 400. */
  toolOutputTokens?: number
  /** Of each request but the first, the share that the provider reads from its cache. Default 0. */
  cachedShare?: number
  /** US dollars per million tokens. */
  price?: Price
}

export interface StepForecastResult {
  turns: number
  /** Sum over the turns: every request carries all that was said before. */
  inputTokens: number
  outputTokens: number
  cachedTokens: number
  /** US dollars; null without a price. */
  costUsd: number | null
}

const WINDOW = 50
const PERCENTILE = 0.9
const COLD_START: Readonly<Record<string, number>> = { critic: 400, verifier: 400, synthesizer: 1500 }
const COLD_START_WORKER = 900
const TOOL_OUTPUT = 400

/**
 * What will a step cost?
 *
 * Outputs are forecast by the 90th percentile of the newest answers of the same role and model, and by fixed values
 * before there are any: 400 for a critic or verifier, 900 for a worker, 1500 for a synthesis. The context grows by every
 * answer and tool result. Reads no clock and no random number.
 */
export class StepForecast {
  readonly #window: number
  readonly #outputs = new Map<string, number[]>()

  /** @throws ValidationError `validation_failed` unless the window is a whole number of at least 1 */
  constructor({ window = WINDOW }: StepForecastOptions = {}) {
    if (!Number.isInteger(window) || window < 1) {
      throw new ValidationError('validation_failed', `window must be a whole number of at least 1, not ${window}`)
    }
    this.#window = window
  }

  /** Remembers how long an answer was. */
  record(role: string, model: string, outputTokens: number): void {
    checkCount('outputTokens', outputTokens)
    const key = toKey(role, model)
    const outputs = this.#outputs.get(key) ?? []
    outputs.push(outputTokens)
    if (outputs.length > this.#window) outputs.shift()
    this.#outputs.set(key, outputs)
  }

  /** Tokens that one answer of this role and model will hardly exceed. */
  outputTokens(role: string, model: string): number {
    const outputs = this.#outputs.get(toKey(role, model))
    if (outputs === undefined) return Object.hasOwn(COLD_START, role) ? (COLD_START[role] ?? 0) : COLD_START_WORKER
    const sorted = [...outputs].sort((a, b) => a - b)
    return sorted[Math.ceil(PERCENTILE * sorted.length) - 1] ?? COLD_START_WORKER
  }

  /**
   * Tokens and dollars of a whole step.
   *
   * @throws ValidationError `validation_failed` for negative or fractional numbers
   */
  forecast(input: StepForecastInput): StepForecastResult {
    const { role, model, inputTokens, tools = 0, toolOutputTokens = TOOL_OUTPUT, cachedShare = 0, price } = input
    const turns = input.turns ?? 2 + tools
    for (const [name, value] of Object.entries({ inputTokens, tools, toolOutputTokens, turns })) checkCount(name, value)
    if (!(cachedShare >= 0 && cachedShare <= 1)) {
      throw new ValidationError('validation_failed', `cachedShare must lie between 0 and 1, not ${cachedShare}`)
    }
    const output = this.outputTokens(role, model)
    const total: StepForecastResult = {
      turns,
      inputTokens: 0,
      outputTokens: turns * output,
      cachedTokens: 0,
      costUsd: null,
    }
    let context = inputTokens
    for (let turn = 0; turn < turns; turn++) {
      total.inputTokens += context
      if (turn > 0) total.cachedTokens += Math.floor(context * cachedShare)
      context += output + (turn < tools ? toolOutputTokens : 0)
    }
    if (price !== undefined) {
      const fresh = total.inputTokens - total.cachedTokens
      total.costUsd =
        (fresh * price.input +
          total.cachedTokens * (price.cacheRead ?? price.input) +
          total.outputTokens * price.output) /
        1e6
    }
    return total
  }
}

/** Neither part can hold a line break. */
const toKey = (role: string, model: string): string => `${role}\n${model}`

function checkCount(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 0) {
    throw new ValidationError('validation_failed', `${name} must be a whole number of at least 0, not ${value}`)
  }
}
