import { ValidationError } from '../../errors.ts'
import { fitRidge, predictRidge, type RidgeModel } from './ridge.ts'

/** What one model call took. */
export interface CallTokens {
  inputTokens: number
  outputTokens: number
}

/** A run that has ended. */
export interface PastRun {
  /** What runs of a kind have in common: a domain, a profile, a topology. Default one kind for all. */
  group?: string
  calls: readonly CallTokens[]
}

/** A run of which the first calls are known, or none yet. */
export interface RunningRun {
  group?: string
  calls?: readonly CallTokens[]
}

export interface RunForecastResult {
  /** Input and output of the whole run; never below what is spent already. */
  tokens: number
  /** Four of five past runs would have ended between these. */
  low: number
  high: number
  /** How many past runs it rests on. */
  runs: number
}

export interface RunForecastOptions {
  /** How many of the newest runs are remembered. Default 500. */
  window?: number
  /** Fewest past runs with which anything is said. Default 8. */
  fewest?: number
}

/** Calls beyond these change the forecast no more. */
const DEPTH = 8
const WINDOW = 500
const FEWEST = 8
/** Five runs that know nothing hold a group, and the growth of a prompt, to the mean of all. */
const RIDGE = 5

/** A past run, as far as forecasts look into it. */
interface Memory {
  group: string
  total: number
  /** By number of calls seen, from 0. */
  signs: (readonly number[] | undefined)[]
}

interface Fit {
  groups: readonly string[]
  model: RidgeModel
  /** Logarithms of true over forecast, sorted. */
  errors: readonly number[]
  runs: number
}

/**
 * How many tokens will this run take?
 *
 * Learns from runs that have ended: a log-linear regression with a ridge on the kind of run, on what the first calls took,
 * and on how fast the prompt grew between them. How many calls a run will need can hardly be seen from its start, so the
 * forecast is a rough one and comes with a range; with few runs behind it, it leans towards the middle of all. Reads no
 * clock and no random number.
 */
export class RunForecast {
  readonly #window: number
  readonly #fewest: number
  #runs: Memory[] = []
  readonly #fits = new Map<number, Fit | undefined>()

  /** @throws ValidationError `validation_failed` unless both are whole numbers, the window at least `fewest`, that at least 2 */
  constructor({ window = WINDOW, fewest = FEWEST }: RunForecastOptions = {}) {
    if (!Number.isInteger(fewest) || fewest < 2 || !Number.isInteger(window) || window < fewest) {
      throw new ValidationError(
        'validation_failed',
        `window and fewest must be whole numbers with 2 <= fewest <= window, not ${window} and ${fewest}`,
      )
    }
    this.#window = window
    this.#fewest = fewest
  }

  /**
   * Learns from a run that has ended. A run without calls teaches nothing.
   *
   * @throws ValidationError `validation_failed` for tokens that are no whole numbers of at least 0
   */
  record({ group = '', calls }: PastRun): void {
    check(calls)
    const total = sum(calls)
    if (total === 0) return
    const signs = Array.from({ length: DEPTH + 1 }, (_, seen) =>
      calls.length >= seen ? signsOf(calls.slice(0, seen)) : undefined,
    )
    this.#runs.push({ group, total, signs })
    if (this.#runs.length > this.#window) this.#runs = this.#runs.slice(-this.#window)
    this.#fits.clear()
  }

  /**
   * @returns `undefined` while there are too few past runs that went as far
   * @throws ValidationError `validation_failed` for tokens that are no whole numbers of at least 0
   */
  forecast({ group = '', calls = [] }: RunningRun): RunForecastResult | undefined {
    check(calls)
    const fit = this.#fitFor(Math.min(DEPTH, calls.length))
    if (fit === undefined) return undefined
    const spent = sum(calls)
    const { groups, model, errors, runs } = fit
    const expected = predictRidge(model, [
      ...groups.map((known) => (known === group ? 1 : 0)),
      ...signsOf(calls.slice(0, DEPTH)),
    ])
    const bound = (logarithm: number): number => Math.max(spent, Math.round(Math.exp(logarithm)))
    return {
      tokens: bound(expected),
      low: bound(expected + (errors[Math.floor(0.1 * errors.length)] ?? 0)),
      high: bound(expected + (errors[Math.ceil(0.9 * errors.length) - 1] ?? 0)),
      runs,
    }
  }

  #fitFor(seen: number): Fit | undefined {
    if (!this.#fits.has(seen)) this.#fits.set(seen, this.#fit(seen))
    return this.#fits.get(seen)
  }

  #fit(seen: number): Fit | undefined {
    const usable = this.#runs.flatMap(({ group, total, signs }) => {
      const known = signs[seen]
      return known === undefined ? [] : [{ group, target: Math.log(total), signs: known }]
    })
    if (usable.length < this.#fewest) return undefined
    const groups = [...new Set(usable.map(({ group }) => group))].sort()
    const rows = usable.map(({ group, signs }) => [...groups.map((known) => (known === group ? 1 : 0)), ...signs])
    const targets = usable.map(({ target }) => target)
    const model = fitRidge(rows, targets, RIDGE)
    const errors = rows.map((row, index) => (targets[index] ?? 0) - predictRidge(model, row)).sort((a, b) => a - b)
    return { groups, model, errors, runs: usable.length }
  }
}

/** What the first calls tell: how much they took, and by how much the prompt grew. */
function signsOf(calls: readonly CallTokens[]): number[] {
  const [first] = calls
  const last = calls.at(-1)
  if (first === undefined || last === undefined) return []
  return [Math.log1p(sum(calls)), Math.log1p(Math.max(0, last.inputTokens - first.inputTokens))]
}

const sum = (calls: readonly CallTokens[]): number =>
  calls.reduce((total, { inputTokens, outputTokens }) => total + inputTokens + outputTokens, 0)

function check(calls: readonly CallTokens[]): void {
  for (const [index, { inputTokens, outputTokens }] of calls.entries()) {
    for (const [name, value] of Object.entries({ inputTokens, outputTokens })) {
      if (Number.isInteger(value) && value >= 0) continue
      throw new ValidationError(
        'validation_failed',
        `calls[${index}].${name} must be a whole number of at least 0, not ${value}`,
      )
    }
  }
}
